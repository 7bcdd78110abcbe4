/** Who answers a call, and with what. */
import type { Mutant } from "../Mutant.ts"

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "a larger share takes calls away from the student",
    file: "packages/serving/src/answer/internal/Traffic.ts",
    edits: [{ find: `\${key}`, replace: `\${key}\${percent}` }],
    tests: ["--project", "serving", "Traffic"]
  },
  {
    name: "the model is replaced wherever it is named",
    file: "packages/serving/src/student/internal/ModelMember.ts",
    edits: [
      { find: "if (depth === 1 && expectsName) isNamed =", replace: "isNamed =" },
      { find: "depth === 1 && byte === colon", replace: "byte === colon" }
    ],
    tests: ["--project", "serving", "ModelMember"]
  },
  {
    name: "a head without a body is an answer",
    file: "packages/serving/src/student/internal/FirstBytes.ts",
    edits: [{ find: "until(() => bytes > 0, takeMore)", replace: "until(() => true, takeMore)" }],
    tests: ["--project", "server", "serving-endpoint"]
  },
  {
    name: "half an answer is passed on",
    file: "packages/serving/src/student/internal/FirstBytes.ts",
    edits: [{ find: "if (isHeldBack || !isEventStream(response))", replace: "if (false as boolean)" }],
    tests: ["--project", "server", "serving-endpoint"]
  }
]
