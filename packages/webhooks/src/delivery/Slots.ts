/**
 * How many attempts one process has under way: in all, per endpoint, and of both the part that retries may have. It hands
 * out no more than the bounds, so that an endpoint that hangs holds its own share and no other's. An attempt that has
 * become slow is counted apart and leaves its place; an endpoint that did not answer at all gets one attempt at a time
 * until it does. So however many receivers hang, those that answer find room.
 */
import type * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Delivery, Lane } from "./Delivery.ts"

export interface SlotBounds {
  /** Attempts that are not slow. */
  readonly max: number
  /** Of `max`, those kept for endpoints that answered last time. */
  readonly reserved: number
  /** Of `max`, those of retries. */
  readonly retryMax: number
  readonly perEndpointMax: number
  readonly perEndpointRetryMax: number
  /** Taken of one endpoint at once, by lane. */
  readonly perEndpointClaimMax: { readonly [L in Lane]: number }
  /** When an attempt becomes slow. */
  readonly slowMillis: number
  /** Slow attempts, by lane and with the lanes before it: above this nothing more is claimed. */
  readonly slowMax: { readonly [L in Lane]: number }
  /** Endpoints remembered for not having answered, and for having. */
  readonly silentMax: number
  readonly answeringMax: number
}

/** The place of one attempt. */
export interface Slot {
  readonly endpointId: string
  readonly lane: Lane
  readonly startedAt: number
}

export interface Slots {
  readonly free: (lane: Lane) => number
  /** Endpoints with less room in the lane than one claim may take. */
  readonly crowded: (lane: Lane) => ReadonlyArray<string>
  /** Endpoints that may have one attempt, because the last one was not answered. */
  readonly silent: () => ReadonlyArray<string>
  /** Those of these first attempts that there is room for, all of them together. */
  readonly fitting: (deliveries: ReadonlyArray<Delivery>) => ReadonlyArray<Delivery>
  /** Whether due work may have to wait for room. */
  readonly isTight: () => boolean
  /** Null when there is no room. */
  readonly take: (endpointId: string, lane: Lane, now: number) => Slot | null
  /** `isSilent`: the attempt got no answer, null: none was made. Answers whether there is room again where there was too little. */
  readonly give: (slot: Slot, isSilent: boolean | null) => boolean
  /** Moves attempts that have become slow out of the way, and answers like `give`. */
  readonly age: (now: number) => boolean
  /** Ends when there is room: at once, or after being full when a quarter is free again, so that claims stay large. */
  readonly awaitRoom: Effect.Effect<void>
  readonly awaitIdle: Effect.Effect<void>
  readonly awaitBusy: Effect.Effect<void>
}

/** Attempts under way. */
interface Count {
  readonly all: number
  readonly retries: number
}

const none: Count = { all: 0, retries: 0 }

const plus = (count: Count, lane: Lane, by: 1 | -1): Count => ({
  all: count.all + by,
  retries: lane === "retry" ? count.retries + by : count.retries
})

const isPlenty = (used: number, max: number): boolean => used <= (max * 3) / 4

const lanes = ["first", "retry"] as const

/** What is under way at each endpoint. */
class EndpointCounts {
  private readonly counts = new Map<string, Count>()
  readonly entries = () => this.counts.entries()
  readonly of = (endpointId: string): Count => this.counts.get(endpointId) ?? none

  /** Answers the count before. */
  change({ endpointId, lane }: Pick<Slot, "endpointId" | "lane">, by: 1 | -1): Count {
    const before = this.of(endpointId)
    const after = plus(before, lane, by)
    if (after.all > 0) this.counts.set(endpointId, after)
    else this.counts.delete(endpointId)
    return before
  }
}

/** Endpoints of which something holds, the longest known first; of too many, these are forgotten. */
class KnownEndpoints {
  private readonly ids = new Set<string>()
  private readonly max: number
  constructor(max: number) {
    this.max = max
  }
  readonly has = (endpointId: string) => this.ids.has(endpointId)
  readonly all = () => [...this.ids]

  note(endpointId: string, holds: boolean): void {
    if (!holds) this.ids.delete(endpointId)
    else this.ids.add(endpointId)
    const [oldest] = this.ids
    if (oldest !== undefined && this.ids.size > this.max) this.ids.delete(oldest)
  }
}

