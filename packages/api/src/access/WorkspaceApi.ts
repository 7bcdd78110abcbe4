/** The caller's workspace (contract 4). The routes are internal: the document does not show them (contract 12). */
import { WorkspaceResource as Workspace } from "@limbeck/core/workspaces/WorkspaceResource"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Name } from "../contract/Common.ts"
import { operation, readErrors, writeErrors } from "../contract/Operation.ts"

export { Workspace }

/** `plan` is taken in any shape, and refused to every token before it is looked at (contract 14.10). */
export const WorkspaceUpdate = Schema.Struct({
  name: Schema.optionalKey(Name),
  plan: Schema.optionalKey(Schema.Unknown)
}).annotate({ identifier: "WorkspaceUpdate" })

const path = "/v1/workspace"

export class WorkspaceApi extends HttpApiGroup.make("workspace")
  .add(
    HttpApiEndpoint.get("get", path, { success: Workspace, error: readErrors }).annotateMerge(
      operation("getWorkspace", "The caller's workspace", { access: "workspace:read" })
    )
  )
  .add(
    HttpApiEndpoint.patch("update", path, {
      payload: WorkspaceUpdate,
      success: Workspace,
      error: writeErrors
    }).annotateMerge(
      operation("updateWorkspace", "Change the name; an owner who is signed in, the plan too", {
        access: "workspace:write"
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ exclude: true })) {}
