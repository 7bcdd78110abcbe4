/**
 * CallStore on Postgres. Calls are written by the hundred in one statement, column by column; statements are bounded in bytes
 * as well, because bodies may be large.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { CallStore, type InPartition, RecordRefused, refusedField } from "@limbeck/capture/call/CallStore"
import type { CapturedCall } from "@limbeck/capture/call/CapturedCall"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Fragment } from "effect/sql/Statement"
import { failAs, isDuplicate } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import { batchesOf } from "../statements/Batches.ts"
import * as CallFeedback from "./CallFeedback.ts"
import * as CallFigures from "./CallFigures.ts"
import * as CallPages from "./CallPages.ts"
import { separateRefusals } from "./CallRefusals.ts"
import * as CallRemovals from "./CallRemovals.ts"
import * as CallShadows from "./CallShadows.ts"
import * as CallTallies from "./CallTallies.ts"
import * as CallTexts from "./CallTexts.ts"

/** Calls per statement: beyond this, the work outweighs the round trip. */
const callsPerStatement = 500

const sizeOf = ({ value }: InPartition<CapturedCall>): number => value.request.length + (value.response?.length ?? 0)

/** As `insert` writes them. */
const columnNames = `partition, id, created_at, endpoint, source, source_name, model, served_by, deployment,
  fallback_reason, confidence, tags, external_id, outcome, status_code, streamed, request, request_is_json,
  response, response_is_json, truncated, assembler_version, input_tokens, output_tokens, usage_details, attempts, decisions,
  cost_micros, student_micros, billed, latency_millis, first_token_millis, verifies`

const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String })))

/** Of the rows that a statement returns. */
const idsOf = <E, R>(rows: Effect.Effect<ReadonlyArray<unknown>, E, R>) =>
  Effect.map(Effect.flatMap(rows, decodeIds), (decoded): ReadonlySet<string> => new Set(decoded.map(({ id }) => id)))

const nobody: ReadonlySet<string> = new Set()

/** An array of texts in Postgres's text form. */
const arrayText = (items: ReadonlyArray<string>): string =>
  items.length === 0
    ? "{}"
    : `{${items.map((item) => `"${item.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`).join(",")}}`

/** JSON text of the token details; null without details. */
const usageDetails = ({ usage }: CapturedCall): string | null => {
  if (usage === null) return null
  const { inputTokens: _, outputTokens: __, ...details } = usage
  return Object.keys(details).length === 0 ? null : JSON.stringify(details)
}

/** The order in which all servers insert calls, so that no two that append the same ones wait for each other in a circle. */
const byId = (a: InPartition<CapturedCall>, b: InPartition<CapturedCall>): number => {
  if (a.value.id !== b.value.id) return a.value.id < b.value.id ? -1 : 1
  return a.partition.key < b.partition.key ? -1 : 1
}

const jsonOrNull = (value: CapturedCall["attempts" | "decisions" | "verifies"]): string | null =>
  value === undefined ? null : JSON.stringify(value)

