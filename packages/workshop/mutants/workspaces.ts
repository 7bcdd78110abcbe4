/** Mistakes in workspaces, in people's sessions, and in API versions. */
import type { Mutant } from "./Mutant.ts"

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "the first workspace found again by its name",
    file: "packages/core/src/workspaces/Workspaces.ts",
    edits: [{ find: "key: Workspace.keyOf(value),", replace: "key: patch.name ?? Workspace.keyOf(value)," }],
    tests: ["--project", "limbeck", "workspaces.test.ts"]
  },
  {
    name: "a member who changes a plan",
    file: "packages/core/src/workspaces/HostWorkspaces.ts",
    edits: [{ find: 'patch.plan === undefined ? "write" : "change_plan"', replace: '"write"' }],
    tests: ["--project", "limbeck", "workspaces.test.ts"]
  },
  {
    name: "an event in the newest version for every endpoint",
    file: "packages/webhooks/src/delivery/internal/Attempts.ts",
    edits: [{ find: "ApiVersions.textIn(endpoint.apiVersion, claimed.body)", replace: "claimed.body" }],
    tests: ["--project", "server", "versions.test.ts"]
  },
  {
    name: "a customer's own object in an event, changed by a version",
    file: "packages/core/src/versions/ApiVersions.ts",
    edits: [{ find: ".filter(({ events }) => EventPattern.matches(events, type))", replace: "" }],
    tests: ["--project", "core", "versions"]
  },
  {
    name: "a proof that a dry run names, not looked at",
    file: "packages/distill/src/run/internal/RunPlanner.ts",
    edits: [
      {
        find: "yield* rehearsalOf(partition, request.validatedDryRun)",
        replace: "request.dryRun ? null : yield* rehearsalOf(partition, request.validatedDryRun)"
      }
    ],
    tests: ["--project", "server", "run-gate.test.ts"]
  },
  {
    name: "an evaluation by a reward that the recipe has not",
    file: "packages/distill/src/recipe/internal/RecipeRules.ts",
    edits: [{ find: "!own.has(id)", replace: "own.size < 0 && !own.has(id)" }],
    tests: ["--project", "distill", "recipe/RecipeRules.test.ts"]
  }
]
