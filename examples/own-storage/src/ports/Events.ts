/** EventStore. One transaction writes at a time, so an event's place in the table is its place in the order of commits. */
import { EventStore } from "@limbeck/core/events/EventStore"
import { EventId } from "@limbeck/core/ids/Id"
import * as Page from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Database } from "../sqlite/Database.ts"
import { creationFilter, newest } from "../sqlite/Pages.ts"
import { ifPresent, type Sql, sql } from "../sqlite/Sql.ts"

const Row = Schema.Struct({
  id: EventId,
  type: Schema.String,
  createdAt: Millis,
  /** The exact text, for signing and sending. */
  body: Schema.String
})
const Placed = Schema.Struct({ place: Schema.Int, ...Row.fields })
const End = Schema.Struct({ last: Schema.NullOr(Schema.Int) })

const columns = sql`id, type, created_at AS createdAt, body`

const of = (partition: Partition): Sql => sql`partition = ${partition.key}`

/** As core's EventPattern: everything, a prefix of whole words, or the type itself. */
const matching = (pattern: string): Sql => {
  if (pattern === "*") return sql`TRUE`
  if (!pattern.endsWith(".*")) return sql`type = ${pattern}`
  const prefix = pattern.slice(0, -1)
  return sql`substr(type, 1, ${prefix.length}) = ${prefix}`
}

export const make = (db: Database): EventStore["Service"] =>
  EventStore.of({
    append: (partition, events) =>
      db.write("EventStore.append", (connection) => {
        for (const { body, createdAt, id, type } of events) {
          connection.run(sql`
            INSERT INTO events (partition, id, type, created_at, body)
            VALUES (${partition.key}, ${id}, ${type}, ${createdAt}, ${body})`)
        }
      }),
    find: (partition, id) =>
      db.read("EventStore.find", (connection) => {
        const found = connection.first(Row, sql`SELECT ${columns} FROM events WHERE ${of(partition)} AND id = ${id}`)
        return Option.fromUndefinedOr(found)
      }),
    page: (partition, pattern, request) =>
      db.read("EventStore.page", (connection) => {
        const wanted = newest(sql`${of(partition)} AND ${ifPresent(pattern, matching)}`, request)
        return Page.fromRows(connection.all(Row, sql`SELECT ${columns} FROM events WHERE ${wanted}`), request.limit)
      }),
    pageForward: (partition, { limit, pattern, position, ...bounds }) =>
      db.read("EventStore.pageForward", (connection) => {
        const after = Number.parseInt(position ?? "0", 10) || 0
        const rows = connection.all(
          Placed,
          sql`
          SELECT place, ${columns} FROM events
          WHERE ${of(partition)} AND place > ${after} AND ${ifPresent(pattern, matching)} AND ${creationFilter(bounds)}
          ORDER BY place LIMIT ${limit + 1}`
        )
        const { hasMore, items } = Page.fromRows(rows, limit)
        // Of the same state: what commits from now on has a higher place. What did not match is passed.
        const end = connection.first(End, sql`SELECT max(place) AS last FROM events WHERE ${of(partition)}`)
        const next = hasMore ? items.at(-1)?.place : end?.last
        return {
          items: items.map(({ place: _, ...event }) => event),
          hasMore,
          next: String(Math.max(after, next ?? 0))
        }
      }),
    prune: (createdBefore, limit) =>
      db.write("EventStore.prune", (connection) =>
        connection.run(sql`
          DELETE FROM events WHERE place IN (
            SELECT place FROM events WHERE created_at < ${createdBefore} ORDER BY created_at, id LIMIT ${limit}
          )`)
      )
  })
