/** Who the caller is (service-api 2.2). */
import { Role } from "@limbeck/core/workspaces/RoleRules"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { about, operation, readErrors } from "../contract/Operation.ts"

export const Whoami = Schema.Struct({
  object: Schema.Literal("whoami"),
  workspace: Schema.Struct({ id: Schema.String, name: Schema.String, plan: Schema.String }),
  credential: Schema.Struct({
    /** `session`: a signed-in person; `name` is theirs, and `environment` follows the request. */
    type: Schema.Literals(["api_token", "session"]),
    id: Schema.String,
    name: Schema.String,
    environment: Schema.Literals(["test", "live"]),
    scopes: Schema.Array(Schema.String),
    /** Of a session. */
    role: Schema.optionalKey(Role)
  }),
  livemode: Schema.Boolean,
  api_version: Schema.String
}).annotate({ identifier: "Whoami" })

export class WhoamiApi extends HttpApiGroup.make("whoami")
  .add(
    HttpApiEndpoint.get("read", "/v1/whoami", { success: Whoami, error: readErrors }).annotateMerge(
      operation("getWhoami", "Verify the credential", { access: "token" })
    )
  )
  .annotateMerge(about("Which workspace, mode and scopes a token stands for.")) {}
