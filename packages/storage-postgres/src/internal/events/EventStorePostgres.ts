/**
 * EventStore on Postgres. Transactions commit in another order than they began, so a forward walk goes by the id of the
 * appending transaction and sees only rows below the oldest transaction that is still open: none can come in behind it.
 */
import { EventStore } from "@limbeck/core/events/EventStore"
import * as Id from "@limbeck/core/ids/Id"
import { compileOnUse } from "@limbeck/core/json/CompiledSchema"
import * as Page from "@limbeck/core/pages/Page"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Fragment } from "effect/sql/Statement"
import type { BoundedClient } from "../connection/BoundedClient.ts"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import { hold, lookUp } from "../connection/Writes.ts"
import { oldRows, slackMillis } from "../statements/Pruning.ts"
import * as EventPages from "./EventPages.ts"

const Event = Schema.Struct({ id: Id.EventId, type: Schema.String, createdAt: Millis, body: Schema.String })
const decodeCount = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Int })]))
const decodeEvents = Schema.decodeUnknownEffect(compileOnUse(Schema.Array(Event)))

/** One row per event, or a single row that tells the horizon alone. */
const ForwardRow = Schema.Union([
  Schema.Struct({ horizon: Schema.String, xid: Schema.String, ...Event.fields }),
  Schema.Struct({ horizon: Schema.String, xid: Schema.Null })
])
const decodeForwardRows = Schema.decodeUnknownEffect(compileOnUse(Schema.NonEmptyArray(ForwardRow)))

/** The range of types that match a pattern: all types, a prefix, or one type. */
const typesOf = (pattern: string | null): readonly [first: string, last: string] => {
  if (pattern === null || pattern === "*") return ["", T.lastText]
  return pattern.endsWith(".*") ? [pattern.slice(0, -1), pattern.slice(0, -1) + T.lastText] : [pattern, pattern]
}

/** All types need no condition. */
const ofTypes = (sql: BoundedClient, pattern: string | null): ReadonlyArray<Fragment> => {
  if (pattern === null || pattern === "*") return []
  const [first, last] = typesOf(pattern)
  return [sql`type BETWEEN ${T.text(first)} AND ${T.text(last)}`]
}

/** A position is `<transaction id>.<event id>`: everything up to that event has been seen. */
const parsePosition = (position: string | null): readonly [xid: string, id: string] => {
  const [, xid, id] = /^(\d{1,19})\.(.*)$/s.exec(position ?? "") ?? []
  return [xid ?? "0", id ?? ""]
}

export const make = (sql: BoundedClient): EventStore["Service"] =>
  EventStore.of({
    append: Effect.fnUntraced(function* (partition, events) {
      if (events.length === 0) return
      yield* hold(
        sql,
        "EventStore.append"
      )(sql`
        INSERT INTO events (partition, id, type, created_at, body)
        SELECT ${partition.key}, * FROM unnest(
          ${T.texts(events.map(({ id }) => id))},
          ${T.texts(events.map(({ type }) => type))},
          ${T.ints(events.map(({ createdAt }) => createdAt))},
          ${T.texts(events.map(({ body }) => body))})`)
    }, failAs("EventStore.append")),

    find: Effect.fnUntraced(function* (partition, id) {
      const rows = yield* lookUp(sql)(sql`
        SELECT id, type, created_at AS "createdAt", body FROM events
        WHERE partition = ${partition.key} AND id = ${T.text(id)}`)
      return Option.fromUndefinedOr((yield* decodeEvents(rows))[0])
    }, failAs("EventStore.find")),

    ...EventPages.make(sql, (pattern) => ofTypes(sql, pattern)),

    pageForward: Effect.fnUntraced(function* (partition, options) {
      const [xid, id] = parsePosition(options.position)
      const [first, last] = typesOf(options.pattern)
      const rows = yield* sql`
        SELECT seen.horizon::text, found.xid::text, found.id, found.type, found.created_at AS "createdAt", found.body
        FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS horizon) seen
        LEFT JOIN LATERAL (
          SELECT events.xid, events.id, type, created_at, body FROM events
          WHERE partition = ${partition.key}
            AND (events.xid, events.id) > (${xid}::xid8, ${T.text(id)}) AND events.xid < seen.horizon
            AND type BETWEEN ${T.text(first)} AND ${T.text(last)}
            AND created_at > ${T.int(options.createdAfter ?? T.firstInt)}
            AND created_at < ${T.int(options.createdBefore ?? T.lastInt)}
          ORDER BY events.xid, events.id LIMIT ${T.int(options.limit + 1)}
        ) found ON true
        ORDER BY found.xid, found.id`
      const decoded = yield* decodeForwardRows(rows)
      const { hasMore, items } = Page.fromRows(
        decoded.filter((row) => row.xid !== null),
        options.limit
      )
      const end = items.at(-1)
      return {
        items: items.map(({ body, createdAt, id, type }) => ({ id, type, createdAt, body })),
        hasMore,
        // Without more, everything below the horizon has been looked at, also what the filters passed over.
        next: hasMore && end !== undefined ? `${end.xid}.${end.id}` : `${decoded[0].horizon}.`
      }
    }, failAs("EventStore.pageForward")),

    prune: Effect.fnUntraced(function* (createdBefore, limit) {
      const firstId = Id.floorAt("evt", createdBefore + slackMillis)
      const [{ count }] = yield* decodeCount(
        yield* sql`
          WITH gone AS (
            DELETE FROM events
            WHERE ctid = ANY(ARRAY(${oldRows(sql, "events", { createdBefore, firstId, limit })})) RETURNING 1)
          SELECT count(*) FROM gone`
      )
      return count
    }, failAs("EventStore.prune"))
  })
