/** `GET /v1/whoami` */
import { WhoamiApi } from "@limbeck/api/WhoamiApi"
import { Workspaces } from "@limbeck/core/workspaces/Workspaces"
import * as Effect from "effect/Effect"
import { RequestVersion } from "../../http/internal/RequestVersion.ts"
import { type Handlers, handlersOf } from "../../http/internal/Routes.ts"

export const make: Effect.Effect<Handlers<typeof WhoamiApi>, never, Workspaces> = Effect.map(Workspaces, (workspaces) =>
  handlersOf(WhoamiApi)({
    read: ({ caller: { partition, token } }) =>
      Effect.zipWith(workspaces.get(partition.workspace), RequestVersion, ({ id, name, plan }, version) => ({
        object: "whoami" as const,
        workspace: { id, name, plan },
        credential: {
          type: "api_token" as const,
          id: token.id,
          name: token.name,
          environment: partition.livemode ? ("live" as const) : ("test" as const),
          scopes: token.scopes
        },
        livemode: partition.livemode,
        api_version: version
      }))
  })
)
