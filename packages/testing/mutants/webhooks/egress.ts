/** Where requests may go. */
import type { Mutant } from "../Mutant.ts"

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "a guard that looks a name up once more after it was checked",
    file: "packages/node/src/egress/internal/GuardedConnect.ts",
    edits: [
      {
        find: "options.resolve(host).then(answer, () => answer([]))",
        replace: `const callBack = callback
    callback = (...[error, , family]) =>
      error === null
        ? void options.resolve(host).then((again) =>
            all === true
              ? callBack(null, again.map((address) => ({ address, family: isIP(address) })))
              : callBack(null, again[0]!, family)
          )
        : callBack(error, [])
    options.resolve(host).then(answer, () => answer([]))`
      }
    ],
    tests: ["--project", "node", "Guard"]
  },
  {
    name: "a guard that is content with one good address",
    file: "packages/node/src/egress/internal/GuardedConnect.ts",
    edits: [{ find: "addresses.every(", replace: "addresses.some(" }],
    tests: ["--project", "node", "Guard"]
  },
  {
    name: "a guard that does not look at literal addresses",
    file: "packages/node/src/egress/internal/GuardedConnect.ts",
    edits: [{ find: "isIP(target.hostname) === 0 ? undefined : checked", replace: "true ? undefined : checked" }],
    tests: ["--project", "node", "Guard", "UndiciSender"]
  },
  {
    name: "a connection that is kept however old it is",
    file: "packages/node/src/egress/internal/Connections.ts",
    edits: [{ find: "line.connectedAt >= bornAfter", replace: "line.connectedAt > 0" }],
    tests: ["--project", "node", "Pools"]
  },
  {
    name: "a sender that follows redirects",
    file: "packages/node/src/egress/internal/Dispatch.ts",
    edits: [
      {
        find: "import type { Pools } from",
        replace: 'import { interceptors } from "undici"\nimport type { Pools } from'
      },
      {
        find: "pools.get(livemode, origin).dispatch(",
        replace: "pools.get(livemode, origin).compose(interceptors.redirect({ maxRedirections: 3 })).dispatch("
      }
    ],
    tests: ["--project", "node", "UndiciSender"]
  }
]
