/**
 * The attempts that one process has under way. Every attempt takes a slot, and no more slots are given than `SlotRules` allow,
 * so that an endpoint that hangs uses up its own share and no other's. However many receivers hang, those that respond find
 * room: a slow attempt is counted apart from the quick ones, and a silent endpoint gets one attempt at a time, which counts as
 * slow from its start.
 *
 *     a slot          take, by others        age, after `slowMillis`
 *              free ───────────────────▶ quick ───────────────────▶ slow
 *               ▲│                         │                        ▲ │
 *               │└──── take, by a silent endpoint ──────────────────┘ │
 *               └───────────────── give ───┴──────────────────────────┘
 *
 *     an endpoint     stranger ──▶ responding ◀──▶ silent      by the outcome of its last attempt; forgotten, it is a stranger
 *
 *     the room        open ──▶ closed   when the quick slots fill the shared part
 *                     closed ──▶ open   when a quarter of it is free again
 *
 * Invariants, before and after every call:
 *  1. Quick slots are at most `max`, and those of retries at most `retryMax`.
 *  2. A slot given to an endpoint that does not respond leaves the `reserved` ones free.
 *  3. An endpoint has at most `perEndpointMax` slots, quick and slow; of these at most `perEndpointRetryMax` are of retries.
 *  4. All slots together are at most `max` + `slowMax.first`: nothing is given while there are too many slow ones.
 *  5. The slots of all endpoints are the quick and the slow ones, no more and no fewer.
 *  6. An endpoint is not both silent and responding, and no more of each are remembered than the bounds say.
 *  7. It is idle exactly when no slot is taken; it is busy exactly when one is.
 *  8. The room is open when a quarter of the shared part is free, and closed when none is.
 */
import type * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Delivery, Lane } from "../Delivery.ts"
import * as Rules from "./SlotRules.ts"
import { Standings } from "./Standings.ts"

/** The place of one attempt. */
export interface Slot {
  readonly endpointId: string
  readonly lane: Lane
  readonly startedAt: number
}

/** What an attempt has shown of its endpoint; `unknown`: none was made. */
export type Outcome = Exclude<Rules.Standing, "stranger"> | "unknown"

export interface Slots {
  readonly free: (lane: Lane) => number
  /** Endpoints with less room in the lane than one claim may take. */
  readonly crowded: (lane: Lane) => ReadonlyArray<string>
  /** Endpoints that may have one attempt at a time. */
  readonly silent: () => ReadonlyArray<string>
  /** Those of these first attempts that there is room for, all of them together. */
  readonly fitting: (deliveries: ReadonlyArray<Delivery>) => ReadonlyArray<Delivery>
  /** Whether due work may have to wait for room. */
  readonly isTight: () => boolean
  /** Null when there is no room. */
  readonly take: (endpointId: string, lane: Lane, now: number) => Slot | null
  readonly give: (slot: Slot, outcome: Outcome) => void
  /** Counts attempts as slow that have become so by `now`. */
  readonly age: (now: number) => void
  /** Waits while the room is closed. */
  readonly awaitRoom: Effect.Effect<void>
  readonly awaitIdle: Effect.Effect<void>
  readonly awaitBusy: Effect.Effect<void>
}

/** What is under way at each endpoint. */
class EndpointCounts {
  private readonly counts = new Map<string, Rules.Count>()
  readonly ids = () => [...this.counts.keys()]
  readonly of = (endpointId: string): Rules.Count => this.counts.get(endpointId) ?? Rules.noneCounted

  change({ endpointId, lane }: Slot, by: 1 | -1): void {
    const after = Rules.plus(this.of(endpointId), lane, by)
    if (after.all > 0) this.counts.set(endpointId, after)
    else this.counts.delete(endpointId)
  }
}

const open = (latch: Latch.Latch, isOpen: boolean) => (isOpen ? latch.openUnsafe() : latch.closeUnsafe())

/** What can be waited for; `show` follows the load. */
const makeLatches = (bounds: Rules.SlotBounds) => {
  const room = Latch.makeUnsafe(true)
  const idle = Latch.makeUnsafe(true)
  const busy = Latch.makeUnsafe(false)
  let isRoomOpen = true
  const show = (load: Rules.Load) => {
    const isIdle = load.quick.all + load.slow.all === 0
    isRoomOpen = Rules.isOpen(bounds, load, isRoomOpen)
    open(room, isRoomOpen)
    open(idle, isIdle)
    open(busy, !isIdle)
  }
  return { show, awaitRoom: room.await, awaitIdle: idle.await, awaitBusy: busy.await }
}

