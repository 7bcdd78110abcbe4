// The invariants of Slots, checked before and after every call of long random walks. The test counts the slots a second
// time, from those handed out, so that a wrong count cannot agree with itself.
import { assert, describe, it } from "@effect/vitest"
import { WorkspaceId } from "@limbeck/core/ids/Id"
import type { Lane } from "@limbeck/webhooks/delivery/Delivery"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { SlotBounds } from "../../src/delivery/internal/SlotRules.ts"
import * as Slots from "../../src/delivery/internal/Slots.ts"

const bounds: SlotBounds = {
  max: 16,
  reserved: 4,
  retryMax: 8,
  perEndpointMax: 5,
  perEndpointRetryMax: 2,
  perEndpointClaimMax: { first: 2, retry: 1 },
  swiftClaimMax: 3,
  lineMax: 4,
  waitingMax: 6,
  slowMillis: 10,
  slowMax: { first: 12, retry: 6 },
  silentMax: 3,
  respondingMax: 3,
  swiftMax: 3
}
const sharedMax = bounds.max - bounds.reserved

/** Three workspaces with three endpoints each. */
const refOf = (number: number) => ({
  id: `endpoint ${number}`,
  workspace: WorkspaceId.make(`ws_${String(number % 3).padStart(26, "0")}`)
})

/** Numbers from 0 up to 1 that a seed replays. */
const numbers = (seed: number) => {
  let state = seed
  return () => {
    state = (state * 48_271) % (2 ** 31 - 1)
    return state / (2 ** 31 - 1)
  }
}

interface TakenSlot {
  readonly slot: Slots.Slot
  isSlow: boolean
}

const isPassed = Effect.fnUntraced(function* (gate: Effect.Effect<void>) {
  const fiber = yield* Effect.forkChild(gate, { startImmediately: true })
  const isOver = fiber.pollUnsafe() !== undefined
  yield* Fiber.interrupt(fiber)
  return isOver
})

/** The invariants by their numbers in Slots.ts. The second is checked at each given slot. */
const check = Effect.fnUntraced(function* (slots: Slots.Slots, taken: ReadonlyArray<TakenSlot>) {
  const quick = taken.filter(({ isSlow }) => !isSlow)
  const retries = (of: ReadonlyArray<TakenSlot>) => of.filter(({ slot }) => slot.lane === "retry").length
  assert.isAtMost(quick.length, bounds.max, "1")
  assert.isAtMost(retries(quick), bounds.retryMax, "1")
  for (const ofEndpoint of Map.groupBy(taken, ({ slot }) => slot.endpoint.id).values()) {
    assert.isAtMost(ofEndpoint.length, bounds.perEndpointMax, "3")
    assert.isAtMost(retries(ofEndpoint), bounds.perEndpointRetryMax, "3")
  }
  assert.isAtMost(taken.length, bounds.max + bounds.slowMax.first, "4")
  const isFull = taken.length - quick.length >= bounds.slowMax.first
  assert.strictEqual(slots.free("first"), isFull ? 0 : Math.max(0, sharedMax - quick.length), "5")
  const crowded = slots.crowdedEndpoints("first").filter((id) => !taken.some(({ slot }) => slot.endpoint.id === id))
  assert.deepStrictEqual(crowded, [], "5")
  assert.isAtMost(slots.silent().length, bounds.silentMax, "6")
  assert.strictEqual(yield* isPassed(slots.awaitIdle), taken.length === 0, "7")
  assert.strictEqual(yield* isPassed(slots.awaitBusy), taken.length > 0, "7")
  if (quick.length <= (sharedMax * 3) / 4) assert.isTrue(yield* isPassed(slots.awaitRoom), "8")
  if (quick.length >= sharedMax) assert.isFalse(yield* isPassed(slots.awaitRoom), "8")
})

/** The ninth: a slot was given to the workspace beside those that were taken before. */
const checkShare = (workspace: WorkspaceId, lane: Lane, taken: ReadonlyArray<TakenSlot>) => {
  const check = (of: ReadonlyArray<TakenSlot>, quickMax: number, slowMax: number) => {
    const mine = of.filter(({ slot }) => slot.endpoint.workspace === workspace)
    const isQuick = ({ isSlow }: TakenSlot) => !isSlow
    assert.isAtMost(mine.filter(isQuick).length + 1, quickMax - of.filter(isQuick).length, "9")
    assert.isAtMost(mine.length + 1, slowMax - of.filter(({ isSlow }) => isSlow).length, "9")
  }
  check(taken, bounds.max, bounds.slowMax.first)
  const retries = taken.filter(({ slot }) => slot.lane === "retry")
  if (lane === "retry") check(retries, bounds.retryMax, bounds.slowMax.retry)
}

const outcomes = ["silent", "responding", "swift", "unknown"] as const

/** A walk of `steps` calls; returns how many slots it was given and refused, and how many became slow. */
const walk = Effect.fnUntraced(function* (seed: number, steps: number) {
  const next = numbers(seed)
  const pick = <A>(items: ReadonlyArray<A>): A => items[Math.floor(next() * items.length)]!
  const slots = Slots.make(bounds, () => {})
  const responding = new Set<string>()
  const seen = { given: 0, refused: 0, slow: 0 }
  let taken: Array<TakenSlot> = []
  let now = 0

  const take = (number: number, lane: Lane) => {
    const ref = refOf(number)
    const endpointId = ref.id
    const isSilent = slots.silent().includes(endpointId)
    const quickBefore = taken.filter(({ isSlow }) => !isSlow).length
    const slot = slots.take(ref, lane, now)
    if (slot === null) {
      seen.refused++
      return
    }
    seen.given++
    if (isSilent)
      assert.isFalse(
        taken.some((one) => one.slot.endpoint.id === endpointId),
        "a silent one has one"
      )
    if (!responding.has(endpointId)) assert.isBelow(quickBefore, sharedMax, "2")
    checkShare(ref.workspace, lane, taken)
    taken.push({ slot, isSlow: isSilent })
  }
  const give = ({ slot }: TakenSlot) => {
    const outcome = pick(outcomes)
    slots.give(slot, outcome, now)
    taken = taken.filter((one) => one.slot !== slot)
    if (outcome === "responding" || outcome === "swift") responding.add(slot.endpoint.id)
    if (outcome === "silent") responding.delete(slot.endpoint.id)
  }
  const age = () => {
    now += Math.floor(next() * bounds.slowMillis)
    slots.age(now)
    for (const one of taken) if (one.slot.startedAt + bounds.slowMillis <= now) one.isSlow = true
    seen.slow += taken.filter(({ isSlow }) => isSlow).length
  }

  yield* check(slots, taken)
  for (let step = 0; step < steps; step++) {
    const chance = next()
    // Now and then all is given back, so that the walk also leads from full to idle.
    if (chance < 0.01) for (const one of taken) give(one)
    else if (chance < 0.7) take(Math.floor(next() * 9), pick(["first", "retry"]))
    else if (chance < 0.9 && taken.length > 0) give(pick(taken))
    else age()
    yield* check(slots, taken)
  }
  return seen
})

describe("Slots, laws", () => {
  it.effect("the invariants hold before and after every call, whatever is called (P137)", () =>
    Effect.gen(function* () {
      for (let seed = 1; seed <= 8; seed++) {
        const { given, refused, slow } = yield* walk(seed, 400)
        assert.isAbove(Math.min(given, refused, slow), 0, `walk ${seed} has tried everything`)
      }
    })
  )
})
