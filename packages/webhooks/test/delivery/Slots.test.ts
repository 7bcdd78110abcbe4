import { assert, describe, it } from "@effect/vitest"
import { EventId, WorkspaceId } from "@limbeck/core/ids/Id"
import { type Lane, pending } from "@limbeck/webhooks/delivery/Delivery"
import { EndpointId } from "@limbeck/webhooks/endpoint/Endpoint"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { constVoid } from "effect/Function"
import * as Rules from "../../src/delivery/internal/SlotRules.ts"
import * as Slots from "../../src/delivery/internal/Slots.ts"

/** `rings`: whether the change rings for room. */
type RingingSlots = Slots.Slots & { readonly rings: (change: () => void) => boolean }

const start = 1_000
const slowMillis = 500

let workspaces = 0
/** Each endpoint has its own workspace, so that shares of workspaces never bind: Shares.test.ts tests shares. */
const refOf = (id: string) => ({ id, workspace: WorkspaceId.make(`ws_${String(++workspaces).padStart(26, "0")}`) })
const { workspace } = refOf("")

const takeOne = (slots: Slots.Slots, endpointId: string, lane: Lane) => slots.take(refOf(endpointId), lane, start)

const take = (slots: Slots.Slots, endpointId: string, times: number, lane: Lane = "first"): Array<Slots.Slot> =>
  Array.from({ length: times }, () => takeOne(slots, endpointId, lane)!)

/** Gives slots back one by one, with the outcome `responding`; returns whether each rang. */
const give = (slots: RingingSlots, taken: Array<Slots.Slot>, times: number): Array<boolean> =>
  taken.splice(0, times).map((slot) => slots.rings(() => slots.give(slot, "responding", start)))

const silence = (slots: Slots.Slots, endpointId: string) => {
  for (const slot of take(slots, endpointId, 1)) slots.give(slot, "silent", start)
}

const bounds = (max: number, perEndpointMax: number, perEndpointClaimMax: number, reserved = 0): Rules.SlotBounds => ({
  max,
  reserved,
  retryMax: max / 2,
  perEndpointMax,
  perEndpointRetryMax: perEndpointMax / 2,
  perEndpointClaimMax: { first: perEndpointClaimMax, retry: perEndpointClaimMax / 2 },
  swiftClaimMax: 3,
  lineMax: 4,
  waitingMax: 6,
  slowMillis,
  slowMax: { first: 2 * max, retry: max },
  silentMax: 3,
  respondingMax: 3,
  swiftMax: 3
})

const make = (max: number, perEndpointMax: number, perEndpointClaimMax: number, reserved = 0): RingingSlots => {
  let count = 0
  const slots = Slots.make(bounds(max, perEndpointMax, perEndpointClaimMax, reserved), () => count++)
  const rings = (change: () => void) => {
    const before = count
    change()
    return count > before
  }
  return { ...slots, rings }
}

const id = (name: string) => EndpointId.make(`wh_0000000000000000000000000${name}`)

const delivery = (name: string) =>
  pending({
    id: "del_00000000000000000000000001",
    endpointId: id(name),
    eventId: EventId.make("evt_00000000000000000000000001"),
    eventType: "message.completed",
    now: start
  })

const makeSwift = (slots: Slots.Slots, endpointId: string) => {
  for (const slot of take(slots, endpointId, 1)) slots.give(slot, "swift", start)
}

/** Joins an endpoint's line; returns a reader of the outcome. */
const join = (slots: Slots.Slots, endpointId: string) => {
  let state = "waits"
  const turn = (slot: Slots.Slot | null) => {
    state = slot === null ? "told" : "begins"
  }
  assert.isTrue(slots.join(refOf(endpointId), "first", turn), "no place")
  return () => state
}

const isWaiting = Effect.fnUntraced(function* (effect: Effect.Effect<void>) {
  const fiber = yield* Effect.forkChild(effect, { startImmediately: true })
  yield* Effect.yieldNow
  const waits = fiber.pollUnsafe() === undefined
  yield* Fiber.interrupt(fiber)
  return waits
})

