/** The filter of the calls page, in the address of the page, and what it asks of the API. */
import type { useClient } from "../app/Session.tsx"

type Query = NonNullable<Parameters<ReturnType<typeof useClient>["calls"]["list"]>[0]>

/** The filters of calls, in the API's names; the page lists no verifications. */
export type Filter = Omit<Query, "verifies">

const hourMillis = 3_600_000

/** Ranges of time that end now. */
export const ranges = {
  hour: { name: "last hour", millis: hourMillis },
  day: { name: "last 24 hours", millis: 24 * hourMillis },
  week: { name: "last 7 days", millis: 7 * 24 * hourMillis },
  month: { name: "last 30 days", millis: 30 * 24 * hourMillis }
} as const

export type RangeName = keyof typeof ranges

const isRange = (name: string): name is RangeName => Object.hasOwn(ranges, name)

/** The range of the address; null: all calls. */
export const rangeOf = (read: (name: string) => unknown): RangeName | null => {
  const name = read("range")
  return typeof name === "string" && isRange(name) ? name : null
}

export const names = ["text", "model", "source", "tag", "external_id", "served_by", "outcome"] as const

/** Without the range, whose beginning moves. */
export const filterOf = (read: (name: string) => unknown): Filter =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = read(name)
      return typeof value === "string" && value !== "" ? [[name, value]] : []
    })
  )

/** With the beginning of the range: the API excludes it. */
export const within = (filter: Filter, range: RangeName | null, now: number): Filter =>
  range === null ? filter : { ...filter, created_after: new Date(now - ranges[range].millis).toISOString() }
