import { assert, describe, it } from "@effect/vitest"
import type { ServedCall } from "@limbeck/capture/call/CallStore"
import { CallId } from "@limbeck/capture/call/CapturedCall"
import * as Id from "@limbeck/core/ids/Id"
import { luck } from "@limbeck/testing/random/Luck"
import * as CallDriftRules from "../src/guard/CallDriftRules.ts"
import { type Answers, callsPerLook, levelOf, look, noLooks } from "../src/guard/DriftReviewRules.ts"

const { windowCalls } = CallDriftRules

/** A call of which the fallback answers this share, by the student's confidence. */
const callOf = (nth: number, fallbackShare: number, next: () => number): ServedCall => {
  const confidence = next() - fallbackShare
  const isFallback = confidence < 0
  return {
    id: CallId.make(Id.floorAt("call", nth)),
    servedBy: isFallback ? "upstream_fallback" : "student",
    fallbackReason: isFallback ? "confidence" : null,
    confidence
  }
}

const noAnswers: Answers = new Map()

/** The number of calls at which drift is found, looking at every `callsPerLook` calls; null: it is not. */
const foundAt = (calls: ReadonlyArray<ServedCall>): number | null => {
  let looks = noLooks
  for (let count = windowCalls + callsPerLook; count <= calls.length; count += callsPerLook) {
    const now = calls.slice(Math.max(windowCalls, count - windowCalls), count)
    const found = look(looks, { before: calls.slice(0, windowCalls), now }, noAnswers)
    assert.isNotNull(found)
    if (found!.isDrifted) return count
    looks = found!.looks
  }
  return null
}

const deployments = 100

const simulated = (seed: number, count: number, shareAt: (nth: number) => number) => {
  const next = luck(seed)
  return Array.from({ length: deployments }, () =>
    foundAt(Array.from({ length: count }, (_, nth) => callOf(nth, shareAt(nth), next)))
  )
}

describe("the review of a deployment's drift", () => {
  it("has levels whose sum over all looks is 1 of 100 (P1330)", () => {
    const sum = Array.from({ length: 100_000 }, (_, nth) => levelOf(nth + 1)).reduce((all, level) => all + level, 0)
    assert.isAtMost(sum, 0.01)
    assert.isAbove(sum, 0.0099)
  })

  it("looks again at a hundred new calls and not before (P1330)", () => {
    const next = luck(1)
    const calls = Array.from({ length: 800 }, (_, nth) => callOf(nth, 0.25, next))
    const before = calls.slice(0, windowCalls)
    assert.isNull(look(noLooks, { before, now: calls.slice(500, 599) }, noAnswers))
    assert.isNull(look(noLooks, { before: calls.slice(0, 499), now: calls.slice(499, 800) }, noAnswers))
    const first = look(noLooks, { before, now: calls.slice(500, 650) }, noAnswers)
    assert.deepStrictEqual(first, { looks: { count: 1, upTo: calls[649]!.id }, isDrifted: false })
    assert.isNull(look(first!.looks, { before, now: calls.slice(500, 749) }, noAnswers))
    assert.strictEqual(look(first!.looks, { before, now: calls.slice(500, 750) }, noAnswers)?.looks.count, 2)
  })

  it("finds no drift in calls of one kind in 99 of 100 deployments over 4,000 calls (P1330)", () =>
    assert.isAtMost(simulated(2, 4_000, () => 0.25).filter((at) => at !== null).length, deployments / 100))

  it("finds a fallback that doubles, within 500 calls of it in 95 of 100 deployments (P1330)", () => {
    const found = simulated(3, 2_000, (nth) => (nth < 1_500 ? 0.25 : 0.5))
    assert.isAtLeast(found.filter((at) => at !== null && at > 1_500).length, 0.95 * deployments)
  })

  it("finds less confidence without a threshold too (P1330)", () => {
    const next = luck(4)
    const calls = Array.from({ length: 1_000 }, (_, nth) => ({
      ...callOf(nth, 0, next),
      confidence: nth < 500 ? 0.5 + next() / 2 : next()
    }))
    assert.isNotNull(foundAt(calls))
  })
})
