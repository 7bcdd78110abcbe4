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
 *     an endpoint     stranger ──▶ responding ◀──▶ silent      by the outcome of its last attempt; forgotten, it is a stranger.
 *                                                          One that responds is swift when it succeeded quickly
 *
 *     a line          join ───▶ a slot, by `answered` or `give`     of claimed first attempts at a swift endpoint, so that a claim
 *                     join ───▶ null ───▶ leave, when it ends       takes many at once, though few are under way
 *
 *     the room        open ──▶ closed   when the quick slots fill the shared part
 *                     closed ──▶ open   when a quarter of it is free again
 *
 * Invariants, before and after every call:
 *  1. Quick slots are at most `max`, and those of retries at most `retryMax`.
 *  2. A slot given to an endpoint that does not respond leaves the `reserved` ones free.
 *  3. An endpoint has at most `perEndpointMax` slots, quick and slow, that are not answered; of these at most
 *     `perEndpointRetryMax` are of retries.
 *  4. All slots together are at most `max` + `slowMax.first`: nothing is given while there are too many slow ones.
 *  5. The slots of all endpoints are the quick and the slow ones, no more and no fewer.
 *  6. An endpoint is not both silent and responding, and no more of each are remembered than the bounds say.
 *  7. It is idle exactly when no slot is taken and nobody is in a line; it is busy exactly when a slot is taken.
 *  8. The room is open when a quarter of the shared part is free, and closed when none is.
 *  9. A line has at most `lineMax`, and moves whenever a first attempt has room and retries keep theirs.
 */
import type * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Delivery, Lane } from "../Delivery.ts"
import { Lines, type Turn } from "./Lines.ts"
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
  readonly isCrowded: (endpointId: string, lane: Lane) => boolean
  /** Endpoints that may have one attempt at a time. */
  readonly silent: () => ReadonlyArray<string>
  /** Endpoints of which a claim may take more than of others: swift ones, while slots of theirs are taken. */
  readonly swift: () => ReadonlyArray<string>
  /** Those of these first attempts that there is room for, all of them together. */
  readonly fitting: (deliveries: ReadonlyArray<Delivery>) => ReadonlyArray<Delivery>
  /** Whether due work may have to wait for room. */
  readonly isTight: () => boolean
  /** Null when there is no room. */
  readonly take: (endpointId: string, lane: Lane, now: number) => Slot | null
  /** A first attempt that was claimed stands in the line of its endpoint for a slot. False: there is no place in it. */
  readonly join: (endpointId: string, lane: Lane, turn: Turn<Slot>) => boolean
  readonly leave: () => void
  /** Ends all lines, and has none from now on. */
  readonly endLines: () => void
  /** The receiver has nothing more to do with the attempt: another may begin there while the outcome is being written. */
  readonly answered: (slot: Slot, outcome: Outcome, now: number) => void
  /** The attempt is over; `outcome` counts unless it was told already. */
  readonly give: (slot: Slot, outcome: Outcome, now: number) => void
  /** Counts attempts as slow that have become so by `now`. */
  readonly age: (now: number) => void
  /** Waits while the room is closed. */
  readonly awaitRoom: Effect.Effect<void>
  readonly awaitIdle: Effect.Effect<void>
  readonly awaitBusy: Effect.Effect<void>
}

/** Slots of each endpoint. */
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

