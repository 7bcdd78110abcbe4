/** Uploads, versions and runs. */
import type { Mutant } from "./Mutant.ts"

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "a succeeded run may be canceled",
    file: "packages/distill/src/run/RunMachine.ts",
    edits: [{ find: "succeeded: {},", replace: 'succeeded: { CancelRequested: ["canceled"] },' }],
    tests: ["--project", "distill", "RunMachine"]
  },
  {
    name: "an upload that succeeded may be read again",
    file: "packages/distill/src/upload/UploadMachine.ts",
    edits: [{ find: "succeeded: {},", replace: 'succeeded: { ContentRead: ["succeeded"] },' }],
    tests: ["--project", "distill", "UploadMachine"]
  },
  {
    name: "a version that is ready may fail",
    file: "packages/distill/src/dataset/VersionMachine.ts",
    edits: [{ find: "ready: {},", replace: 'ready: { Failed: ["failed"] },' }],
    tests: ["--project", "distill", "VersionMachine"]
  },
  {
    name: "a reservation that the budget does not hold",
    file: "packages/distill/src/run/Budget.ts",
    edits: [{ find: "more > run.budgetMicros) return null", replace: "more > 2 * run.budgetMicros) return null" }],
    tests: ["--project", "distill", "Budget"]
  },
  {
    name: "spend that is told twice and counted twice",
    file: "packages/distill/src/run/Budget.ts",
    edits: [
      {
        find: "costOf(run.prices, most(stage.usage, usage)) - costOf(run.prices, stage.usage)",
        replace: "costOf(run.prices, usage)"
      }
    ],
    tests: ["--project", "distill", "Budget"]
  }
]
