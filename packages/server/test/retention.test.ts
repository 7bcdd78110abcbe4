/** Data expires after the operator's number of days, and no other data does, by a moved clock. */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { Event } from "@limbeck/api/EventsApi"
import { eventually } from "@limbeck/testing/Eventually"
import { callOf, calls, capture, type FeedbackView, feedback, idsOf, listed } from "./support/Captured.ts"
import { type Answer, assertRefused, type Client, expectStatus, firstOf, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"
import { Receiver } from "./support/Receiver.ts"
import { change, detailOf, happen, pathOf, subscribe, untilAttempts, untilSome } from "./support/Webhooks.ts"

type EventView = typeof Event.Type

const minute = 60_000
const day = 24 * 60 * minute
/** Sweepers come by every ten minutes. */
const round = 11 * minute

onEachStorage(
  "what is kept for ten days",
  (house) => {
    const receiver = new Receiver()
    beforeAll(() => receiver.open())
    afterAll(() => receiver.close())

    /** Runs sweeps until the resource is gone: for less than a day, which retained data survives. */
    const gone = async (read: () => Promise<Answer<unknown>>) => {
      let rounds = 0
      const answer = await eventually("it is removed", async () => {
        const found = await read()
        if (found.status === 404) return found
        if (++rounds < 100) house.passTime(round)
        return undefined
      })
      assertRefused(answer, 404, "not_found_error")
    }

    const eventsOf = async (caller: Client, query = "") =>
      expectStatus(await caller.get<ListOf<EventView>>(`/v1/events${query}`), 200)

    it("of calls: they go with what was said of them, and what was said of an external id that long ago (P106)", async () => {
      const workspace = await house.workspace()
      const { live } = workspace
      const say = async (fields: object) =>
        expectStatus(await live.post<FeedbackView>(feedback, { name: "quality", value: 1, ...fields }), 201)
      const old = callOf(house, { externalId: "x" })
      await capture(house, workspace, [old])
      await say({ external_id: "x" })
      house.passTime(6 * day)
      const young = callOf(house, { externalId: "x" })
      await capture(house, workspace, [young])
      await say({ call_id: old.id, external_id: "x" })
      const kept = [await say({ call_id: young.id }), await say({ external_id: "x" })]
      house.passTime(5 * day)
      await gone(() => live.get(`${calls}/${old.id}`))
      assert.deepStrictEqual(idsOf(await listed(live)), [young.id])
      const { data } = expectStatus(await live.get<ListOf<FeedbackView>>(feedback), 200)
      assert.deepStrictEqual(data, kept.toReversed())
    })

    it("of events: one goes when no delivery that is there may tell of it, and walks go on behind it (P106)", async () => {
      const { test } = await house.workspace()
      await happen(test)
      const first = firstOf(await eventsOf(test))
      const walk = await eventsOf(test, "?order=asc")
      house.passTime(day)
      const { id } = await subscribe(test, receiver.url("/broken"))
      await happen(test)
      const failed = firstOf(await untilSome(test, id, "failed"))
      await change(test, id, { status: "disabled" })
      house.passTime(minute)
      const dead = firstOf(await untilSome(test, id, "dead_lettered"))
      await change(test, id, { status: "enabled", url: receiver.url("/mended") })

      house.passTime(20 * day)
      await gone(() => test.get(`/v1/events/${first.id}`))
      expectStatus(await test.get(`/v1/events/${failed.event_id}`), 200)
      assert.deepStrictEqual(idsOf(await eventsOf(test)), [failed.event_id])
      expectStatus(await test.post(`${pathOf(id, dead.id)}/redeliver`), 202)
      assert.strictEqual((await untilAttempts(test, dead, dead.attempt_count + 1)).status, "succeeded")
      assert.strictEqual(JSON.parse(receiver.at("/mended")?.body ?? "").id, failed.event_id)

      house.passTime(30 * day)
      await gone(() => test.get(`/v1/events/${failed.event_id}`))
      assert.strictEqual((await test.get(pathOf(id, dead.id))).status, 404)
      await happen(test)
      const later = await eventsOf(test, `?order=asc&cursor=${walk.next_cursor}`)
      assert.deepStrictEqual(idsOf(later), idsOf(await eventsOf(test)))
      assert.lengthOf(later.data, 1)
      assert.strictEqual(
        (await detailOf(test, firstOf(await untilSome(test, id, "succeeded")))).event_id,
        later.data[0]?.id
      )
    })
  },
  { settings: { callHistoryDays: 10, eventHistoryDays: 10 } }
)
