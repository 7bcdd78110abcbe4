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
    edits: [
      { find: "isIP(target.hostname) === 0 ? undefined : checkAddresses", replace: "true ? undefined : checkAddresses" }
    ],
    tests: ["--project", "node", "Guard", "UndiciSender"]
  },
  {
    name: "a guard that lets tenants' requests through to ports of this server",
    file: "packages/core/src/egress/EgressPolicy.ts",
    edits: [{ find: "const holder = portHolder?.(port)", replace: "const holder = portHolder?.(-1)" }],
    tests: ["--project", "server", "own-ports"]
  },
  {
    name: "a serving process whose port is not noted",
    file: "packages/executors/src/serving/CommandServers.ts",
    edits: [
      {
        find: 'ServedPorts.isServed(folder, port) ? "program"',
        replace: 'ServedPorts.isServed(folder, -port) ? "program"'
      }
    ],
    tests: ["--project", "server", "own-ports"]
  },
  {
    name: "a verification that says in test mode why nothing came",
    file: "packages/capture/src/source/Verifications.ts",
    edits: [{ find: "!livemode && !tellsNoPort", replace: "livemode && !tellsNoPort" }],
    tests: ["--project", "server", "own-ports"]
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
