/**
 * Operations for people, refused to every token (contract 14.10, 15.17): core's RoleRules gives the permitted roles and the
 * alternatives.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Workspace } from "../access/WorkspaceApi.ts"
import { LedgerEntry } from "../billing/BillingApi.ts"
import { asCreated, Name } from "../contract/Common.ts"
import { operation, writeErrors } from "../contract/Operation.ts"

export const WorkspaceCreate = Schema.Struct({
  name: Name,
  /** `self_hosted` by default. */
  plan: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "WorkspaceCreate" })

/** Includes the workspace's two full-access tokens, shown this once. */
export const WorkspaceCreated = Schema.Struct({
  ...Workspace.fields,
  live_token: Schema.String,
  test_token: Schema.String
}).annotate({ identifier: "WorkspaceCreated" })

export const TopUp = Schema.Struct({
  /** US dollars, with at most 6 decimals. */
  amount_usd: Schema.Finite,
  /** The same one again changes nothing. */
  reference: Schema.String
}).annotate({ identifier: "TopUp" })

export class HumanOnlyApi extends HttpApiGroup.make("human_only")
  .add(
    HttpApiEndpoint.post("createWorkspace", "/v1/workspaces", {
      payload: WorkspaceCreate,
      success: asCreated(WorkspaceCreated),
      error: writeErrors
    }).annotateMerge(
      operation("createWorkspace", "Make a workspace, and become its owner", {
        access: "token",
        humanOnly: "create_workspace",
        idempotency: "supported",
        secret: true
      })
    )
  )
  .add(
    HttpApiEndpoint.post("topUp", "/v1/billing/top_ups", {
      payload: TopUp,
      success: asCreated(LedgerEntry),
      error: writeErrors
    }).annotateMerge(
      operation("createTopUp", "Add to the balance", {
        access: "token",
        humanOnly: "top_up",
        idempotency: "supported"
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ exclude: true })) {}
