/**
 * Lists and scans of calls, newest first. A page reads only its own rows if its filter has an index; otherwise the query
 * walks the calls of the partition. Pages of a scan are bounded in bytes and in rows.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { CallScan, CallStore, ScannedCall } from "@limbeck/capture/call/CallStore"
import { CallAttempt, CapturedCall, Usage, VerifiedCall } from "@limbeck/capture/call/CapturedCall"
import { CallDecision } from "@limbeck/capture/dialect/decisions/Question"
import { CaptureLimits } from "@limbeck/capture/Limits"
import type { StorageError } from "@limbeck/core/errors/Errors"
import { compileOnUse } from "@limbeck/core/json/CompiledSchema"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Fragment } from "effect/sql/Statement"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import { bytesPerStatement } from "../statements/Batches.ts"
import * as CallQueries from "./CallQueries.ts"
import * as CallTexts from "./CallTexts.ts"

/** Calls per statement of a scan. */
const callsPerScan = 1_000
/** Maximum bytes of a call's bodies that fit into one message of the connection. Only older versions stored larger calls. */
const bytesReadMax = 48 * 1024 ** 2

const {
  attempts: _attempts,
  decisions: _decisions,
  studentMicros: _studentMicros,
  usage: _,
  verifies: _verifies,
  ...fields
} = CapturedCall.fields
const { inputTokens: _input, outputTokens: _output, ...details } = Usage.fields
/** Token details of a call. Null without details and in calls of older versions. */
const UsageDetails = Schema.Struct(details)
const CallRow = Schema.Struct({
  ...fields,
  request: CallTexts.Text,
  response: Schema.NullOr(CallTexts.Text),
  inputTokens: Schema.NullOr(Schema.Int),
  outputTokens: Schema.NullOr(Schema.Int),
  usageDetails: Schema.NullOr(UsageDetails),
  studentMicros: Schema.NullOr(Schema.Int),
  verifies: Schema.NullOr(VerifiedCall),
  attempts: Schema.NullOr(Schema.Array(CallAttempt)),
  decisions: Schema.NullOr(Schema.Array(CallDecision))
})
const decodeCalls = Schema.decodeUnknownEffect(compileOnUse(Schema.Array(CallRow)))
const decodePage = Schema.decodeUnknownEffect(
  compileOnUse(Schema.Array(Schema.Struct({ ...CallRow.fields, fits: Schema.Boolean })))
)

const callOf = ({
  attempts,
  decisions,
  inputTokens,
  outputTokens,
  studentMicros,
  usageDetails,
  verifies,
  ...row
}: typeof CallRow.Type): CapturedCall => ({
  ...row,
  ...(verifies === null ? {} : { verifies }),
  ...(attempts === null ? {} : { attempts }),
  ...(studentMicros === null ? {} : { studentMicros }),
  ...(decisions === null ? {} : { decisions }),
  usage: inputTokens === null || outputTokens === null ? null : { inputTokens, outputTokens, ...usageDetails }
})

const decodeScanned = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      id: fields.id,
      endpoint: fields.endpoint,
      servedBy: fields.servedBy,
      verifies: Schema.NullOr(VerifiedCall),
      request: Schema.String,
      requestIsJson: Schema.Boolean,
      response: Schema.NullOr(Schema.String),
      responseIsJson: Schema.Boolean,
      truncated: Schema.Boolean,
      decisions: Schema.NullOr(Schema.Array(CallDecision))
    })
  )
)

const decodeKinds = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      endpoint: fields.endpoint,
      servedBy: fields.servedBy,
      outcome: fields.outcome,
      deployment: Schema.NullOr(Schema.String),
      verifies: Schema.Boolean,
      calls: Schema.Int
    })
  )
)
/** No partition has as many calls. */
const allMax = 2 ** 52

/** Sizes are told without reading bodies. */
const size = "octet_length(request) + coalesce(octet_length(response), 0)"
const isReadable = `${size} <= ${bytesReadMax}`

/** The bodies of a call; the JSON value null for an unread body. */
const bodies = (isRead: string): string => `
  CASE WHEN ${isRead} THEN request ELSE 'null' END AS request, request_is_json OR NOT (${isRead}) AS "requestIsJson",
  CASE WHEN ${isRead} THEN response END AS response, response_is_json AND (${isRead}) AS "responseIsJson",
  truncated OR NOT (${isRead}) AS truncated`

