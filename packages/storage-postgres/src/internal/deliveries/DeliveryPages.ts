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
import * as Page from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { DeliveryStatus, lanesOf } from "@limbeck/webhooks/delivery/Delivery"
import { isSettled } from "@limbeck/webhooks/delivery/DeliveryMachine"
import type { DeliveryFilter, DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import type { Fragment } from "effect/sql/Statement"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import * as PageConditions from "../statements/PageConditions.ts"
import { decodeDeliveries } from "./DeliveryRows.ts"

/** An id is made a moment after the creation time that the delivery carries. */
const slackMillis = 60_000

/** The parts that all page queries share. Values that mislead the planner are hidden, so that plans stay cached. */
interface PageParts {
  readonly partition: Fragment
  readonly filter: DeliveryFilter
  readonly columns: Fragment
  /** The first id of the page, inclusive, and the end of the page, exclusive. */
  readonly from: string
  readonly before: string
  /** The conditions of its times, after others. */
  readonly inTime: Fragment
  readonly limit: Fragment
}

const partsOf = (
  sql: PgClient.PgClient,
  columns: Fragment,
  partition: Partition,
  filter: DeliveryFilter,
  request: Page.PageRequest
): PageParts => {
  const { before, from } = PageConditions.idsOf("del", slackMillis, request)
  return {
    partition: T.hideFromPlanner(sql, T.text(partition.key)),
    filter,
    columns,
    from,
    before,
    inTime: sql`AND ${sql.and([sql`true`, ...PageConditions.inTime(sql, request)])}`,
    limit: T.few(sql, request.limit + 1)
  }
}

/**
 * A range of rows in the order of the whole index, which no other index has. If nearly all rows belong to one endpoint, the
 * planner would otherwise walk ids and skip nearly everything to find another endpoint's few rows.
 */
const newest = (sql: PgClient.PgClient, { before, columns, filter, from, inTime, limit, partition }: PageParts) => {
  const endpointId = T.text(filter.endpointId)
  return sql`
    SELECT ${columns} FROM deliveries d
    WHERE (partition, endpoint_id, id) < (${partition}, ${endpointId}, ${T.text(before)})
      AND (partition, endpoint_id, id) >= (${partition}, ${endpointId}, ${T.text(from)}) ${inTime}
    ORDER BY partition DESC, endpoint_id DESC, id DESC LIMIT ${limit}`
}

/**
 * The index of final deliveries begins with a group: endpoint, type and status in one text. For one type the groups are
 * known. For all types they are found in the index itself: each step jumps from a group to the next, and types are few.
 */
const groupsOf = (
  sql: PgClient.PgClient,
  { filter, partition }: PageParts,
  group: Fragment,
  statuses: ReadonlyArray<DeliveryStatus>
) => {
  const { endpointId, eventType } = filter
  const hidden = (values: ReadonlyArray<string>) => T.hideFromPlanner(sql, T.texts(values))
  const endpoint = `${endpointId} `
  if (eventType !== null) return sql`unnest(${hidden(statuses.map((status) => `${endpoint}${eventType} ${status}`))})`
  const groupAfter = (previous: Fragment) => sql`
    SELECT ${group} FROM deliveries
    WHERE partition = ${partition} AND due_at IS NULL
      AND ${group} > ${previous} AND ${group} < ${T.hideFromPlanner(sql, T.text(`${endpoint}~`))}
    ORDER BY ${group} LIMIT 1`
  return sql`(
    WITH RECURSIVE groups (name) AS (
      SELECT (${groupAfter(sql`${T.text(endpoint)}`)})
      UNION ALL
      SELECT (${groupAfter(sql`groups.name`)}) FROM groups WHERE name IS NOT NULL
    )
    SELECT name FROM groups WHERE substring(name FROM '[^ ]*$') = ANY(${hidden(statuses)}::text[]))`
}

/**
 * The newest deliveries of each group, then the newest of those. Given two bounds of the id, or a bound that excludes
 * nothing, the planner would expect few rows and sort them.
 */
const newestFinal = (sql: PgClient.PgClient, parts: PageParts, statuses: ReadonlyArray<DeliveryStatus>) => {
  const { before, columns, from, inTime, limit, partition } = parts
  const group = sql.literal("(endpoint_id || ' ' || event_type || ' ' || status)")
  const isBefore = before === T.lastText ? sql`` : sql`AND id < ${T.hideFromPlanner(sql, T.text(before))}`
  const isFrom = from === "" ? sql`` : sql`AND (${group}, id) >= (of.name, ${T.text(from)})`
  return sql`(
    SELECT ${columns} FROM ${groupsOf(sql, parts, group, statuses)} AS of (name) CROSS JOIN LATERAL (
      SELECT * FROM deliveries
      WHERE partition = ${partition} AND due_at IS NULL AND ${group} = of.name ${isBefore} ${isFrom} ${inTime}
      ORDER BY id DESC LIMIT ${limit}) d
    ORDER BY id DESC LIMIT ${limit})`
}

/** Searches waiting deliveries, newest first, until the page is full: the only query that may read more than its page. */
const newestWaiting = (sql: PgClient.PgClient, parts: PageParts, statuses: ReadonlyArray<DeliveryStatus>) => {
  const { before, columns, filter, from, inTime, limit, partition } = parts
  const lanes = [...new Set(statuses.flatMap(lanesOf))].map((lane) => lane === "retry")
  const ofType =
    filter.eventType === null ? sql`` : sql`AND event_type = ${T.hideFromPlanner(sql, T.text(filter.eventType))}`
  const endpointId = T.hideFromPlanner(sql, T.text(filter.endpointId))
  return sql`(
    WITH due AS MATERIALIZED (
      SELECT id FROM deliveries_due WHERE endpoint_id = ${endpointId} AND retry = ANY(${T.hideFromPlanner(sql, T.bools(lanes))}::boolean[])
        AND (id >= ${T.text(from)} AND id < ${T.text(before)}) IS TRUE
    )
    SELECT ${columns} FROM (SELECT id FROM due ORDER BY id DESC OFFSET 0) newest CROSS JOIN LATERAL (
      SELECT * FROM deliveries
      WHERE deliveries.id = newest.id AND (partition = ${partition} AND endpoint_id = ${endpointId}
        AND status = ANY(${T.hideFromPlanner(sql, T.texts(statuses))}::text[])) IS TRUE ${ofType} ${inTime}
      OFFSET 0) d
    ORDER BY newest.id DESC LIMIT ${limit})`
}

/** `columns` are the columns of a delivery, read from `deliveries d`. */
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
  return {
    page: Effect.fnUntraced(function* (partition, filter, request) {
      const rows = yield* queryOf(partsOf(sql, columns, partition, filter, request))
      return Page.fromRows(yield* decodeDeliveries(rows), request.limit)
    }, failAs("DeliveryStore.page"))
  }
}
