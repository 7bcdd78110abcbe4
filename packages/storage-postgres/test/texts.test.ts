import { assert, layer } from "@effect/vitest"
import { EventStore } from "@limbeck/core/events/EventStore"
import { IdempotencyStore } from "@limbeck/core/idempotency/IdempotencyStore"
import { firstPage } from "@limbeck/core/pages/Page"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { RunRecords } from "@limbeck/distill/run/RunRecords"
import * as Deliveries from "@limbeck/testing/fixtures/Deliveries"
import * as Events from "@limbeck/testing/fixtures/Events"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Notes from "@limbeck/testing/fixtures/Notes"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { storage } from "./Database.ts"

/** What Postgres text cannot hold, and JSON can. */
const odd = "a\0b\ud800c"

layer(storage, { excludeTestServices: true })("texts that Postgres refuses", (it) => {
  it.effect("come back as they were, where outsiders write them", () =>
    Effect.gen(function* () {
      const partition = Fresh.partition()
      const resources = yield* ResourceStore
      const note = Notes.note({ content: { [odd]: odd } })
      yield* resources.insert(partition, Notes.kind, note)
      assert.deepStrictEqual(
        yield* resources.find(partition, Notes.kind, note.id),
        Option.some({ value: note, revision: 0 })
      )

      const records = yield* RunRecords
      yield* records.append(partition, "run", [{ kind: "log", line: { stage: 1, at: 1, level: "info", message: odd } }])
      const [line] = yield* records.logs(partition, "run", { stage: null, after: 0, limit: 1 })
      assert.strictEqual(line?.message, odd)

      const deliveries = yield* DeliveryStore
      const event = Events.event(partition)
      const delivery = Deliveries.delivery(event, Deliveries.endpointId())
      const answered = { ...delivery, lastResult: { ...delivery.lastResult, bodySnippet: odd, error: odd } }
      yield* deliveries.insert(partition, [answered])
      assert.deepStrictEqual(yield* deliveries.find(partition, delivery.endpointId, delivery.id), Option.some(answered))
    })
  )

  it.effect("are looked for in vain, and that is no failure", () =>
    Effect.gen(function* () {
      const partition = Fresh.partition()
      const resources = yield* ResourceStore
      assert.isTrue(Option.isNone(yield* resources.find(partition, Notes.kind, odd)))
      assert.isTrue(Option.isNone(yield* resources.findUnique(partition, Notes.kind, odd)))
      assert.deepStrictEqual(yield* resources.findMany(partition, Notes.kind, [odd]), [])
      assert.deepStrictEqual((yield* resources.page(partition, Notes.kind, [odd], firstPage(1))).items, [])
      const events = yield* EventStore
      assert.isTrue(Option.isNone(yield* events.find(partition, odd)))
      assert.deepStrictEqual((yield* events.page(partition, odd, { ...firstPage(1), after: odd })).items, [])
      const idempotency = yield* IdempotencyStore
      assert.isTrue(Option.isNone(yield* idempotency.exclusively(partition, odd, idempotency.find(partition, odd))))
    })
  )
})
