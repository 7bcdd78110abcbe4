/** What a server costs when it has little to do. */
import type { Mutant } from "./Mutant.ts"

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "a request with an empty body that is watched as if the body were still coming",
    file: "packages/server/src/Mounts.ts",
    edits: [
      { find: 'Number(headers["content-length"] ?? 0) !== 0', replace: 'headers["content-length"] !== undefined' }
    ],
    tests: ["--project", "server", "mounts"]
  },
  {
    name: "garbage of the start that is collected under load",
    file: "packages/cli/src/serve/StartGarbage.ts",
    edits: [{ find: "(yield* load) > Limits.idleLoadMax", replace: "(yield* load) > 1" }],
    tests: ["--project", "cli", "startGarbage"]
  },
  {
    name: "a server on memory storage that loads the modules of Postgres",
    file: "packages/cli/src/serve/Storages.ts",
    edits: [
      {
        find: "import type * as PostgresStorages from",
        replace: 'import "./PostgresStorages.ts"\nimport type * as PostgresStorages from'
      }
    ],
    tests: ["--project", "cli", "loadedModules"]
  }
]