/** What can be waited for; `show` follows the load, and how many are in lines. */
const makeLatches = (bounds: Rules.SlotBounds) => {
  const room = Latch.makeUnsafe(true)
  const idle = Latch.makeUnsafe(true)
  const busy = Latch.makeUnsafe(false)
  let isRoomOpen = true
  const show = (load: Rules.Load, waiting: number) => {
    const isBusy = load.quick.all + load.slow.all > 0
    isRoomOpen = Rules.isOpen(bounds, load, isRoomOpen)
    open(room, isRoomOpen)
    open(idle, !isBusy && waiting === 0)
    open(busy, isBusy)
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
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: short steps over the same counts
export const make = (bounds: Rules.SlotBounds, ring: () => void): Slots => {
  /** Those whose receivers are not done with them. */
  const endpoints = new EndpointCounts()
  /** All that are taken: a fast receiver is done with the last before the next claim. */
  const held = new EndpointCounts()
  const standings = new Standings(bounds)
  const lines = new Lines<Slot>()
  const latches = makeLatches(bounds)
  /** Oldest first. */
  const quick = new Set<Slot>()
  /** Those whose receivers are not done with them. */
  const unanswered = new Set<Slot>()
  let load = Rules.noLoad
  let hasLines = true

  const endpointOf = (id: string): Rules.EndpointLoad => ({
    count: endpoints.of(id),
    standing: standings.of(id),
    waiting: lines.of(id)
  })
  const free = (lane: Lane) => (lines.size < bounds.waitingMax ? Rules.free(bounds, load, lane) : 0)
  const isCrowded = (id: string, lane: Lane) => Rules.isCrowded(bounds, endpointOf(id), lane)
  const crowded = (lane: Lane) => endpoints.ids().filter((id) => isCrowded(id, lane))
  const show = (next: Rules.Load) => {
    load = next
    latches.show(load, lines.size)
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
    unanswered.add(slot)
    endpoints.change(slot, 1)
    held.change(slot, 1)
    show({ ...load, [kind]: Rules.plus(load[kind], lane, 1) })
    return slot
  }

  const join = (endpointId: string, lane: Lane, turn: Turn<Slot>): boolean => {
    const isFull = lines.size >= bounds.waitingMax
    if (!hasLines || isFull || !Rules.hasPlace(bounds, endpointOf(endpointId), lane)) return false
    lines.join(endpointId, turn)
    show(load)
    return true
  }

  const serve = (endpointId: string, now: number): void => {
    while (lines.of(endpointId) > 0 && Rules.hasTurn(bounds, endpointOf(endpointId))) {
      const slot = take(endpointId, "first", now)
      if (slot === null) return
      lines.call(endpointId, slot)
    }
  }

  const leave = () => {
    lines.leave()
    show(load)
  }

  const endLines = () => {
    hasLines = false
    for (const id of lines.endpoints()) lines.end(id)
  }

  const answered = (slot: Slot, outcome: Outcome, now: number): void => {
    if (!unanswered.delete(slot)) return
    const before = endpointOf(slot.endpointId)
    endpoints.change(slot, -1)
    if (outcome !== "unknown") standings.note(slot.endpointId, outcome)
    if (outcome === "silent") lines.end(slot.endpointId)
    else serve(slot.endpointId, now)
    if (Rules.givesEndpointRoom(bounds, slot.lane, before, endpointOf(slot.endpointId))) ring()
  }

  /** The load is another than it was `before`. */
  const changed = (before: Rules.Load, now: number): void => {
    if (Rules.givesRoom(bounds, before, load)) ring()
    // Lines may have stood still for want of room that is not their endpoints' own.
    if (Rules.free(bounds, before, "first") === 0) for (const id of lines.endpoints()) serve(id, now)
  }

  const give = (slot: Slot, outcome: Outcome, now: number): void => {
    answered(slot, outcome, now)
    held.change(slot, -1)
    const before = load
    show(without(load, slot))
    changed(before, now)
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
    changed(before, now)
  }

  return {
    free,
    crowded,
    isCrowded,
    silent: standings.silent,
    swift: () => held.ids().filter((id) => standings.of(id) === "swift"),
    fitting: (deliveries) => fittingOf(bounds, load, endpointOf, deliveries),
    isTight: () => Rules.lanes.some((lane) => free(lane) === 0 || crowded(lane).length > 0),
    take,
    join,
    leave,
    endLines,
    answered,
    give,
    age,
    awaitRoom: latches.awaitRoom,
    awaitIdle: latches.awaitIdle,
    awaitBusy: latches.awaitBusy
  }
}