describe("Slots", () => {
  it("an endpoint is crowded once another claim could pass its bound", () => {
    const slots = make(100, 4, 2)
    take(slots, "a", 2)
    assert.deepStrictEqual(slots.crowdedEndpoints("first"), [])
    const taken = take(slots, "a", 1)
    assert.deepStrictEqual(slots.crowdedEndpoints("first"), ["a"])
    give(slots, taken, 1)
    assert.deepStrictEqual(slots.crowdedEndpoints("first"), [])
  })

  it.effect("after being full it waits until a quarter is free again", () =>
    Effect.gen(function* () {
      const slots = make(8, 8, 8)
      assert.isFalse(yield* isWaiting(slots.awaitRoom))
      const taken = take(slots, "a", 8)
      give(slots, taken, 1)
      assert.strictEqual(slots.free("first"), 1)
      assert.isTrue(yield* isWaiting(slots.awaitRoom))
      give(slots, taken, 1)
      assert.isFalse(yield* isWaiting(slots.awaitRoom))
    })
  )

  it("it rings when a crowded endpoint has room again", () => {
    const slots = make(8, 4, 2)
    assert.deepStrictEqual(give(slots, take(slots, "a", 4), 3), [false, true, false])
  })

  it.effect("it is idle when all is given back", () =>
    Effect.gen(function* () {
      const slots = make(8, 4, 2)
      assert.isFalse(yield* isWaiting(slots.awaitIdle))
      assert.isTrue(yield* isWaiting(slots.awaitBusy))
      const taken = take(slots, "a", 1)
      assert.isTrue(yield* isWaiting(slots.awaitIdle))
      assert.isFalse(yield* isWaiting(slots.awaitBusy))
      give(slots, taken, 1)
      assert.isFalse(yield* isWaiting(slots.awaitIdle))
    })
  )

  it("retries have half of the room, in all and per endpoint, and first attempts what retries leave", () => {
    const slots = make(16, 8, 4)
    assert.deepStrictEqual([slots.free("first"), slots.free("retry")], [16, 8])
    take(slots, "a", 3, "retry")
    assert.deepStrictEqual([slots.crowdedEndpoints("first"), slots.crowdedEndpoints("retry")], [[], ["a"]])
    take(slots, "b", 3, "first")
    assert.deepStrictEqual(slots.crowdedEndpoints("retry"), ["a"])
    take(slots, "c", 4, "retry")
    take(slots, "d", 1, "retry")
    assert.deepStrictEqual([slots.free("first"), slots.free("retry")], [5, 0])
    assert.isTrue(slots.isTight())
  })

  it("it rings when retries have room again, in all or at an endpoint", () => {
    const slots = make(16, 16, 2)
    const gives = give(slots, take(slots, "a", 8, "retry"), 4)
    // From 8 to 7 the endpoint gets room for one claim; from 7 to 6 a quarter of all slots is free.
    assert.deepStrictEqual(gives, [true, true, false, false])
    assert.isFalse(slots.isTight())
  })

  it("a full lane leaves the other as it is", () => {
    const slots = make(16, 16, 2)
    take(slots, "a", 8, "first")
    assert.deepStrictEqual([slots.free("first"), slots.free("retry")], [8, 8])
    take(slots, "b", 8, "retry")
    assert.deepStrictEqual([slots.free("first"), slots.free("retry")], [0, 0])
    assert.deepStrictEqual(slots.crowdedEndpoints("first"), [])
  })

  it("attempts that have become slow leave their places to others, until there are too many of them", () => {
    const slots = make(8, 8, 8)
    take(slots, "a", 8)
    assert.strictEqual(slots.free("first"), 0)
    assert.isFalse(slots.rings(() => slots.age(start + slowMillis - 1)))
    assert.strictEqual(slots.free("first"), 0)
    slots.age(start + slowMillis)
    assert.strictEqual(slots.free("first"), 8)
    const others = take(slots, "b", 8)
    slots.age(start + slowMillis)
    assert.deepStrictEqual([slots.free("first"), slots.free("retry")], [0, 0])
    assert.isTrue(slots.isTight())
    assert.deepStrictEqual(give(slots, others, 1), [true])
    assert.strictEqual(slots.free("first"), 8)
  })

  it("slow retries stop retries alone", () => {
    const slots = make(8, 8, 8)
    for (const id of ["a", "b"]) {
      take(slots, id, 4, "retry")
      slots.age(start + slowMillis)
    }
    assert.deepStrictEqual([slots.free("first"), slots.free("retry")], [8, 0])
  })

  it("an endpoint that did not answer has one attempt at a time until it does, and none of the quick places", () => {
    const slots = make(8, 4, 2)
    for (const slot of take(slots, "a", 2)) slots.give(slot, "silent", start)
    assert.deepStrictEqual([slots.silent(), slots.crowdedEndpoints("first")], [["a"], []])
    const [probe] = take(slots, "a", 1)
    assert.deepStrictEqual([slots.crowdedEndpoints("first"), slots.crowdedEndpoints("retry")], [["a"], ["a"]])
    assert.strictEqual(slots.free("first"), 8)
    assert.isTrue(slots.rings(() => slots.give(probe!, "silent", start)))
    const [answered] = take(slots, "a", 1)
    slots.give(answered!, "responding", start)
    assert.deepStrictEqual([slots.silent(), slots.crowdedEndpoints("first")], [[], []])
  })

  it("what was no attempt says nothing about the endpoint", () => {
    const slots = make(8, 4, 2)
    silence(slots, "a")
    slots.give(take(slots, "a", 1)[0]!, "unknown", start)
    assert.deepStrictEqual(slots.silent(), ["a"])
  })

  it("of too many silent endpoints those known longest are forgotten", () => {
    const slots = make(8, 4, 2)
    for (const id of ["a", "b", "c", "d"]) silence(slots, id)
    assert.deepStrictEqual(slots.silent(), ["b", "c", "d"])
  })

  it("of new deliveries those fit that have room at their endpoint and in all", () => {
    const slots = make(10, 4, 2)
    const fits = (...endpointIds: ReadonlyArray<string>) =>
      slots
        .fitting(
          workspace,
          endpointIds.map((id) => delivery(id))
        )
        .map(({ endpointId }) => endpointId.slice(-1))
    assert.deepStrictEqual(fits("a", "a", "a", "a", "a", "b"), ["a", "a", "a", "a", "b"])
    take(slots, id("a"), 3)
    assert.deepStrictEqual(fits("a", "a", "b"), ["a", "b"])
    take(slots, id("c"), 4)
    take(slots, id("e"), 2)
    assert.deepStrictEqual(fits("a", "b"), ["a"])
    silence(slots, id("d"))
    slots.age(start + slowMillis)
    assert.deepStrictEqual(fits("d", "d", "b"), ["d", "b"])
  })

  it("nothing passes a bound: a place that is not there is not given", () => {
    const slots = make(8, 4, 2)
    take(slots, "a", 4)
    assert.isNull(takeOne(slots, "a", "first"))
    take(slots, "b", 2, "retry")
    assert.isNull(takeOne(slots, "b", "retry"))
    take(slots, "b", 2)
    assert.isNull(takeOne(slots, "c", "first"))
  })

  it("some places are kept for endpoints that answered last time, whatever strangers ask for", () => {
    const slots = make(10, 4, 2, 4)
    give(slots, take(slots, id("a"), 1), 1)
    take(slots, "b", 4)
    take(slots, "c", 2)
    assert.strictEqual(slots.free("first"), 0)
    assert.isNull(takeOne(slots, "d", "first"))
    assert.deepStrictEqual(
      slots
        .fitting(workspace, [delivery("a"), delivery("a"), delivery("a"), delivery("e")])
        .map(({ endpointId }) => endpointId),
      [id("a"), id("a")]
    )
    assert.isNotNull(takeOne(slots, id("a"), "first"))
  })

  it.effect(
    "only first attempts at swift endpoints stand in line, and each begins when another is answered (P409)",
    () =>
      Effect.gen(function* () {
        const slots = make(16, 4, 2)
        take(slots, "stranger", 4)
        assert.isFalse(slots.join(refOf("stranger"), "first", constVoid))
        makeSwift(slots, "a")
        const taken = take(slots, "a", 4)
        assert.isFalse(slots.join(refOf("a"), "retry", constVoid))
        const [one, two] = [join(slots, "a"), join(slots, "a")]
        assert.deepStrictEqual(slots.swift(), ["a"])
        // The one slot reserved for a claim of retries stays free.
        slots.noteAnswer(taken[0]!, "swift", start)
        yield* Effect.yieldNow
        assert.deepStrictEqual([one(), two()], ["waits", "waits"])
        slots.noteAnswer(taken[1]!, "swift", start)
        slots.give(taken[1]!, "swift", start)
        yield* Effect.yieldNow
        assert.deepStrictEqual([one(), two()], ["begins", "waits"])
      })
  )

  it("an endpoint is swift to a claim until its outcomes are written (P453)", () => {
    const slots = make(16, 4, 2)
    makeSwift(slots, "a")
    assert.deepStrictEqual(slots.swift(), [])
    const [slot] = take(slots, "a", 1)
    slots.noteAnswer(slot!, "swift", start)
    assert.deepStrictEqual(slots.swift(), ["a"])
    slots.give(slot!, "swift", start)
    assert.deepStrictEqual(slots.swift(), [])
  })

  it("a line has a bound, all lines together have one, and a claim comes back before a line is empty (P409)", () => {
    const slots = make(16, 4, 2)
    for (const name of ["a", "b"]) {
      makeSwift(slots, name)
      take(slots, name, 4)
    }
    assert.deepStrictEqual(slots.crowdedEndpoints("first"), [])
    const joined = Array.from({ length: 5 }, () => slots.join(refOf("a"), "first", constVoid))
    assert.deepStrictEqual(joined, [true, true, true, true, false])
    assert.deepStrictEqual(slots.crowdedEndpoints("first"), ["a"])
    assert.strictEqual(slots.free("first"), 8)
    slots.join(refOf("b"), "first", constVoid)
    slots.join(refOf("b"), "first", constVoid)
    assert.isFalse(slots.join(refOf("b"), "first", constVoid))
    assert.strictEqual(slots.free("first"), 0)
  })

  it.effect("the line of an endpoint that falls silent ends, and it is not idle until all have left (P409)", () =>
    Effect.gen(function* () {
      const slots = make(16, 4, 2)
      makeSwift(slots, "a")
      const taken = take(slots, "a", 4)
      const waiting = join(slots, "a")
      for (const slot of taken) slots.give(slot, "silent", start)
      yield* Effect.yieldNow
      assert.strictEqual(waiting(), "told")
      assert.isTrue(yield* isWaiting(slots.awaitIdle))
      slots.leave(workspace)
      assert.isFalse(yield* isWaiting(slots.awaitIdle))
      makeSwift(slots, "b")
      take(slots, "b", 4)
      const late = join(slots, "b")
      slots.endLines()
      yield* Effect.yieldNow
      assert.strictEqual(late(), "told")
      assert.isFalse(slots.join(refOf("b"), "first", constVoid))
    })
  )

  it.effect("a line that stood still because the process was full moves when there is room (P409)", () =>
    Effect.gen(function* () {
      const slots = make(6, 4, 2)
      makeSwift(slots, "a")
      const others = [...take(slots, "b", 4), ...take(slots, "c", 2)]
      assert.isNull(takeOne(slots, "a", "first"))
      const waiting = join(slots, "a")
      slots.age(start + slowMillis - 1)
      yield* Effect.yieldNow
      assert.strictEqual(waiting(), "waits")
      slots.give(others[0]!, "responding", start)
      yield* Effect.yieldNow
      assert.strictEqual(waiting(), "begins")
    })
  )
})

describe("an invariant of the slots that is broken", () => {
  it("is named: a slot that was given back twice, and more slots than allowed (P1412)", () => {
    const slots = make(6, 6, 2)
    const taken = take(slots, "a", 2)
    assert.isNull(slots.mistake())
    give(slots, taken, 1)
    assert.isNull(slots.mistake())
    const [slot] = taken
    slots.give(slot!, "responding", start)
    slots.give(slot!, "responding", start)
    assert.match(slots.mistake() ?? "", /^5: /)
    const load = (all: number, retries: number, slow: number) => ({
      quick: { all, retries },
      slow: { all: slow, retries: 0 }
    })
    const mistakeIn = (quick: number, retries: number, slow: number) =>
      Rules.mistakeIn(bounds(6, 6, 2), load(quick, retries, slow), { quick, unanswered: 0 })?.slice(0, 2)
    assert.deepStrictEqual([mistakeIn(7, 0, 0), mistakeIn(6, 4, 0), mistakeIn(6, 3, 13)], ["1:", "1:", "4:"])
    assert.isUndefined(mistakeIn(6, 3, 12))
  })
})
