/** Routes that no token may use (contract 14.10): core's RoleRules says who does it instead, and where. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { operation, writeErrors } from "./Operation.ts"

const refused = { success: Schema.Struct({}), error: writeErrors }

export class HumanOnlyApi extends HttpApiGroup.make("human_only")
  .add(
    HttpApiEndpoint.post("createWorkspace", "/v1/workspaces", refused).annotateMerge(
      operation("createWorkspace", "Creating a workspace is for people", {
        access: "token",
        humanOnly: "create_workspace"
      })
    )
  )
  .add(
    HttpApiEndpoint.post("topUp", "/v1/billing/top_ups", refused).annotateMerge(
      operation("createTopUp", "Topping a balance up is for people", { access: "token", humanOnly: "top_up" })
    )
  )
  .annotateMerge(OpenApi.annotations({ exclude: true })) {}
