/**
 * Lists and scans of calls, newest first. A page costs what it shows where what it filters by has an index; otherwise it walks
 * the calls of the partition. A scan's pages are bounded in bytes as well as in rows.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { CallFilter, CallScan, CallStore, ScannedCall } from "@limbeck/capture/call/CallStore"
import { CapturedCall, ServedBy } from "@limbeck/capture/call/CapturedCall"
import { CaptureLimits } from "@limbeck/capture/Limits"
import type { StorageError } from "@limbeck/core/errors/Errors"
import * as Id from "@limbeck/core/ids/Id"
import type * as Page from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Fragment } from "effect/sql/Statement"
import { bytesPerStatement } from "./Batches.ts"
import * as CallTexts from "./CallTexts.ts"
import { failAs } from "./PostgresError.ts"
import * as T from "./PostgresTypes.ts"
import { slackMillis } from "./Pruning.ts"

/** Calls that one statement of a scan brings. */
const callsPerScan = 1_000
/** Bytes of a call's bodies that fit into a message of the connection. More was stored by older versions only. */
const bytesReadMax = 48 * 1024 ** 2

const { usage: _, ...fields } = CapturedCall.fields
const CallRow = Schema.Struct({
  ...fields,
  request: CallTexts.Text,
  response: Schema.NullOr(CallTexts.Text),
  inputTokens: Schema.NullOr(Schema.Int),
  outputTokens: Schema.NullOr(Schema.Int)
})
const decodeCalls = Schema.decodeUnknownEffect(Schema.Array(CallRow))
const decodePage = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ ...CallRow.fields, fits: Schema.Boolean })))

const callOf = ({ inputTokens, outputTokens, ...row }: typeof CallRow.Type): CapturedCall => ({
  ...row,
  usage: inputTokens === null || outputTokens === null ? null : { inputTokens, outputTokens }
})

const decodeScanned = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      id: fields.id,
      request: Schema.String,
      requestIsJson: Schema.Boolean,
      response: Schema.NullOr(Schema.String),
      responseIsJson: Schema.Boolean,
      truncated: Schema.Boolean
    })
  )
)

type Bounds = Omit<Page.PageRequest, "limit">

const least = (a: string, b: string) => (a < b ? a : b)

/** The ids that can be in a list: `from` is included, `before` is not. */
const idsOf = ({ after, createdAfter, createdBefore }: Bounds) => ({
  from: createdAfter === null ? "" : Id.floorAt("call", createdAfter - slackMillis),
  before: least(
    after ?? T.lastText,
    createdBefore === null ? T.lastText : Id.floorAt("call", createdBefore + slackMillis)
  )
})

/** Sizes are told without reading bodies. */
const size = "octet_length(request) + coalesce(octet_length(response), 0)"
const isReadable = `${size} <= ${bytesReadMax}`

/** The bodies of a call; where it is not read, the JSON value null in their place. */
const bodies = (isRead: string): string => `
  CASE WHEN ${isRead} THEN request ELSE 'null' END AS request, request_is_json OR NOT (${isRead}) AS "requestIsJson",
  CASE WHEN ${isRead} THEN response END AS response, response_is_json AND (${isRead}) AS "responseIsJson",
  truncated OR NOT (${isRead}) AS truncated`

