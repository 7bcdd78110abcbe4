/**
 * How many attempts a process may have under way: in all, per workspace, per endpoint, and of each the part that retries may
 * have. Pure: `Slots` keeps the counts and asks here what they allow.
 */
import * as Shares from "@limbeck/core/pools/Shares"
import type { Lane } from "../Delivery.ts"

export interface SlotBounds {
  /** Attempts that are not slow. */
  readonly max: number
  /** The part of `max` reserved for endpoints that responded last time. */
  readonly reserved: number
  /** Of `max`, those of retries. */
  readonly retryMax: number
  readonly perEndpointMax: number
  readonly perEndpointRetryMax: number
  /** Deliveries claimed from one endpoint at once, by lane. */
  readonly perEndpointClaimMax: { readonly [L in Lane]: number }
  /** First attempts of a swift endpoint claimed at once, and queued in its line. */
  readonly swiftClaimMax: number
  readonly lineMax: number
  /** In all lines together. */
  readonly waitingMax: number
  /** After how long an attempt is slow. */
  readonly slowMillis: number
  /** Slow attempts, by lane and with the lanes before it: from this number on, nothing more is claimed. */
  readonly slowMax: { readonly [L in Lane]: number }
  /** Endpoints remembered for being silent, for responding, and for being swift. */
  readonly silentMax: number
  readonly respondingMax: number
  readonly swiftMax: number
}

export const lanes = ["first", "retry"] as const satisfies ReadonlyArray<Lane>

/** Attempts under way. */
export interface Count {
  readonly all: number
  readonly retries: number
}

export const noneCounted: Count = { all: 0, retries: 0 }

export const plus = (count: Count, lane: Lane, by: 1 | -1): Count => ({
  all: count.all + by,
  retries: lane === "retry" ? count.retries + by : count.retries
})

/** Attempts of the whole process, or of one workspace. */
export interface Load {
  readonly quick: Count
  readonly slow: Count
}

export const noLoad: Load = { quick: noneCounted, slow: noneCounted }

/** An endpoint's behaviour in its last attempt; a stranger has none. */
export type Reputation = "stranger" | "responding" | "swift" | "silent"

export interface EndpointLoad {
  /** Quick and slow. */
  readonly count: Count
  readonly standing: Reputation
  /** In its line. */
  readonly waiting: number
}

/** The number and text of an invariant of `Slots` that the load breaks; null where it breaks none. `quick`: the quick slots. */
export const mistakeIn = (
  { max, retryMax, slowMax }: SlotBounds,
  { quick, slow }: Load,
  slots: { readonly quick: number; readonly unanswered: number }
): string | null => {
  if (quick.all > max || quick.retries > retryMax) return "1: there are more quick slots than allowed"
  if (quick.all + slow.all > max + slowMax.first) return "4: there are more slots than allowed"
  const isCounted = quick.all === slots.quick && slow.all >= 0 && slots.unanswered <= quick.all + slow.all
  return isCounted ? null : "5: the slots are not those that are counted"
}

/** Slots open to strangers. Claims take no more: they cannot know which endpoints they will meet. */
const sharedMax = ({ max, reserved }: SlotBounds): number => max - reserved

const isSlowFull = ({ slowMax }: SlotBounds, { slow }: Load, lane: Lane): boolean =>
  slow.all >= slowMax.first || (lane === "retry" && slow.retries >= slowMax.retry)

const freeOf = (max: number, bounds: SlotBounds, load: Load, lane: Lane): number => {
  if (isSlowFull(bounds, load, lane)) return 0
  const all = Math.max(0, max - load.quick.all)
  return lane === "retry" ? Math.min(all, Math.max(0, bounds.retryMax - load.quick.retries)) : all
}

/** Slots for a claim. */
export const free = (bounds: SlotBounds, load: Load, lane: Lane): number =>
  freeOf(sharedMax(bounds), bounds, load, lane)

const maxFor = (bounds: SlotBounds, standing: Reputation): number =>
  standing === "responding" || standing === "swift" ? bounds.max : sharedMax(bounds)

/** Slots for one endpoint, the reserved ones included if it responds. */
export const freeFor = (bounds: SlotBounds, load: Load, lane: Lane, standing: Reputation): number =>
  freeOf(maxFor(bounds, standing), bounds, load, lane)

