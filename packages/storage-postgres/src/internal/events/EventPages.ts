/**
 * Lists of events, newest first. An event is immutable, and a repeated list mostly returns the same events: the texts of
 * the last page of a list are cached, and Postgres neither unpacks nor sends them again.
 *
 *     asked before        asked now                  sent by Postgres
 *     –                   e5 e4 e3 e2                e5 e4 e3 e2, whole
 *     e5 e4 e3 e2         e6 e5 e4 e3                e6 whole; e5, e4 and e3 without their text
 */
import { BoundedCache } from "@limbeck/core/cache/BoundedCache"
import type { StoredEvent } from "@limbeck/core/events/Event"
import type { EventStore } from "@limbeck/core/events/EventStore"
import * as Id from "@limbeck/core/ids/Id"
import { compileOnUse } from "@limbeck/core/json/CompiledSchema"
import * as Page from "@limbeck/core/pages/Page"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Fragment } from "effect/sql/Statement"
import type { BoundedClient } from "../connection/BoundedClient.ts"
import { decodeOnce } from "../connection/DecodeOnce.ts"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import { lookUp } from "../connection/Writes.ts"
import * as PageConditions from "../statements/PageConditions.ts"
import { slackMillis } from "../statements/Pruning.ts"

/** `body` is null for an event with a cached text. */
const decodeRows = decodeOnce(
  Schema.decodeUnknownEffect(
    compileOnUse(
      Schema.Array(
        Schema.Struct({ id: Id.EventId, type: Schema.String, createdAt: Millis, body: Schema.NullOr(Schema.String) })
      )
    )
  )
)

/** Maximum characters of cached texts, up to twice as many in two generations; a page larger than an eighth is not cached. */
const keptMax = 2 * 1024 * 1024

type Texts = ReadonlyMap<string, StoredEvent>

const none: Texts = new Map()

/** `ofTypes` returns the conditions of a type pattern. */
export const make = (
  sql: BoundedClient,
  ofTypes: (pattern: string | null) => ReadonlyArray<Fragment>
): Pick<EventStore["Service"], "page"> => {
  const pages = new BoundedCache<string, Texts>({ generationMax: keptMax, lengthMax: keptMax / 8 })

  const keep = (list: string, events: ReadonlyArray<StoredEvent>) => {
    const length = events.reduce((sum, { body }) => sum + body.length, list.length)
    pages.keep(list, new Map(events.map((event) => [event.id, event])), length)
  }

  return {
    page: Effect.fnUntraced(function* (partition, pattern, request) {
      const list = JSON.stringify([partition.key, pattern, request])
      const known = pages.find(list) ?? none
      const key = T.hideFromPlanner(sql, T.text(partition.key))
      const { before, from } = PageConditions.idsOf("evt", slackMillis, request)
      const ofPage = [
        sql`(partition, id) < (${key}, ${T.text(before)}) AND (partition, id) >= (${key}, ${T.text(from)})`,
        ...PageConditions.inTime(sql, request)
      ]
      const rows = yield* lookUp(sql)(sql`
        SELECT id, type, created_at AS "createdAt",
          CASE WHEN id = ANY(${T.hideFromPlanner(sql, T.texts([...known.keys()]))}::text[]) THEN NULL ELSE body END AS body
        FROM events
        WHERE ${sql.and([...ofPage, ...ofTypes(pattern)])}
        ORDER BY partition DESC, id DESC LIMIT ${T.few(sql, request.limit + 1)}`)
      const found = (yield* decodeRows(rows)).map(
        // Only cached events come without their text.
        ({ body, ...event }): StoredEvent => (body === null ? known.get(event.id)! : { ...event, body })
      )
      if (found.some(({ id }) => !known.has(id))) keep(list, found)
      return Page.fromRows(found, request.limit)
    }, failAs("EventStore.page"))
  }
}
