/** `/v1/workspace`: the caller's own, and no other. */
import { WorkspaceApi, type WorkspaceUpdate } from "@limbeck/api/WorkspaceApi"
import { invalid, PermissionDenied } from "@limbeck/core/errors/Errors"
import type { Caller } from "@limbeck/core/tokens/Caller"
import { HostWorkspaces } from "@limbeck/core/workspaces/HostWorkspaces"
import * as RoleRules from "@limbeck/core/workspaces/RoleRules"
import * as WorkspaceResource from "@limbeck/core/workspaces/WorkspaceResource"
import { Workspaces } from "@limbeck/core/workspaces/Workspaces"
import * as Effect from "effect/Effect"
import { type Handlers, handlersOf } from "../../http/internal/Routes.ts"

const planRefused = new PermissionDenied({ message: RoleRules.refusalOf("change_plan"), param: "plan" })

export const make: Effect.Effect<Handlers<typeof WorkspaceApi>, never, Workspaces | HostWorkspaces> = Effect.gen(
  function* () {
    const workspaces = yield* Workspaces
    const host = yield* HostWorkspaces

    const update = (caller: Caller, { name, plan }: typeof WorkspaceUpdate.Type) => {
      const { workspace } = caller.partition
      if (plan === undefined || plan === null) return workspaces.update(workspace, { name })
      if (caller.token !== undefined) return Effect.fail(planRefused)
      if (typeof plan !== "string") return Effect.fail(invalid("plan", "A plan is a word"))
      return host.update(caller.role, workspace, { name, plan })
    }

    return handlersOf(WorkspaceApi)({
      get: ({ caller: { partition } }) =>
        Effect.map(workspaces.get(partition.workspace), (workspace) => WorkspaceResource.render(partition, workspace)),
      update: ({ caller, payload }) =>
        Effect.map(update(caller, payload), (workspace) => WorkspaceResource.render(caller.partition, workspace))
    })
  }
)
