/**
 * The attempts that one process has under way. Every attempt takes a slot, and no more slots are given than `SlotRules` allow,
 * so that an endpoint that hangs uses up its own share and no other's. However many receivers hang, those that respond find
 * room: a slow attempt is counted apart from the quick ones, and a silent endpoint gets one attempt at a time, which counts as
 * slow from its start. A workspace has no more than its share of the slots (see `Shares`), so that thousands of hanging endpoints
 * of one leave room for those of the others.
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
 *     a line          join ───▶ a slot, by `noteAnswer` or `give`   of claimed first attempts at a swift endpoint, so that a claim
 *                     join ───▶ null ───▶ leave, when it ends       takes many at once, though few are under way
 *
 *     the room        open ──▶ closed   when the quick slots fill the shared part
 *                     closed ──▶ open   when a quarter of it is free again
 *
 * Invariants, before and after every call; `mistake` checks 1, 4 and the sums of 5 before each claim:
 *  1. Quick slots are at most `max`, and those of retries at most `retryMax`.
 *  2. A slot for an endpoint that does not respond leaves the `reserved` slots free.
 *  3. An endpoint has at most `perEndpointMax` unanswered slots, quick and slow; at most `perEndpointRetryMax` of these for
 *     retries.
 *  4. All slots together are at most `max` + `slowMax.first`: too many slow slots stop all giving.
 *  5. The endpoints' slots are exactly the quick and the slow slots.
 *  6. An endpoint is never both silent and responding, and the bounds limit how many of each are remembered.
 *  7. The process is idle exactly when no slot is taken and every line is empty; it is busy exactly when a slot is taken.
 *  8. The room is open when a quarter of the shared part is free, and closed when none is.
 *  9. A slot is given to a workspace only while its quick slots, this one included, are no more than the free ones of the quick,
 *     and all its slots no more than the free ones of the slow; so too of the parts that retries may have.
 * 10. A line has at most `lineMax`, and moves whenever a first attempt has room and retries keep theirs.
 */
import type { WorkspaceId } from "@limbeck/core/ids/Id"
import type * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Delivery, Lane } from "../Delivery.ts"
import type { Rooms } from "../DeliveryStore.ts"
import { type EndpointRef, Lines, type Turn } from "./Lines.ts"
import * as Rules from "./SlotRules.ts"
import { Standings } from "./Standings.ts"
import { WorkspaceLoads } from "./WorkspaceLoads.ts"

/** The place of one attempt. */
export interface Slot {
  readonly endpoint: EndpointRef
  readonly lane: Lane
  readonly startedAt: number
}

/** An endpoint's behaviour in one attempt; `unknown`: no attempt was made. */
export type Outcome = Exclude<Rules.Reputation, "stranger"> | "unknown"

export interface Slots {
  readonly free: (lane: Lane) => number
  /** The number and text of a broken invariant; null where all hold. */
  readonly mistake: () => string | null
  /** Endpoints with less room in the lane than one claim may take. */
  readonly crowdedEndpoints: (lane: Lane) => ReadonlyArray<string>
  /** How many more a claim may take of each workspace. */
  readonly rooms: (lane: Lane) => Rooms
  /** Whether the end of an attempt will ring for the endpoint: it or its workspace has no room for a claim now. */
  readonly isCrowded: (endpoint: EndpointRef, lane: Lane) => boolean
  /** Endpoints that may have one attempt at a time. */
  readonly silent: () => ReadonlyArray<string>
  /** Swift endpoints with a taken slot, for which a claim may take more than for others. */
  readonly swift: () => ReadonlyArray<string>
  /** The first attempts of the workspace that fit into its room together. */
  readonly fitting: (workspace: WorkspaceId, deliveries: ReadonlyArray<Delivery>) => ReadonlyArray<Delivery>
  /** Whether due work may have to wait for room. */
  readonly isTight: () => boolean
  /** Null when there is no room. */
  readonly take: (endpoint: EndpointRef, lane: Lane, now: number) => Slot | null
  /** A first attempt that was claimed stands in the line of its endpoint for a slot. False: there is no place in it. */
  readonly join: (endpoint: EndpointRef, lane: Lane, turn: Turn<Slot>) => boolean
  readonly leave: (workspace: WorkspaceId) => void
  /** Ends all lines, and has none from now on. */
  readonly endLines: () => void
  /** The receiver has nothing more to do with the attempt: another may begin there while the outcome is being written. */
  readonly noteAnswer: (slot: Slot, outcome: Outcome, now: number) => void
  /** The attempt is over; `outcome` counts unless it was told already. */
  readonly give: (slot: Slot, outcome: Outcome, now: number) => void
  /** Moves attempts that have become slow by `now` to the slow ones. */
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

