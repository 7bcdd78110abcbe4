/** `/v1/workspace`: the caller's own, and no other. */
import { WorkspaceApi } from "@limbeck/api/WorkspaceApi"
import { PermissionDenied } from "@limbeck/core/errors/Errors"
import * as RoleRules from "@limbeck/core/workspaces/RoleRules"
import * as WorkspaceResource from "@limbeck/core/workspaces/WorkspaceResource"
import { Workspaces } from "@limbeck/core/workspaces/Workspaces"
import * as Effect from "effect/Effect"
import { type Handlers, handlersOf } from "../../http/internal/Routes.ts"

const planRefused = new PermissionDenied({ message: RoleRules.refusalOf("change_plan"), param: "plan" })

export const make: Effect.Effect<Handlers<typeof WorkspaceApi>, never, Workspaces> = Effect.map(
  Workspaces,
  (workspaces) =>
    handlersOf(WorkspaceApi)({
      get: ({ caller: { partition } }) =>
        Effect.map(workspaces.get(partition.workspace), (workspace) => WorkspaceResource.render(partition, workspace)),
      update: ({ caller: { partition }, payload: { name, plan } }) =>
        plan === undefined
          ? Effect.map(workspaces.update(partition.workspace, { name }), (workspace) =>
              WorkspaceResource.render(partition, workspace)
            )
          : Effect.fail(planRefused)
    })
)