/** The first attempts that fit when they are taken one after the other. */
const fittingOf = (
  bounds: Rules.SlotBounds,
  load: Rules.Load,
  endpointOf: (id: string) => Rules.EndpointLoad,
  deliveries: ReadonlyArray<Delivery>
): ReadonlyArray<Delivery> => {
  const endpoints = new Map<string, Rules.EndpointLoad>()
  let chosen = 0
  return deliveries.filter(({ endpointId }) => {
    const endpoint = endpoints.get(endpointId) ?? endpointOf(endpointId)
    const isFree = Rules.freeFor(bounds, load, "first", endpoint.standing) > chosen
    if (!isFree || !Rules.hasRoom(bounds, endpoint, "first")) return false
    endpoints.set(endpointId, { ...endpoint, count: Rules.plus(endpoint.count, "first", 1) })
    chosen++
    return true
  })
}

/** `ring` is called when claims that found too little room may find more. */
export const make = (bounds: Rules.SlotBounds, ring: () => void): Slots => {
  const endpoints = new EndpointCounts()
  const standings = new Standings(bounds)
  const latches = makeLatches(bounds)
  /** Oldest first. */
  const quick = new Set<Slot>()
  let load = Rules.noLoad

  const endpointOf = (id: string): Rules.EndpointLoad => ({ count: endpoints.of(id), standing: standings.of(id) })
  const free = (lane: Lane) => Rules.free(bounds, load, lane)
  const crowded = (lane: Lane) => endpoints.ids().filter((id) => Rules.isCrowded(bounds, endpointOf(id), lane))
  const show = (next: Rules.Load) => {
    load = next
    latches.show(load)
  }
  const without = ({ quick: counted, slow }: Rules.Load, slot: Slot): Rules.Load =>
    quick.delete(slot)
      ? { quick: Rules.plus(counted, slot.lane, -1), slow }
      : { quick: counted, slow: Rules.plus(slow, slot.lane, -1) }

  const take = (endpointId: string, lane: Lane, now: number): Slot | null => {
    const endpoint = endpointOf(endpointId)
    const isFree = Rules.freeFor(bounds, load, lane, endpoint.standing) > 0
    if (!isFree || !Rules.hasRoom(bounds, endpoint, lane)) return null
    const slot: Slot = { endpointId, lane, startedAt: now }
    const kind = endpoint.standing === "silent" ? "slow" : "quick"
    if (kind === "quick") quick.add(slot)
    endpoints.change(slot, 1)
    show({ ...load, [kind]: Rules.plus(load[kind], lane, 1) })
    return slot
  }

  const give = (slot: Slot, outcome: Outcome): void => {
    const before = { load, endpoint: endpointOf(slot.endpointId) }
    endpoints.change(slot, -1)
    if (outcome !== "unknown") standings.note(slot.endpointId, outcome)
    show(without(load, slot))
    const after = endpointOf(slot.endpointId)
    const gives = Rules.givesRoom(bounds, before.load, load)
    if (gives || Rules.givesEndpointRoom(bounds, slot.lane, before.endpoint, after)) ring()
  }

  const age = (now: number): void => {
    const before = load
    let next = load
    for (const slot of quick) {
      if (slot.startedAt + bounds.slowMillis > now) break
      const left = without(next, slot)
      next = { ...left, slow: Rules.plus(left.slow, slot.lane, 1) }
    }
    show(next)
    if (Rules.givesRoom(bounds, before, load)) ring()
  }

  return {
    free,
    crowded,
    silent: standings.silent,
    fitting: (deliveries) => fittingOf(bounds, load, endpointOf, deliveries),
    isTight: () => Rules.lanes.some((lane) => free(lane) === 0 || crowded(lane).length > 0),
    take,
    give,
    age,
    awaitRoom: latches.awaitRoom,
    awaitIdle: latches.awaitIdle,
    awaitBusy: latches.awaitBusy
  }
}