export const make = (bounds: SlotBounds): Slots => {
  const endpoints = new EndpointCounts()
  const silent = new KnownEndpoints(bounds.silentMax)
  const answering = new KnownEndpoints(bounds.answeringMax)
  /** What anybody may have, and what is taken up to by claims, which do not know whom they will meet. */
  const sharedMax = bounds.max - bounds.reserved
  /** Attempts that are not slow, oldest first. */
  const quick = new Set<Slot>()
  const room = Latch.makeUnsafe(true)
  const idle = Latch.makeUnsafe(true)
  const busy = Latch.makeUnsafe(false)
  let quickCount = none
  let slowCount = none

  const isCrowded = (endpointId: string, lane: Lane, { all, retries }: Count) => {
    if (silent.has(endpointId)) return all > 0
    const more = bounds.perEndpointClaimMax[lane]
    return all + more > bounds.perEndpointMax || (lane === "retry" && retries + more > bounds.perEndpointRetryMax)
  }
  const crowded = (lane: Lane) =>
    [...endpoints.entries()].flatMap(([id, count]) => (isCrowded(id, lane, count) ? [id] : []))
  const isSlowFull = (lane: Lane) =>
    slowCount.all >= bounds.slowMax.first || (lane === "retry" && slowCount.retries >= bounds.slowMax.retry)
  const freeOf = (max: number, lane: Lane) => {
    if (isSlowFull(lane)) return 0
    const all = Math.max(0, max - quickCount.all)
    return lane === "retry" ? Math.min(all, Math.max(0, bounds.retryMax - quickCount.retries)) : all
  }
  const free = (lane: Lane) => freeOf(sharedMax, lane)
  /** For one endpoint, what nobody else may have too. */
  const freeFor = (endpointId: string, lane: Lane) => freeOf(answering.has(endpointId) ? bounds.max : sharedMax, lane)

  /** Room for one more at an endpoint that has `count`. */
  const hasRoom = (endpointId: string, lane: Lane, { all, retries }: Count) =>
    all < (silent.has(endpointId) ? 1 : bounds.perEndpointMax) &&
    (lane === "first" || retries < bounds.perEndpointRetryMax)

  const fitting = (deliveries: ReadonlyArray<Delivery>) => {
    const counts = new Map<string, Count>()
    let chosen = 0
    return deliveries.filter(({ endpointId }) => {
      const count = counts.get(endpointId) ?? endpoints.of(endpointId)
      if (freeFor(endpointId, "first") <= chosen || !hasRoom(endpointId, "first", count)) return false
      counts.set(endpointId, plus(count, "first", 1))
      chosen++
      return true
    })
  }

  const take = (endpointId: string, lane: Lane, now: number) => {
    if (freeFor(endpointId, lane) === 0 || !hasRoom(endpointId, lane, endpoints.of(endpointId))) return null
    const slot: Slot = { endpointId, lane, startedAt: now }
    endpoints.change(slot, 1)
    if (silent.has(endpointId)) slowCount = plus(slowCount, lane, 1)
    else {
      quick.add(slot)
      quickCount = plus(quickCount, lane, 1)
    }
    idle.closeUnsafe()
    busy.openUnsafe()
    if (quickCount.all >= sharedMax) room.closeUnsafe()
    return slot
  }

  /** Does `change`, and answers whether a lane has plenty of room by it that had not. */
  const freeing = (change: () => void): boolean => {
    const before = lanes.map((lane) => isSlowFull(lane))
    const retriesBefore = quickCount.retries
    change()
    if (isPlenty(quickCount.all, sharedMax)) room.openUnsafe()
    const retriesFit = isPlenty(quickCount.retries, bounds.retryMax) && !isPlenty(retriesBefore, bounds.retryMax)
    return retriesFit || lanes.some((lane, at) => before[at] === true && !isSlowFull(lane))
  }

  const leave = (slot: Slot) => {
    if (quick.delete(slot)) quickCount = plus(quickCount, slot.lane, -1)
    else slowCount = plus(slowCount, slot.lane, -1)
  }

  return {
    free,
    crowded,
    silent: silent.all,
    fitting,
    isTight: () => lanes.some((lane) => free(lane) === 0 || crowded(lane).length > 0),
    take,
    give: (slot, isSilent) => {
      const { endpointId, lane } = slot
      const wereCrowded = lanes.map((each) => isCrowded(endpointId, each, endpoints.of(endpointId)))
      const isFree = freeing(() => leave(slot))
      endpoints.change(slot, -1)
      if (isSilent !== null) {
        silent.note(endpointId, isSilent)
        answering.note(endpointId, !isSilent)
      }
      if (quickCount.all + slowCount.all === 0) {
        idle.openUnsafe()
        busy.closeUnsafe()
      }
      const fits = lanes.map(
        (each, at) => wereCrowded[at] === true && !isCrowded(endpointId, each, endpoints.of(endpointId))
      )
      // What a first attempt frees is told once, when first attempts have room for a claim: retries then choose first.
      return lane === "first" ? isFree || fits[0] === true : isFree || fits.includes(true)
    },
    age: (now) =>
      freeing(() => {
        for (const slot of quick) {
          if (slot.startedAt + bounds.slowMillis > now) break
          leave(slot)
          slowCount = plus(slowCount, slot.lane, 1)
        }
      }),
    awaitRoom: room.await,
    awaitIdle: idle.await,
    awaitBusy: busy.await
  }
}
