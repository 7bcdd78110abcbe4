/**
 * Whether a deployment's calls have changed since its student, its threshold or its accepted drift: compares how the first
 * calls since then were answered with the last ones. Pure.
 */
import type { ServedCall } from "@limbeck/capture/call/CallStore"

/** Calls in the first window and in the last one. */
export const windowCalls = 500
/** Of fewer calls after the first window nothing is compared. */
const latestMin = 100

/** In the order of their ids; `now` holds no call of `before`. */
export interface Windows {
  readonly before: ReadonlyArray<ServedCall>
  readonly now: ReadonlyArray<ServedCall>
}

export const none: Windows = { before: [], now: [] }

export interface Shift {
  readonly before: number
  readonly now: number
  /** The probability of a difference of this size or more between calls of one kind. */
  readonly byChance: number
}

interface CallDrift {
  /** Of the calls that asked the student; `byChance` is the p-value of Fisher's exact test, two-sided. */
  readonly fallbackShare: Shift | null
  /** Share of the last calls that asked the student, by the reason for their fallback. */
  readonly reasons: Readonly<Record<string, number>>
  /** Of the last calls, those under a system prompt that the student does not know; null before there are calls enough. */
  readonly newTemplates: number | null
  /** Means of the student's confidence, null without any; `byChance` is a bound of the test of Kolmogorov and Smirnov. */
  readonly confidence: Shift | null
}

const nothing: CallDrift = { fallbackShare: null, reasons: {}, newTemplates: null, confidence: null }

/** The rest of the traffic goes to the upstream by its owner's choice, and that of a guarded student by its breach. */
const isAsked = ({ fallbackReason, servedBy }: ServedCall): boolean =>
  servedBy === "student" || ((servedBy === "upstream_fallback" || servedBy === "mixed") && fallbackReason !== "guarded")

const isFallback = ({ servedBy }: ServedCall): boolean => servedBy !== "student"

/** Logarithms of the factorials up to the calls of two windows. */
const logFactorials: ReadonlyArray<number> = (() => {
  const logs = [0]
  for (let n = 1; n <= 2 * windowCalls; n++) logs.push(logs[n - 1]! + Math.log(n))
  return logs
})()

const logChoose = (n: number, k: number): number => logFactorials[n]! - logFactorials[k]! - logFactorials[n - k]!

/** Rounding must not exclude a table that is as likely as the observed one. */
const tolerance = 1e-9

interface Counts {
  readonly all: number
  readonly some: number
}

/**
 * Fisher's exact test, two-sided: the probability of a difference at least as unlikely as that of the two shares, if the calls
 * of both windows go to the fallback with one probability.
 */
export const byChance = (one: Counts, other: Counts): number => {
  const some = one.some + other.some
  const all = logChoose(one.all + other.all, some)
  const logOf = (first: number) => logChoose(one.all, first) + logChoose(other.all, some - first) - all
  const observed = logOf(one.some) + tolerance
  let sum = 0
  for (let first = Math.max(0, some - other.all); first <= Math.min(one.all, some); first++) {
    const log = logOf(first)
    if (log <= observed) sum += Math.exp(log)
  }
  return Math.min(1, sum)
}

/** The largest difference of the two distribution functions; both samples ascend. */
const distanceOf = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): number => {
  let [first, second, distance] = [0, 0, 0]
  while (first < one.length && second < other.length) {
    const value = Math.min(one[first]!, other[second]!)
    while (first < one.length && one[first]! === value) first++
    while (second < other.length && other[second]! === value) second++
    distance = Math.max(distance, Math.abs(first / one.length - second / other.length))
  }
  return distance
}

/**
 * A bound of the p-value of the two-sample test of Kolmogorov and Smirnov (the inequality of Dvoretzky, Kiefer and Wolfowitz
 * for two samples: Wei and Dudley, 2012).
 */
export const unlikeByChance = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): number => {
  const ascending = [one, other].map((values) => values.toSorted((a, b) => a - b))
  const size = (one.length * other.length) / (one.length + other.length)
  return Math.min(1, 2 * Math.exp(-2 * size * distanceOf(ascending[0]!, ascending[1]!) ** 2))
}

const meanOf = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

const confidenceOf = (first: ReadonlyArray<ServedCall>, last: ReadonlyArray<ServedCall>): Shift | null => {
  const [before, now] = [first, last].map((calls) =>
    calls.flatMap(({ confidence }) => (confidence === null ? [] : [confidence]))
  )
  if (before === undefined || now === undefined || before.length === 0 || now.length === 0) return null
  return { before: meanOf(before), now: meanOf(now), byChance: unlikeByChance(before, now) }
}

const reasonsOf = (calls: ReadonlyArray<ServedCall>): Readonly<Record<string, number>> => {
  const reasons = calls.filter(isFallback).map(({ fallbackReason }) => fallbackReason ?? "unknown")
  const groups = Map.groupBy(reasons, (reason) => reason)
  return Object.fromEntries([...groups].map(([reason, { length }]) => [reason, length / calls.length]))
}

/** Whether the first window is full, and the last one has calls enough to compare. */
export const isFull = ({ before, now }: Windows): boolean => before.length >= windowCalls && now.length >= latestMin

export const driftOf = (windows: Windows): CallDrift => {
  if (!isFull(windows)) return nothing
  const [before, now] = [windows.before.filter(isAsked), windows.now.filter(isAsked)]
  const [first, last] = [before, now].map((asked) => ({ all: asked.length, some: asked.filter(isFallback).length }))
  if (first === undefined || last === undefined || first.all === 0 || last.all === 0) return nothing
  return {
    fallbackShare: { before: first.some / first.all, now: last.some / last.all, byChance: byChance(first, last) },
    reasons: reasonsOf(now),
    newTemplates: now.filter(({ fallbackReason }) => fallbackReason === "unknown_template").length,
    confidence: confidenceOf(before, now)
  }
}
