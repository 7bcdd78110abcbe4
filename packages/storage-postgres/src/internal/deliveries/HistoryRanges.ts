/** Which ranges of time the tables of history should have, and what they are called. Bounds are ids of deliveries. */
import * as Id from "@limbeck/core/ids/Id"
import type { Millis } from "@limbeck/core/time/Timestamp"
import { historyGraceMillis } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as DateTime from "effect/DateTime"

/**
 * A week, which is what may be kept for longer: a month of history has about six ranges. A statement that cannot tell the
 * range looks into each of them.
 */
const widthMillis = historyGraceMillis

/** Made in advance, beside the present one: servers may be away for so long. */
const rangesAhead = 1

/** Where rows came before their range, it begins so much later than now, and they stay where they are. */
const headStartMillis = 60_000

/** `from` is included, `to` is not. */
export interface Bounds {
  readonly from: string
  readonly to: string
}

export interface MissingRange {
  /** What tells the table from others of its kind: the day on which the range begins. */
  readonly suffix: string
  readonly to: string
  /** Where it may begin: the first at which nothing is in the way. */
  readonly starts: ReadonlyArray<string>
}

/** The least id that a delivery of the instant can have. */
export const floorAt = (at: Millis): string => Id.floorAt("del", at)

/** Where a range that ends at `to` may begin, beside those that are there; null: it is there. */
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
