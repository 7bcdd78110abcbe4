/** `GET /v1/whoami` */
import { WhoamiApi } from "@limbeck/api/WhoamiApi"
import * as WhoamiResource from "@limbeck/core/tokens/WhoamiResource"
import { Workspaces } from "@limbeck/core/workspaces/Workspaces"
import * as Effect from "effect/Effect"
import { RequestVersion } from "../../http/internal/RequestVersion.ts"
import { type Handlers, handlersOf } from "../../http/internal/Routes.ts"

export const make: Effect.Effect<Handlers<typeof WhoamiApi>, never, Workspaces> = Effect.map(Workspaces, (workspaces) =>
  handlersOf(WhoamiApi)({
    read: ({ caller }) =>
      Effect.zipWith(workspaces.recent(caller.partition.workspace), RequestVersion, (workspace, version) =>
        WhoamiResource.render(caller, workspace, version)
      )
  })
)
