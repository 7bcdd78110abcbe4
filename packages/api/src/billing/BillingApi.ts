/** The balance, the ledger and the usage of a workspace (contract 14.28). Internal: not in the OpenAPI document. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { listOf, listQuery, pageQuery, Timestamp } from "../contract/Common.ts"
import { operation, readErrors } from "../contract/Operation.ts"

/** US dollars, with at most 6 decimals. */
const Usd = Schema.Finite

export const Balance = Schema.Struct({
  object: Schema.Literal("balance"),
  /** What can be spent: what is held for runs and calls under way is not in it. */
  balance_usd: Usd,
  /** Whether live runs and managed calls need it. */
  enforced: Schema.Boolean
}).annotate({ identifier: "Balance" })

export const LedgerEntry = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("ledger_entry"),
  /** What it does to the balance: the amounts of all entries sum to it. */
  amount_usd: Usd,
  kind: Schema.String,
  reference: Schema.String,
  created_at: Timestamp
}).annotate({ identifier: "LedgerEntry" })

export const Usage = Schema.Struct({
  object: Schema.Literal("usage"),
  /** A day in UTC: `2026-11-22`. */
  date: Schema.String,
  kind: Schema.String,
  /** Calls, charged (`managed_calls`) and all (`captured_calls`); of training, seconds of the machine; of judging, tokens. */
  quantity: Schema.Finite,
  cost_usd: Usd
}).annotate({ identifier: "Usage" })

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
