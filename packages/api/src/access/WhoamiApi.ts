/** Who the caller is (service-api 2.2). */
import { WhoamiResource as Whoami } from "@limbeck/core/tokens/WhoamiResource"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { about, operation, readErrors } from "../contract/Operation.ts"

export { Whoami }

export class WhoamiApi extends HttpApiGroup.make("whoami")
  .add(
    HttpApiEndpoint.get("read", "/v1/whoami", { success: Whoami, error: readErrors }).annotateMerge(
      operation("getWhoami", "Verify the credential", { access: "token" })
    )
  )
  .annotateMerge(about("Which workspace, mode and scopes a token stands for.")) {}
