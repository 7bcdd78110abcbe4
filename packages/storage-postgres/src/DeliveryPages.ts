/**
 * Lists of an endpoint's deliveries. A page costs what it shows, however long the endpoint's history is and however little of
 * it passes the filter: what is final is found by type and status. Only what still waits is looked through.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Id from "@limbeck/core/ids/Id"
import * as Page from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Delivery, DeliveryStatus } from "@limbeck/webhooks/delivery/Delivery"
import { isSettled } from "@limbeck/webhooks/delivery/DeliveryMachine"
import type { DeliveryFilter, DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Fragment } from "effect/sql/Statement"
import { failAs } from "./PostgresError.ts"
import * as T from "./PostgresTypes.ts"

const decodeDeliveries = Schema.decodeUnknownEffect(Schema.Array(Delivery))

/** An id is made a moment after the time that the delivery says of itself. */
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

/** `columns` are those of a delivery, read from `deliveries d`. */
export const make = (sql: PgClient.PgClient, columns: Fragment): Pick<DeliveryStore["Service"], "page"> => {
  const pageOf = (partition: Partition, filter: DeliveryFilter, request: Page.PageRequest) => {
    const { before, from } = idsOf(request)
    const limit = T.few(sql, request.limit + 1)
    const type = T.textOrNull(filter.eventType)
    const statuses = filter.status === null ? DeliveryStatus.literals : [filter.status]
    const final = statuses.filter(isSettled)
    const open = statuses.filter((status) => !isSettled(status))

    const ofEndpoint = sql`partition = ${partition.key} AND endpoint_id = ${T.text(filter.endpointId)}`
    const wanted = sql`id >= ${T.text(from)} AND id < ${T.text(before)}
      AND created_at > ${T.int(request.createdAfter ?? T.firstInt)}
      AND created_at < ${T.int(request.createdBefore ?? T.lastInt)}`

    const all = sql`
      SELECT ${columns} FROM deliveries d WHERE ${ofEndpoint} AND ${wanted} ORDER BY id DESC LIMIT ${limit}`

    const endpoint = `${filter.endpointId} `
    const group = sql.literal("(endpoint_id || ' ' || event_type || ' ' || status)")
    const nextGroup = (after: Fragment) => sql`
      SELECT ${group} FROM deliveries
      WHERE partition = ${partition.key} AND due_at IS NULL AND ${group} > ${after} AND ${group} < ${T.text(`${endpoint}~`)}
      ORDER BY ${group} LIMIT 1`

    /** Types are few; when none is asked for, those of the endpoint are found by one step in the index each. */
    const groups =
      filter.eventType !== null
        ? sql`unnest(${T.texts(final.map((status) => `${endpoint}${filter.eventType} ${status}`))})`
        : sql`(
          WITH RECURSIVE groups (name) AS (
            SELECT (${nextGroup(sql`${T.text(endpoint)}`)})
            UNION ALL
            SELECT (${nextGroup(sql`groups.name`)}) FROM groups WHERE name IS NOT NULL
          )
          SELECT name FROM groups WHERE substring(name FROM '[^ ]*$') = ANY(${T.texts(final)}))`

    const finalOnes = sql`(
      SELECT ${columns} FROM ${groups} AS of (name) CROSS JOIN LATERAL (
        SELECT * FROM deliveries
        WHERE partition = ${partition.key} AND due_at IS NULL AND ${group} = of.name AND ${wanted}
        ORDER BY id DESC LIMIT ${limit}) d
      ORDER BY id DESC LIMIT ${limit})`

    /** What has failed waits in the lane of retries. */
    const lanes = T.bools(filter.status === "failed" ? [true] : [true, false])
    const openOnes = sql`(
      WITH due AS MATERIALIZED (
        SELECT id FROM deliveries_due WHERE endpoint_id = ${T.text(filter.endpointId)} AND retry = ANY(${lanes})
          AND (id >= ${T.text(from)} AND id < ${T.text(before)}) IS TRUE
      )
      SELECT ${columns} FROM (SELECT id FROM due ORDER BY id DESC OFFSET 0) newest CROSS JOIN LATERAL (
        SELECT * FROM deliveries
        WHERE deliveries.id = newest.id AND (${ofEndpoint} AND status = ANY(${T.texts(open)})) IS TRUE
          AND (${type} IS NULL OR event_type = ${type}) AND ${wanted}
        OFFSET 0) d
      ORDER BY newest.id DESC LIMIT ${limit})`

    if (filter.status === null && filter.eventType === null) return all
    if (open.length === 0) return finalOnes
    if (final.length === 0) return openOnes
    return sql`${finalOnes} UNION ALL ${openOnes} ORDER BY id DESC LIMIT ${limit}`
  }

  return {
    page: Effect.fnUntraced(function* (partition, filter, request) {
      return Page.fromRows(yield* decodeDeliveries(yield* pageOf(partition, filter, request)), request.limit)
    }, failAs("DeliveryStore.page"))
  }
}