export const make = (sql: PgClient.PgClient) => {
  const columns = (isRead: string) =>
    sql.literal(`id, endpoint, source, source_name AS "sourceName", model, served_by AS "servedBy", deployment,
      fallback_reason AS "fallbackReason", confidence, tags, external_id AS "externalId", outcome,
      status_code AS "statusCode", streamed, ${bodies(isRead)}, assembler_version AS "assemblerVersion",
      input_tokens AS "inputTokens", output_tokens AS "outputTokens", cost_micros AS "costMicros", billed,
      latency_millis AS "latencyMillis", first_token_millis AS "firstTokenMillis", created_at AS "createdAt"`)

  /**
   * Of several by what it is not, which no index has: in that of `served_by` the calls of each are by themselves, so that
   * all would be read and sorted for each page.
   */
  const servedByOneOf = (several: ReadonlyArray<ServedBy>) => {
    const [only] = several
    if (only === undefined) return undefined
    return several.length === 1
      ? sql`served_by = ${T.text(only)}`
      : sql`served_by <> ALL(${T.texts(ServedBy.literals.filter((other) => !several.includes(other)))})`
  }

  /** What is filtered by is in the statement, and nothing else is, so that it is planned with the index for it. */
  const wanted = (partition: Partition, filter: CallFilter, bounds: Bounds) => {
    const { before, from } = idsOf(bounds)
    const [, ...otherTags] = filter.tags ?? []
    const clauses = [
      sql`partition = ${partition.key} AND id >= ${T.text(from)} AND id < ${T.text(before)} AND NOT removed`,
      bounds.createdAfter === null ? undefined : sql`created_at > ${T.int(bounds.createdAfter)}`,
      bounds.createdBefore === null ? undefined : sql`created_at < ${T.int(bounds.createdBefore)}`,
      filter.source === undefined ? undefined : sql`source = ${T.text(filter.source)}`,
      filter.model === undefined ? undefined : sql`model = ${T.text(filter.model)}`,
      filter.externalId === undefined ? undefined : sql`external_id = ${T.text(filter.externalId)}`,
      filter.deployment === undefined ? undefined : sql`deployment = ${T.text(filter.deployment)}`,
      filter.endpoint === undefined ? undefined : sql`endpoint = ${T.text(filter.endpoint)}`,
      servedByOneOf(filter.servedBy ?? []),
      // The index of outcomes leaves out the common one, which the planner has to be told.
      filter.outcome === undefined ? undefined : sql`outcome = ${T.text(filter.outcome)}`,
      filter.outcome === undefined || filter.outcome === "succeeded" ? undefined : sql`outcome <> 'succeeded'`,
      otherTags.length === 0 ? undefined : sql`tags @> ${T.texts(otherTags)}`
    ]
    return { clauses: clauses.filter((clause) => clause !== undefined), before, from }
  }

  /** The newest of the wanted, up to `limit`. Calls with a tag are found one by one by their id. */
  const newest = (
    selected: Fragment,
    partition: Partition,
    filter: CallFilter,
    bounds: Bounds,
    limit: number,
    also: ReadonlyArray<Fragment> = []
  ) => {
    const { before, clauses, from } = wanted(partition, filter, bounds)
    const [tag] = filter.tags ?? []
    const where = sql.and([...clauses, ...also])
    if (tag === undefined) {
      return sql`SELECT ${selected} FROM calls WHERE ${where} ORDER BY id DESC LIMIT ${T.int(limit)}`
    }
    return sql`
      SELECT ${selected} FROM (
        SELECT id AS tagged FROM call_tags
        WHERE partition = ${partition.key} AND tag = ${T.text(tag)} AND id >= ${T.text(from)} AND id < ${T.text(before)}
        ORDER BY id DESC OFFSET 0) of
      CROSS JOIN LATERAL (SELECT * FROM calls WHERE ${where} AND id = tagged OFFSET 0) calls
      ORDER BY tagged DESC LIMIT ${T.int(limit)}`
  }

  const wellSaid = (partition: Partition, min: number) => sql`(
    EXISTS (SELECT FROM call_feedback f
      WHERE f.partition = ${partition.key} AND f.call = calls.id AND f.value >= ${T.float(min)})
    OR EXISTS (SELECT FROM call_feedback f
      WHERE f.partition = ${partition.key} AND f.external_id = calls.external_id AND f.value >= ${T.float(min)}))`

  /** Each row of `found` with how many bytes lie before it; sizes are read without reading bodies. */
  const sized = (found: Fragment) => sql`(
    SELECT *, sum(size) OVER (ORDER BY id DESC ROWS UNBOUNDED PRECEDING) - size AS before FROM (${found}) found) sized`
  const withSize = sql.literal(`calls.*, ${size} AS size`)

  const scanFrom = Effect.fnUntraced(function* (partition: Partition, scan: CallScan, after: string | null) {
    const also = scan.feedbackMin === null ? [] : [wellSaid(partition, scan.feedbackMin)]
    const rows = yield* sql`
      SELECT id, ${sql.literal(bodies(isReadable))}
      FROM ${sized(newest(withSize, partition, scan, { ...scan, after }, callsPerScan, also))}
      WHERE before < ${T.int(bytesPerStatement)} ORDER BY id DESC`
    const calls = yield* decodeScanned(rows)
    return calls.map(
      (call): ScannedCall => ({
        ...call,
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

  const fits = `before < ${CaptureLimits.callPageBytesMax}`

  const page: CallStore["Service"]["page"] = Effect.fnUntraced(function* (partition, filter, request) {
    const rows = yield* decodePage(
      yield* sql`
        SELECT ${columns(`${fits} AND ${isReadable}`)}, ${sql.literal(fits)} AS fits
        FROM ${sized(newest(withSize, partition, filter, request, request.limit + 1))} ORDER BY id DESC`
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

  return { page, scan, find }
}