export const make = (sql: PgClient.PgClient): CallStore["Service"] => {
  const columns = sql.literal(columnNames)
  /** Lists of lists cannot be unnested, so tags are texts there. */
  const unnested = sql.literal(
    columnNames
      .replace("tags", "tags::text[]")
      .replace(", verifies", ", verifies::jsonb")
      .replace("usage_details, attempts, decisions", "usage_details::jsonb, attempts::jsonb, decisions::json")
  )
  const countedColumns = sql.literal(CallTallies.countedColumns)
  const tallies = sql.literal(CallTallies.additionSql("added", "counted"))
  /**
   * Only a kill leads to a second append of stored calls. Checking each call first takes a sixth of Postgres's time for an
   * insert, so the check runs only after a plain insert has failed.
   */
  const skippingStored = sql.literal("ON CONFLICT DO NOTHING")
  const expectingNew = sql.literal("")

  const insert = (calls: ReadonlyArray<InPartition<CapturedCall>>, conflicts: Fragment) => {
    const texts = (of: (call: CapturedCall) => string | null) => T.textsOrNull(calls.map(({ value }) => of(value)))
    const ints = (of: (call: CapturedCall) => number | null) => T.ints(calls.map(({ value }) => of(value)))
    const bools = (of: (call: CapturedCall) => boolean) => T.bools(calls.map(({ value }) => of(value)))
    return sql`
      WITH added AS (
        INSERT INTO calls (${columns})
        SELECT ${unnested}
        FROM unnest(
          ${T.texts(calls.map(({ partition }) => partition.key))}, ${texts((call) => call.id)},
          ${ints((call) => call.createdAt)}, ${texts((call) => call.endpoint)}, ${texts((call) => call.source)},
          ${texts((call) => call.sourceName)}, ${texts((call) => call.model)}, ${texts((call) => call.servedBy)},
          ${texts((call) => call.deployment)}, ${texts((call) => call.fallbackReason)},
          ${T.floats(calls.map(({ value }) => value.confidence))}, ${texts((call) => arrayText(call.tags))},
          ${texts((call) => call.externalId)}, ${texts((call) => call.outcome)}, ${ints((call) => call.statusCode)},
          ${bools((call) => call.streamed)}, ${CallTexts.texts(calls.map(({ value }) => value.request))},
          ${bools((call) => call.requestIsJson)}, ${CallTexts.texts(calls.map(({ value }) => value.response))},
          ${bools((call) => call.responseIsJson)}, ${bools((call) => call.truncated)},
          ${ints((call) => call.assemblerVersion)},
          ${ints((call) => call.usage?.inputTokens ?? null)}, ${ints((call) => call.usage?.outputTokens ?? null)},
          ${texts((call) => usageDetails(call))},
          ${texts(({ attempts }) => jsonOrNull(attempts))}, ${texts(({ decisions }) => jsonOrNull(decisions))},
          ${ints((call) => call.costMicros)}, ${ints((call) => call.studentMicros ?? null)}, ${bools((call) => call.billed)}, ${ints((call) => call.latencyMillis)},
          ${ints((call) => call.firstTokenMillis)},
          ${texts(({ verifies }) => jsonOrNull(verifies))}
        ) AS c (${columns})
        ${conflicts}
        RETURNING id, tags, ${countedColumns}
      ), tagged AS (
        INSERT INTO call_tags (partition, tag, id)
        SELECT partition, tag, id FROM added, unnest(tags) AS tag
        ON CONFLICT DO NOTHING
      ), counted AS (
        INSERT INTO ledger_usage AS stored (partition, date, kind, quantity, micros)
        SELECT partition, to_char(to_timestamp(day * 86400) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS date,
          'captured_calls', count(*), 0
        FROM (SELECT partition, created_at / 86400000 AS day FROM added) AS days GROUP BY partition, day
        -- In one order for all servers, so that no two wait for each other in a circle.
        ORDER BY partition, date
        ON CONFLICT (partition, date, kind) DO UPDATE SET quantity = stored.quantity + excluded.quantity
        RETURNING 1
      ), ${tallies}
      SELECT id FROM added`
  }

  const insertUnlessStored = (calls: ReadonlyArray<InPartition<CapturedCall>>) => insert(calls, skippingStored)

  /** Outside of any transaction: the first statement may fail. */
  const insertNew = (calls: ReadonlyArray<InPartition<CapturedCall>>) =>
    Effect.catchIf(insert(calls, expectingNew), isDuplicate, () => insertUnlessStored(calls))

  const inTransaction = Effect.map(Effect.serviceOption(sql.transactionService), Option.isSome)

  const append = Effect.fnUntraced(
    function* (calls: ReadonlyArray<InPartition<CapturedCall>>) {
      const [first, ...others] = batchesOf(calls.toSorted(byId), sizeOf, callsPerStatement)
      if (first === undefined) return nobody
      const refused = calls.map(({ value }) => refusedField(value)).find((field) => field !== null)
      if (refused !== undefined) return yield* new RecordRefused({ reason: `${refused} is too long` })
      if (others.length === 0)
        return yield* idsOf((yield* inTransaction) ? insertUnlessStored(first) : insertNew(first))
      const all = Effect.forEach([first, ...others], insertUnlessStored)
      return yield* idsOf(Effect.map(sql.withTransaction(all), (rows) => rows.flat()))
    },
    separateRefusals,
    failAs("CallStore.append")
  )

  const pages = CallPages.make(sql)
  return CallStore.of({
    append,
    find: pages.find,
    page: pages.page,
    scan: pages.scan,
    kindsOf: pages.kindsOf,
    ...CallFigures.make(sql),
    ...CallTallies.make(sql),
    ...CallShadows.make(sql),
    ...CallRemovals.make(sql),
    ...CallFeedback.make(sql)
  })
}
