/**
 * Lists of an endpoint's deliveries. A page costs what it shows, however long the endpoint's history is and however few
 * deliveries pass the filter. There are three ways to the newest deliveries, each along an index:
 *
 *     filter                        query           index
 *     ----------------------------  --------------  --------------------------------------------
 *     none                          `newest`        endpoint, id
 *     only statuses that are final  `newestFinal`   endpoint with type and status, id
 *     only statuses that wait       `newestWaiting` the endpoint's rows of `deliveries_due`, then id
 *     both kinds                    the last two, merged
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Id from "@limbeck/core/ids/Id"
import * as Page from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { DeliveryStatus, lanesOf } from "@limbeck/webhooks/delivery/Delivery"
import { isSettled } from "@limbeck/webhooks/delivery/DeliveryMachine"
import type { DeliveryFilter, DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import type { Fragment, Statement } from "effect/sql/Statement"
import { decodeDeliveries } from "./DeliveryRows.ts"
import { failAs } from "./PostgresError.ts"
import * as T from "./PostgresTypes.ts"

/** An id is made a moment after the creation time that the delivery carries. */
const slackMillis = 60_000

const least = (a: string, b: string) => (a < b ? a : b)

/** The ids that can be on the page: `from` is included, `before` is not. */
const idsOf = ({ after, createdAfter, createdBefore }: Page.PageRequest) => ({
  from: createdAfter === null ? "" : Id.floorAt("del", createdAfter - slackMillis),
  before: least(
    after ?? T.lastText,
    createdBefore === null ? T.lastText : Id.floorAt("del", createdBefore + slackMillis)
  )
})

/** What every query of a page shares. */
interface PageParts {
  readonly partition: Partition
  readonly filter: DeliveryFilter
  readonly columns: Fragment
  readonly ofEndpoint: Fragment
  /** The ids of the page. */
  readonly inRange: Fragment
  /** The ids of the page, and its exact times. */
  readonly wanted: Fragment
  readonly limit: Fragment
}

const partsOf = (
  sql: PgClient.PgClient,
  columns: Fragment,
  partition: Partition,
  filter: DeliveryFilter,
  request: Page.PageRequest
): PageParts => {
  const { before, from } = idsOf(request)
  const { createdAfter, createdBefore } = request
  const inRange = from === "" ? sql`id < ${T.text(before)}` : sql`id >= ${T.text(from)} AND id < ${T.text(before)}`
  const times = [
    createdAfter === null ? undefined : sql`created_at > ${T.int(createdAfter)}`,
    createdBefore === null ? undefined : sql`created_at < ${T.int(createdBefore)}`
  ]
  return {
    partition,
    filter,
    columns,
    ofEndpoint: sql`partition = ${partition.key} AND endpoint_id = ${T.text(filter.endpointId)}`,
    inRange,
    wanted: sql.and([inRange, ...times.filter((time) => time !== undefined)]),
    limit: T.few(sql, request.limit + 1)
  }
}

const newest = (sql: PgClient.PgClient, { columns, limit, ofEndpoint, wanted }: PageParts) => sql`
  SELECT ${columns} FROM deliveries d WHERE ${ofEndpoint} AND ${wanted} ORDER BY id DESC LIMIT ${limit}`

/**
 * The index of final deliveries begins with a group: endpoint, type and status in one text. For one type the groups are
 * known. For all types they are found in the index itself: each step jumps from a group to the next, and types are few.
 */
const groupsOf = (
  sql: PgClient.PgClient,
  parts: PageParts,
  group: Fragment,
  statuses: ReadonlyArray<DeliveryStatus>
) => {
  const { endpointId, eventType } = parts.filter
  const endpoint = `${endpointId} `
  if (eventType !== null) return sql`unnest(${T.texts(statuses.map((status) => `${endpoint}${eventType} ${status}`))})`
  const groupAfter = (previous: Fragment) => sql`
    SELECT ${group} FROM deliveries
    WHERE partition = ${parts.partition.key} AND due_at IS NULL
      AND ${group} > ${previous} AND ${group} < ${T.text(`${endpoint}~`)}
    ORDER BY ${group} LIMIT 1`
  return sql`(
    WITH RECURSIVE groups (name) AS (
      SELECT (${groupAfter(sql`${T.text(endpoint)}`)})
      UNION ALL
      SELECT (${groupAfter(sql`groups.name`)}) FROM groups WHERE name IS NOT NULL
    )
    SELECT name FROM groups WHERE substring(name FROM '[^ ]*$') = ANY(${T.texts(statuses)}))`
}

