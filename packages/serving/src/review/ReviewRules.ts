/**
 * Assigns the entries of a review queue to people. An entry is leased to one person for some minutes, and returns to the others when the lease
 * ends without a verdict. Two people judge a share of the entries, to measure agreement. Pure.
 */
import type { Giver } from "@limbeck/capture/feedback/Feedback"
import type { Millis } from "@limbeck/core/time/Timestamp"
import { ServingLimits } from "../Limits.ts"
import type { Entry, Lease, ReviewQueue, Verdict } from "./ReviewQueue.ts"

export const isSameGiver = (one: Giver, other: Giver): boolean => one.kind === other.kind && one.id === other.id

/** Entries in order; every `1 / shared` entries, the first needs two people. */
export const entriesOf = (keys: ReadonlyArray<string>, shared: number): ReadonlyArray<Entry> => {
  const every = Math.max(1, Math.round(1 / shared))
  const peopleAt = (at: number) => (shared > 0 && at % every === 0 ? 2 : 1)
  return keys.map((key, at) => ({ key, people: peopleAt(at), isGone: false, leases: [], verdicts: [] }))
}

export const verdictOf = ({ verdicts }: Entry, by: Giver): Verdict | undefined =>
  verdicts.find((verdict) => isSameGiver(verdict.by, by))

const isHeld = ({ leases }: Entry, by: Giver, now: Millis): boolean =>
  leases.some((lease) => lease.until > now && isSameGiver(lease.by, by))

/** Verdicts that the entry still needs, without the leases of other people. */
const placesFor = ({ leases, people, verdicts }: Entry, by: Giver, now: Millis): number => {
  const given = verdicts.filter(({ verdict }) => verdict !== "skip").length
  return people - given - leases.filter((lease) => lease.until > now && !isSameGiver(lease.by, by)).length
}

/** Whether this person may judge the entry now. */
export const isOpenTo = (entry: Entry, by: Giver, now: Millis): boolean =>
  !entry.isGone && verdictOf(entry, by) === undefined && placesFor(entry, by, now) > 0

/** The places of the entries that the person may judge now, in order: the leased entry first. */
export const openTo = ({ entries }: ReviewQueue, by: Giver, now: Millis): ReadonlyArray<number> => {
  const open = [...entries.keys()].filter((place) => isOpenTo(entries[place]!, by, now))
  const held = open.find((place) => isHeld(entries[place]!, by, now))
  return held === undefined ? open : [held, ...open.filter((place) => place !== held)]
}

/** Batches of places for concurrent reads: a single place first, because most answers are readable, then batches of `atOnce`. */
export const readings = (places: ReadonlyArray<number>, atOnce: number): ReadonlyArray<ReadonlyArray<number>> =>
  Array.from({ length: Math.ceil((places.length - 1) / atOnce) + 1 }, (_, index) =>
    index === 0 ? places.slice(0, 1) : places.slice(1 + (index - 1) * atOnce, 1 + index * atOnce)
  )

const withEntry = (queue: ReviewQueue, place: number, change: (entry: Entry) => Entry): ReviewQueue => ({
  ...queue,
  entries: queue.entries.map((entry, at) => (at === place ? change(entry) : entry))
})

/** Leases that others hold. */
const othersOf = ({ leases }: Entry, by: Giver, now: Millis): ReadonlyArray<Lease> =>
  leases.filter((lease) => lease.until > now && !isSameGiver(lease.by, by))

/** Leases one entry to the person, in place of any other. */
export const leaseEntry = (queue: ReviewQueue, place: number, by: Giver, now: Millis): ReviewQueue => {
  const lease = { by, until: now + ServingLimits.reviewLeaseMillis }
  return {
    ...queue,
    entries: queue.entries.map((entry, at) => {
      if (at === place) return { ...entry, leases: [...othersOf(entry, by, now), lease] }
      return isHeld(entry, by, now) ? { ...entry, leases: othersOf(entry, by, now) } : entry
    })
  }
}

export const withoutEntry = (queue: ReviewQueue, place: number): ReviewQueue =>
  withEntry(queue, place, (entry) => ({ ...entry, isGone: true, leases: [] }))

export const addVerdict = (queue: ReviewQueue, place: number, verdict: Verdict): ReviewQueue =>
  withEntry(queue, place, (entry) => ({
    ...entry,
    leases: othersOf(entry, verdict.by, verdict.givenAt),
    verdicts: [...entry.verdicts, verdict]
  }))

/** Without this person's verdict on the entry. */
export const removeVerdict = (queue: ReviewQueue, place: number, by: Giver): ReviewQueue =>
  withEntry(queue, place, (entry) => ({
    ...entry,
    verdicts: entry.verdicts.filter((verdict) => !isSameGiver(verdict.by, by))
  }))

/** The place of the entry with this person's last verdict; -1: none. */
export const lastOf = ({ entries }: ReviewQueue, by: Giver): number => {
  const times = entries.map((entry) => verdictOf(entry, by)?.givenAt ?? -1)
  const last = Math.max(-1, ...times)
  return last < 0 ? -1 : times.lastIndexOf(last)
}
