/** The time ranges of the history tables, and their names. Bounds are ids of deliveries. */
import * as Id from "@limbeck/core/ids/Id"
import type { Millis } from "@limbeck/core/time/Timestamp"
import { historyGraceMillis } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as DateTime from "effect/DateTime"

/**
 * A week, which is the retention's tolerance: a month of history has about six ranges. A statement that cannot tell the
 * range looks into each of them.
 */
const widthMillis = historyGraceMillis

/** Made in advance, beside the present one: servers may be away for so long. */
const rangesAhead = 1

/** If earlier rows block a range, the range starts this much later than now, and the rows stay in place. */
const headStartMillis = 60_000

/** `from` is included, `to` is not. */
export interface Bounds {
  readonly from: string
  readonly to: string
}

export interface MissingRange {
  /** Distinguishes the tables of one kind: the day on which the range begins. */
  readonly suffix: string
  readonly to: string
  /** Possible starts, in order of preference: the first without conflicting rows wins. */
  readonly starts: ReadonlyArray<string>
}

/** The least id that a delivery of the instant can have. */
export const floorAt = (at: Millis): string => Id.floorAt("del", at)

/** The start for a new range that ends at `to`, next to the existing ranges; null if the range exists. */
const uncoveredFrom = (ranges: ReadonlyArray<Bounds>, from: string, to: string): string | null => {
  const met = ranges.filter((range) => range.from < to && range.to > from)
  if (met.some((range) => range.to >= to)) return null
  return (
    met
      .map((range) => range.to)
      .toSorted()
      .at(-1) ?? from
  )
}

/** What is missing at `now`. */
export const missingAt = (now: Millis, ranges: ReadonlyArray<Bounds>): ReadonlyArray<MissingRange> => {
  const present = Math.floor(now / widthMillis)
  return Array.from({ length: 1 + rangesAhead }, (_, index) => (present + index) * widthMillis).flatMap((startsAt) => {
    const to = floorAt(startsAt + widthMillis)
    const from = uncoveredFrom(ranges, floorAt(startsAt), to)
    if (from === null) return []
    const late = floorAt(now + headStartMillis)
    const suffix = DateTime.formatIsoDateUtc(DateTime.makeUnsafe(startsAt)).replaceAll("-", "_")
    return [{ suffix, to, starts: late > from && late < to ? [from, late] : [from] }]
  })
}