  change({ endpoint: { id }, lane }: Slot, by: 1 | -1): void {
    const after = Rules.plus(this.of(id), lane, by)
    if (after.all > 0) this.counts.set(id, after)
    else this.counts.delete(id)
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

/** The first attempts of a workspace with the load `mine` that fit when they are taken one after the other. */
const fittingOf = (
  bounds: Rules.SlotBounds,
  load: Rules.Load,
  mine: Rules.Load,
  endpointOf: (id: string) => Rules.EndpointLoad,
  deliveries: ReadonlyArray<Delivery>
): ReadonlyArray<Delivery> => {
  const endpoints = new Map<string, Rules.EndpointLoad>()
  let chosen = 0
  return deliveries.filter(({ endpointId }) => {
    const endpoint = endpoints.get(endpointId) ?? endpointOf(endpointId)
    const room = Math.min(
      Rules.freeFor(bounds, load, "first", endpoint.standing),
      Rules.roomFor(bounds, load, mine, "first", endpoint.standing)
    )
    const isFree = room > chosen
    if (!isFree || !Rules.hasRoom(bounds, endpoint, "first")) return false
    endpoints.set(endpointId, { ...endpoint, count: Rules.plus(endpoint.count, "first", 1) })
    chosen++
    return true
  })
}

/** `ring` is called when claims that found too little room may find more. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: short steps over the same counts
export const make = (bounds: Rules.SlotBounds, ring: () => void): Slots => {
  /** Slots without a response yet. */
  const endpoints = new EndpointCounts()
  /** All that are taken: a fast receiver is done with the last before the next claim. */
  const held = new EndpointCounts()
  const standings = new Standings(bounds)
  const workspaces = new WorkspaceLoads(bounds)
  const lines = new Lines<Slot>()
  const latches = makeLatches(bounds)
  /** Oldest first. */
  const quick = new Set<Slot>()
  /** Slots without a response yet. */
  const unanswered = new Set<Slot>()
  let load = Rules.noLoad
  let hasLines = true

  const endpointOf = (id: string): Rules.EndpointLoad => ({
    count: endpoints.of(id),
    standing: standings.of(id),
    waiting: lines.of(id)
  })
  const free = (lane: Lane) => (lines.size < bounds.waitingMax ? Rules.free(bounds, load, lane) : 0)
  const isEndpointCrowded = (id: string, lane: Lane) => Rules.isCrowded(bounds, endpointOf(id), lane)
  const crowdedEndpoints = (lane: Lane) => endpoints.ids().filter((id) => isEndpointCrowded(id, lane))
  const isCrowded = ({ id, workspace }: EndpointRef, lane: Lane) => {
    if (isEndpointCrowded(id, lane)) return true
    if (!workspaces.isFull(load, workspace, lane)) return false
    workspaces.wait(workspace)
    return true
  }
  const show = () => latches.show(load, lines.size)
  /** Counts the slot, of the process and of its workspace, among the quick and the slow ones. */
  const count = ({ endpoint: { workspace }, lane }: Slot, by: Partial<Record<keyof Rules.Load, 1 | -1>>): void => {
    const after = ({ quick, slow }: Rules.Load): Rules.Load => ({
      quick: by.quick === undefined ? quick : Rules.plus(quick, lane, by.quick),
      slow: by.slow === undefined ? slow : Rules.plus(slow, lane, by.slow)
    })
    workspaces.set(workspace, after(workspaces.of(workspace)))
    load = after(load)
  }

  const take = (ref: EndpointRef, lane: Lane, now: number): Slot | null => {
    const endpoint = endpointOf(ref.id)
    const { standing } = endpoint
    if (Rules.freeFor(bounds, load, lane, standing) === 0 || !Rules.hasRoom(bounds, endpoint, lane)) return null
    if (Rules.roomFor(bounds, load, workspaces.of(ref.workspace), lane, standing) === 0) {
      workspaces.wait(ref.workspace)
      return null
    }
    const slot: Slot = { endpoint: ref, lane, startedAt: now }
    const kind = standing === "silent" ? "slow" : "quick"
    if (kind === "quick") quick.add(slot)
    unanswered.add(slot)
    endpoints.change(slot, 1)
    held.change(slot, 1)
    count(slot, { [kind]: 1 })
    show()
    return slot
  }

  const join = (ref: EndpointRef, lane: Lane, turn: Turn<Slot>): boolean => {
    const isFull = !Rules.hasPlaceInLines(bounds, lines.ofWorkspace(ref.workspace), lines.size)
    if (!hasLines || isFull || !Rules.hasPlace(bounds, endpointOf(ref.id), lane)) return false
    lines.join(ref, turn)
    show()
    return true
  }

  const serve = (ref: EndpointRef, now: number): void => {
    while (lines.of(ref.id) > 0 && Rules.hasTurn(bounds, endpointOf(ref.id))) {
      const slot = take(ref, "first", now)
      if (slot === null) return
      lines.call(ref, slot)
    }
  }

  const leave = (workspace: WorkspaceId) => {
    lines.leave(workspace)
    show()
  }

  const endLines = () => {
    hasLines = false
    for (const { id } of lines.endpoints()) lines.end(id)
  }

  const noteAnswer = (slot: Slot, outcome: Outcome, now: number): void => {
    if (!unanswered.delete(slot)) return
    const { id } = slot.endpoint
    const before = endpointOf(id)
    endpoints.change(slot, -1)
    if (outcome !== "unknown") standings.note(id, outcome)
    if (outcome === "silent") lines.end(id)
    else serve(slot.endpoint, now)
    if (Rules.givesEndpointRoom(bounds, slot.lane, before, endpointOf(id))) ring()
  }

  /** Called when the load differs from `before`. */
  const changed = (before: Rules.Load, now: number): void => {
    if (Rules.givesRoom(bounds, before, load)) ring()
    // Lines may have stood still for want of room that is not their endpoints' own.
    const wasFull = Rules.free(bounds, before, "first") === 0
    const called = workspaces.areWaiting ? workspaces.takeReady(load) : []
    if (called.length > 0) ring()
    if (!wasFull && called.length === 0) return
    for (const ref of lines.endpoints()) if (wasFull || called.includes(ref.workspace)) serve(ref, now)
  }

  const give = (slot: Slot, outcome: Outcome, now: number): void => {
    noteAnswer(slot, outcome, now)
    held.change(slot, -1)
    const before = load
    count(slot, quick.delete(slot) ? { quick: -1 } : { slow: -1 })
    show()
    changed(before, now)
  }

  const age = (now: number): void => {
    const before = load
    for (const slot of quick) {
      if (slot.startedAt + bounds.slowMillis > now) break
      quick.delete(slot)
      count(slot, { quick: -1, slow: 1 })
    }
    show()
    changed(before, now)
  }

  return {
    free,
    mistake: () => Rules.mistakeIn(bounds, load, { quick: quick.size, unanswered: unanswered.size }),
    crowdedEndpoints,
    rooms: (lane) => workspaces.rooms(load, lane),
    isCrowded,
    silent: standings.silent,
    swift: () => held.ids().filter((id) => standings.of(id) === "swift"),
    fitting: (workspace, deliveries) => fittingOf(bounds, load, workspaces.of(workspace), endpointOf, deliveries),
    isTight: () =>
      workspaces.areWaiting || Rules.lanes.some((lane) => free(lane) === 0 || crowdedEndpoints(lane).length > 0),
    take,
    join,
    leave,
    endLines,
    noteAnswer,
    give,
    age,
    awaitRoom: latches.awaitRoom,
    awaitIdle: latches.awaitIdle,
    awaitBusy: latches.awaitBusy
  }
}