const roomOf = (max: number, bounds: SlotBounds, load: Load, mine: Load, lane: Lane): number => {
  const ofFirst = Math.min(
    Shares.room(mine.quick.all, max - load.quick.all),
    // A quick attempt may become slow, so it has its place among the slow ones.
    Shares.room(mine.quick.all + mine.slow.all, bounds.slowMax.first - load.slow.all)
  )
  if (lane === "first") return ofFirst
  return Math.min(
    ofFirst,
    Shares.room(mine.quick.retries, bounds.retryMax - load.quick.retries),
    Shares.room(mine.quick.retries + mine.slow.retries, bounds.slowMax.retry - load.slow.retries)
  )
}

/** How many more attempts the workspace with the load `mine` may have by a claim. */
export const room = (bounds: SlotBounds, load: Load, mine: Load, lane: Lane): number =>
  roomOf(sharedMax(bounds), bounds, load, mine, lane)

/** The same for one endpoint of it, with its share of the reserved slots if the endpoint responds. */
export const roomFor = (bounds: SlotBounds, load: Load, mine: Load, lane: Lane, standing: Reputation): number =>
  roomOf(maxFor(bounds, standing), bounds, load, mine, lane)

/**
 * The room of the workspace for a claim; none below a quarter of its quick attempts, because claims must stay large.
 */
export const claimRoom = (bounds: SlotBounds, load: Load, mine: Load, lane: Lane): number => {
  const more = room(bounds, load, mine, lane)
  return more < mine.quick.all / 4 ? 0 : more
}

/** Whether the workspace may have one more in the lines of its endpoints, of which `mine` are its own and `all` of everybody. */
export const hasPlaceInLines = ({ waitingMax }: SlotBounds, mine: number, all: number): boolean =>
  Shares.fits(mine, 1, waitingMax - all)

/** Whether the endpoint may have one more. */
export const hasRoom = (bounds: SlotBounds, { count, standing }: EndpointLoad, lane: Lane): boolean =>
  count.all < (standing === "silent" ? 1 : bounds.perEndpointMax) &&
  (lane === "first" || count.retries < bounds.perEndpointRetryMax)

/** Whether the next of its line may begin: leaves room for a claim of retries, which would otherwise find none. */
export const hasTurn = (bounds: SlotBounds, { count }: EndpointLoad): boolean =>
  count.all < bounds.perEndpointMax - bounds.perEndpointClaimMax.retry

/** Whether the endpoint may have one more in its line. */
export const hasPlace = (bounds: SlotBounds, { standing, waiting }: EndpointLoad, lane: Lane): boolean =>
  lane === "first" && standing === "swift" && waiting < bounds.lineMax

/** Whether the endpoint has less room than one claim may take. */
export const isCrowded = (bounds: SlotBounds, { count, standing, waiting }: EndpointLoad, lane: Lane): boolean => {
  if (standing === "silent") return count.all > 0
  if (standing === "swift" && lane === "first") {
    return count.all + waiting + bounds.swiftClaimMax > bounds.perEndpointMax + bounds.lineMax
  }
  const more = bounds.perEndpointClaimMax[lane]
  return (
    count.all + more > bounds.perEndpointMax || (lane === "retry" && count.retries + more > bounds.perEndpointRetryMax)
  )
}

/** A quarter is free: after being full, claims wait for this much, so that they stay large. */
const isPlenty = (used: number, max: number): boolean => used <= (max * 3) / 4

/** Whether claims are open: they close when the shared part is full, and reopen when a quarter of it is free. */
export const isOpen = (bounds: SlotBounds, { quick }: Load, wasOpen: boolean): boolean =>
  quick.all < sharedMax(bounds) && (wasOpen || isPlenty(quick.all, sharedMax(bounds)))

/** Whether a lane of the process has room by this change that it had not. */
export const givesRoom = (bounds: SlotBounds, before: Load, after: Load): boolean => {
  const fitsRetries = ({ quick }: Load) => isPlenty(quick.retries, bounds.retryMax)
  return (
    (fitsRetries(after) && !fitsRetries(before)) ||
    lanes.some((lane) => isSlowFull(bounds, before, lane) && !isSlowFull(bounds, after, lane))
  )
}

/**
 * Whether the endpoint has room for a claim by this change that it had not. The end of a first attempt counts only for first
 * attempts: retries choose first in the claims that follow anyway.
 */
export const givesEndpointRoom = (
  bounds: SlotBounds,
  ended: Lane,
  before: EndpointLoad,
  after: EndpointLoad
): boolean =>
  lanes.some(
    (lane) =>
      (ended === "retry" || lane === "first") && isCrowded(bounds, before, lane) && !isCrowded(bounds, after, lane)
  )