export const make = (sql: PgClient.PgClient) => {
  const { first, newest, wellSaid } = CallQueries.make(sql)

  const columns = (isRead: string) =>
    sql.literal(`id, endpoint, source, source_name AS "sourceName", model, served_by AS "servedBy", deployment,
      fallback_reason AS "fallbackReason", confidence, tags, external_id AS "externalId", verifies, outcome,
      status_code AS "statusCode", streamed, ${bodies(isRead)}, assembler_version AS "assemblerVersion",
      input_tokens AS "inputTokens", output_tokens AS "outputTokens", usage_details AS "usageDetails", attempts, decisions,
      cost_micros AS "costMicros", student_micros AS "studentMicros", billed,
      latency_millis AS "latencyMillis", first_token_millis AS "firstTokenMillis", created_at AS "createdAt"`)

  /** Each row of `found` with how many bytes lie before it; sizes are read without reading bodies. */
  const sized = (found: Fragment) => sql`(
    SELECT *, sum(size) OVER (ORDER BY id DESC ROWS UNBOUNDED PRECEDING) - size AS before FROM (${found}) found) sized`
  const withSize = sql.literal(`calls.*, ${size} AS size`)

  const scanFrom = Effect.fnUntraced(function* (partition: Partition, scan: CallScan, after: string | null) {
    const also = scan.feedbackMin === null ? [] : [wellSaid(partition, scan.feedbackMin)]
    const rows = yield* sql`
      SELECT id, endpoint, served_by AS "servedBy", verifies, decisions, ${sql.literal(bodies(isReadable))}
      FROM ${sized(newest(withSize, partition, scan, { ...scan, after }, callsPerScan, also))}
      WHERE before < ${T.int(bytesPerStatement)} ORDER BY id DESC`
    const calls = yield* decodeScanned(rows)
    return calls.map(
      ({ decisions, verifies, ...call }): ScannedCall => ({
        ...call,
        ...(decisions === null ? {} : { decisions }),
        ...(verifies === null ? {} : { verifies }),
        request: CallTexts.read(call.request),
        response: call.response === null ? null : CallTexts.read(call.response)
      })
    )
  }, failAs("CallStore.scan"))

  const scan = (partition: Partition, scan: CallScan): Stream.Stream<ScannedCall, StorageError> =>
    Stream.paginate(null as string | null, (after) =>
      Effect.map(scanFrom(partition, scan, after), (calls) => [
        calls,
        Option.map(Option.fromUndefinedOr(calls.at(-1)), ({ id }) => id)
      ])
    )

  const kindsOf: CallStore["Service"]["kindsOf"] = Effect.fnUntraced(function* (partition, scan) {
    const also = scan.feedbackMin === null ? [] : [wellSaid(partition, scan.feedbackMin)]
    const all = newest(
      sql.literal("endpoint, served_by, outcome, deployment, verifies"),
      partition,
      scan,
      { ...scan, after: null },
      allMax,
      also
    )
    const rows = yield* sql`
      SELECT endpoint, served_by AS "servedBy", outcome, coalesce(verifies ->> 'deployment', deployment) AS deployment,
        verifies IS NOT NULL AS verifies, count(*)::float8 AS calls
      FROM (${all}) found GROUP BY 1, 2, 3, 4, 5`
    return yield* decodeKinds(rows)
  }, failAs("CallStore.kindsOf"))

  const fits = `before < ${CaptureLimits.callPageBytesMax}`

  const page: CallStore["Service"]["page"] = Effect.fnUntraced(function* (partition, filter, request) {
    const rows = yield* decodePage(
      yield* sql`
        SELECT ${columns(`${fits} AND ${isReadable}`)}, ${sql.literal(fits)} AS fits
        FROM ${sized(first(withSize, partition, filter, request))} ORDER BY id DESC`
    )
    const items = rows.slice(0, request.limit).flatMap(({ fits, ...row }) => (fits ? [callOf(row)] : []))
    return { items, hasMore: rows.length > items.length }
  }, failAs("CallStore.page"))

  const find: CallStore["Service"]["find"] = Effect.fnUntraced(function* (partition, id) {
    const rows = yield* sql`
      SELECT ${columns(isReadable)} FROM calls
      WHERE partition = ${partition.key} AND id = ${T.text(id)} AND NOT removed`
    return Option.map(Option.fromUndefinedOr((yield* decodeCalls(rows))[0]), callOf)
  }, failAs("CallStore.find"))

  return { page, scan, kindsOf, find }
}
