/** `GET /v1/whoami` */
import { WhoamiApi } from "@limbeck/api/WhoamiApi"
import type { Caller } from "@limbeck/core/tokens/Caller"
import * as RoleRules from "@limbeck/core/workspaces/RoleRules"
import { Workspaces } from "@limbeck/core/workspaces/Workspaces"
import * as Effect from "effect/Effect"
import { RequestVersion } from "../../http/internal/RequestVersion.ts"
import { type Handlers, handlersOf } from "../../http/internal/Routes.ts"

const credentialOf = (caller: Caller) =>
  caller.token === undefined
    ? {
        type: "session" as const,
        id: caller.session.id,
        name: caller.person.name,
        scopes: RoleRules.scopesOf(caller.role),
        role: caller.role
      }
    : { type: "api_token" as const, id: caller.token.id, name: caller.token.name, scopes: caller.token.scopes }

export const make: Effect.Effect<Handlers<typeof WhoamiApi>, never, Workspaces> = Effect.map(Workspaces, (workspaces) =>
  handlersOf(WhoamiApi)({
    read: ({ caller }) =>
      Effect.zipWith(workspaces.recent(caller.partition.workspace), RequestVersion, ({ id, name, plan }, version) => ({
        object: "whoami" as const,
        workspace: { id, name, plan },
        credential: {
          ...credentialOf(caller),
          environment: caller.partition.livemode ? ("live" as const) : ("test" as const)
        },
        livemode: caller.partition.livemode,
        api_version: version
      }))
  })
)