/** The newest of each group, and of these the newest. */
const newestFinal = (sql: PgClient.PgClient, parts: PageParts, statuses: ReadonlyArray<DeliveryStatus>) => {
  const { columns, limit, partition, wanted } = parts
  const group = sql.literal("(endpoint_id || ' ' || event_type || ' ' || status)")
  return sql`(
    SELECT ${columns} FROM ${groupsOf(sql, parts, group, statuses)} AS of (name) CROSS JOIN LATERAL (
      SELECT * FROM deliveries
      WHERE partition = ${partition.key} AND due_at IS NULL AND ${group} = of.name AND ${wanted}
      ORDER BY id DESC LIMIT ${limit}) d
    ORDER BY id DESC LIMIT ${limit})`
}

/** What waits is looked through, newest first, until the page is full: only this may cost more than the page shows. */
const newestWaiting = (sql: PgClient.PgClient, parts: PageParts, statuses: ReadonlyArray<DeliveryStatus>) => {
  const { columns, filter, inRange, limit, ofEndpoint, wanted } = parts
  const lanes = [...new Set(statuses.flatMap(lanesOf))].map((lane) => lane === "retry")
  const type = T.textOrNull(filter.eventType)
  return sql`(
    WITH due AS MATERIALIZED (
      SELECT id FROM deliveries_due WHERE endpoint_id = ${T.text(filter.endpointId)} AND retry = ANY(${T.bools(lanes)})
        AND (${inRange}) IS TRUE
    )
    SELECT ${columns} FROM (SELECT id FROM due ORDER BY id DESC OFFSET 0) newest CROSS JOIN LATERAL (
      SELECT * FROM deliveries
      WHERE deliveries.id = newest.id AND (${ofEndpoint} AND status = ANY(${T.texts(statuses)})) IS TRUE
        AND (${type} IS NULL OR event_type = ${type}) AND ${wanted}
      OFFSET 0) d
    ORDER BY newest.id DESC LIMIT ${limit})`
}

/** `columns` are those of a delivery, read from `deliveries d`. */
export const make = (sql: PgClient.PgClient, columns: Fragment): Pick<DeliveryStore["Service"], "page"> => {
  const queryOf = (parts: PageParts) => {
    const { eventType, status } = parts.filter
    if (status === null && eventType === null) return newest(sql, parts)
    const statuses = status === null ? DeliveryStatus.literals : [status]
    const final = statuses.filter(isSettled)
    const waiting = statuses.filter((one) => !isSettled(one))
    if (waiting.length === 0) return newestFinal(sql, parts, final)
    if (final.length === 0) return newestWaiting(sql, parts, waiting)
    return sql`${newestFinal(sql, parts, final)} UNION ALL ${newestWaiting(sql, parts, waiting)}
      ORDER BY id DESC LIMIT ${parts.limit}`
  }

  /**
   * A bound is taken to leave a few rows, whatever it is: a plan that was made for any bounds would sort a history rather than walk
   * an index of it. So there are no bounds where none were asked for, and where some were, the plan is made for their values.
   */
  const read = ({ createdAfter, createdBefore }: Page.PageRequest, found: Statement<unknown>) =>
    createdAfter === null && createdBefore === null ? found : found.unprepared

  return {
    page: Effect.fnUntraced(function* (partition, filter, request) {
      const rows = yield* read(request, queryOf(partsOf(sql, columns, partition, filter, request)))
      return Page.fromRows(yield* decodeDeliveries(rows), request.limit)
    }, failAs("DeliveryStore.page"))
  }
}
