/** The balance, the ledger and the usage of a workspace (contract 14.28). Internal: not in the OpenAPI document. */
import {
  BalanceResource as Balance,
  LedgerEntryResource as LedgerEntry,
  UsageResource as Usage
} from "@limbeck/billing/ledger/LedgerResource"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { listOf, listQuery, pageQuery } from "../contract/Common.ts"
import { operation, readErrors } from "../contract/Operation.ts"

export { Balance, LedgerEntry, Usage }

const read = { access: "billing:read" } as const

export class BillingApi extends HttpApiGroup.make("billing")
  .add(
    HttpApiEndpoint.get("balance", "/v1/billing/balance", { success: Balance, error: readErrors }).annotateMerge(
      operation("getBalance", "What the workspace can spend", read)
    )
  )
  .add(
    HttpApiEndpoint.get("ledger", "/v1/billing/ledger", {
      query: listQuery,
      success: listOf(LedgerEntry),
      error: readErrors
    }).annotateMerge(operation("listLedgerEntries", "What changed the balance, newest first", read))
  )
  .add(
    HttpApiEndpoint.get("usage", "/v1/billing/usage", {
      query: pageQuery,
      success: listOf(Usage),
      error: readErrors
    }).annotateMerge(operation("listUsage", "What was used, by day and kind, the last day first", read))
  )
  .annotateMerge(OpenApi.annotations({ exclude: true })) {}
