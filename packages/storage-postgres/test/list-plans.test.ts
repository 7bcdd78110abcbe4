import type * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { entryOf } from "@limbeck/billing/ledger/LedgerRules"
import { LedgerStore } from "@limbeck/billing/ledger/LedgerStore"
import { ConversationStore } from "@limbeck/chat/conversation/ConversationStore"
import { EventStore } from "@limbeck/core/events/EventStore"
import { firstPage } from "@limbeck/core/pages/Page"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Conversations from "@limbeck/testing/fixtures/Conversations"
import * as Deliveries from "@limbeck/testing/fixtures/Deliveries"
import * as Events from "@limbeck/testing/fixtures/Events"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Notes from "@limbeck/testing/fixtures/Notes"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Endpoint from "@limbeck/webhooks/endpoint/Endpoint"
import * as Effect from "effect/Effect"
import * as StoragePostgres from "../src/StoragePostgres.ts"
import { analyze, client, freshSchema, url } from "./Database.ts"
import * as History from "./History.ts"
import * as Plans from "./Plans.ts"

const partition = Fresh.partition()

/** Of the list; far more than a page. */
const count = 3_000
/** Maximum rows per plan step for a page of 20. */
const rowsMax = 50
/** Pages for one endpoint among thousands of other resources: the way down an index, and the row. */
const pagesMax = 6

const endpointId = History.busy
const agent = Fresh.id("agt")
const talk = Conversations.conversation()
const all = { endpointId, status: null, eventType: null }
const succeeded = { ...all, status: "succeeded" } as const
/** Has a few deliveries, the oldest, where another endpoint has all others. */
const quietId = Fresh.id("wh")
const quietCount = 5
/** Two pages of events are an hour older than all others. */
const oldCount = 40
const oldAt = Fresh.start - 3_600_000
const old = { ...firstPage(20), createdBefore: Fresh.start - 1_800_000 }
const quiet = { endpointId: quietId, status: null, eventType: null }
const ofQuiet = [
  quiet,
  { ...quiet, status: "succeeded" as const },
  { ...quiet, status: "dead_lettered" as const },
  { ...quiet, status: "pending" as const },
  { ...quiet, eventType: "order.unknown" }
]

const fillLedger = Effect.gen(function* () {
  const ledger = yield* LedgerStore
  const entries = Array.from({ length: count }, (_, index) =>
    entryOf(Fresh.id("led"), Fresh.start, { kind: "top_up", micros: 1, reference: `${index}` })
  )
  const posting = Effect.andThen(ledger.lock(partition), ledger.append(partition, entries, []))
  yield* (yield* Storage).transaction(posting)
})

/** Half of them are one agent's; one has all messages. */
const fillConversations = Effect.gen(function* () {
  const conversations = yield* ConversationStore
  const made = Array.from({ length: count }, (_, index) =>
    Conversations.conversation({ agent: index % 2 === 0 ? agent : null })
  )
  yield* Effect.forEach([talk, ...made], (one) => conversations.open(partition, one), { concurrency: 8 })
  const messages = Array.from({ length: count }, (_, place) => Conversations.message(talk, place))
  yield* conversations.append(partition, messages)
})

/** Final deliveries in one range of history, beside empty ranges. */
const fill = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const resources = yield* ResourceStore
  const events = yield* EventStore
  const made = Events.events(partition, count)
  yield* events.append(partition, [...Events.events(partition, oldCount, oldAt), ...made])
  yield* History.ranges
  yield* (yield* DeliveryStore).insert(
    partition,
    made.map((event, index) => Deliveries.delivery(event, index < quietCount ? quietId : endpointId))
  )
  yield* sql`UPDATE deliveries SET status = 'succeeded', due_at = NULL`.unprepared
  yield* sql`DELETE FROM deliveries_due`.unprepared
  yield* resources.insert(partition, Endpoint.kind, Deliveries.endpoint({ enabledEvents: ["*"] }))
  const notes = Array.from({ length: count }, (_, index) =>
    Notes.note({ title: `${index}`, tags: ["all", `title:${index}`] })
  )
  yield* Effect.forEach(notes, (note) => resources.insert(partition, Notes.kind, note), { concurrency: 8 })
  yield* fillLedger
  yield* fillConversations
})

it.live(
  "a list costs its page, and an event its endpoints, with statistics and without (P233, P398, P442, P474, P476)",
  () =>
    Effect.gen(function* () {
      const schema = yield* freshSchema
      const sql = yield* client(schema)
      yield* Effect.gen(function* () {
        for (const table of ["events", "resources", "ledger_entries", "conversations", "messages"])
          yield* sql`ALTER TABLE ${sql(table)} SET (autovacuum_enabled = false)`.unprepared
        yield* fill(sql)
        const resources = yield* ResourceStore
        const events = yield* EventStore
        const deliveries = yield* DeliveryStore
        const ledger = yield* LedgerStore
        const conversations = yield* ConversationStore
        const worksOf = Plans.worksOf(sql)
        const check = Effect.gen(function* () {
          const kept = [
            ...(yield* worksOf(resources.page(partition, Notes.kind, [], firstPage(20)))),
            ...(yield* worksOf(events.page(partition, null, firstPage(20)))),
            ...(yield* worksOf(events.page(partition, "*", firstPage(20)))),
            ...(yield* worksOf(events.page(partition, null, old))),
            ...(yield* worksOf(deliveries.page(partition, all, firstPage(20)))),
            ...(yield* worksOf(deliveries.page(partition, succeeded, firstPage(20)))),
            ...(yield* worksOf(deliveries.page(partition, succeeded, { ...firstPage(20), createdAfter: 0 }))),
            ...(yield* Effect.forEach(ofQuiet, (filter) =>
              worksOf(deliveries.page(partition, filter, firstPage(20)))
            )).flat(),
            ...(yield* worksOf(ledger.page(partition, firstPage(20)))),
            ...(yield* worksOf(conversations.page(partition, {}, firstPage(20)))),
            ...(yield* worksOf(conversations.page(partition, { agent }, firstPage(20)))),
            ...(yield* worksOf(conversations.messages(partition, talk.id, firstPage(20))))
          ]
          // Of a label the plan is made for the value.
          const planned = yield* worksOf(resources.page(partition, Notes.kind, ["all"], firstPage(20)))
          const works = [...kept, ...planned.filter(({ mode }) => mode === "force_custom_plan")]
          assert.lengthOf(works, 33)
          for (const work of works) assert.isAtMost(work.rows, rowsMax, `${work.mode}: ${JSON.stringify(work.plan)}`)
          const lookUps = yield* worksOf(resources.findByLabels(partition, Endpoint.kind, Endpoint.labelsOf(["*"])))
          assert.lengthOf(lookUps, 2)
          for (const work of lookUps)
            assert.isAtMost(work.pages, pagesMax, `${work.mode}: ${JSON.stringify(work.plan)}`)
          Plans.assertKept([...kept, ...lookUps])
        })
        yield* check
        yield* analyze(sql)
        yield* check
      }).pipe(Effect.provide(StoragePostgres.layer({ url, schema })))
    })
)
