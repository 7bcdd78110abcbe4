import { assert, describe, it } from "@effect/vitest"
import type { ServedCall } from "@limbeck/capture/call/CallStore"
import { CallId } from "@limbeck/capture/call/CapturedCall"
import * as Id from "@limbeck/core/ids/Id"
import * as CallDriftRules from "../src/guard/CallDriftRules.ts"

const { byChance, driftOf, unlikeByChance } = CallDriftRules
const id = CallId.make(Id.floorAt("call", 1))

const byStudent: ServedCall = { id, servedBy: "student", fallbackReason: null, confidence: 0.75 }
const byFallback: ServedCall = { id, servedBy: "upstream_fallback", fallbackReason: "confidence", confidence: 0.25 }
const byUpstream: ServedCall = { id, servedBy: "upstream", fallbackReason: null, confidence: null }
const guarded: ServedCall = { ...byFallback, fallbackReason: "guarded", confidence: null }

const many = <A>(count: number, one: A): ReadonlyArray<A> => Array.from({ length: count }, () => one)
const first = [...many(450, byStudent), ...many(50, byFallback)]

describe("the drift of a deployment's calls", () => {
  it("has no share of the fallback before 600 calls, or where no call asked the student (P1152)", () => {
    assert.deepStrictEqual(driftOf(CallDriftRules.none), {
      fallbackShare: null,
      reasons: {},
      newTemplates: null,
      confidence: null
    })
    assert.isNull(driftOf({ before: first, now: many(99, byStudent) }).fallbackShare)
    assert.isNotNull(driftOf({ before: first, now: many(100, byStudent) }).fallbackShare)
    assert.isNull(driftOf({ before: first, now: [...many(300, byUpstream), ...many(200, guarded)] }).fallbackShare)
  })

  it("compares the calls that asked the student, and has the reasons of the last ones (P1152)", () => {
    const failed: ServedCall = { ...byFallback, servedBy: "mixed", fallbackReason: "failed", confidence: null }
    const now = [...many(100, byStudent), ...many(60, byFallback), ...many(40, failed), ...many(300, byUpstream)]
    const drift = driftOf({ before: first, now })
    assert.deepInclude(drift, { reasons: { confidence: 0.3, failed: 0.2 }, newTemplates: 0 })
    const unknown: ServedCall = { ...byFallback, fallbackReason: "unknown_template" }
    assert.strictEqual(driftOf({ before: first, now: [...many(90, byStudent), ...many(10, unknown)] }).newTemplates, 10)
    assert.deepInclude(drift.fallbackShare, { before: 0.1, now: 0.5 })
    assert.isBelow(drift.fallbackShare!.byChance, 1e-20)
    assert.closeTo(drift.confidence!.before, 0.7, 1e-9)
    assert.closeTo(drift.confidence!.now, (100 * 0.75 + 60 * 0.25) / 160, 1e-9)
  })

  it("is by chance as Fisher's exact test has it (P1152)", () => {
    // The tea tasting of Fisher (1935), and a table with equal shares.
    assert.closeTo(byChance({ all: 4, some: 3 }, { all: 4, some: 1 }), 34 / 70, 1e-9)
    assert.closeTo(byChance({ all: 4, some: 4 }, { all: 4, some: 0 }), 2 / 70, 1e-9)
    assert.closeTo(byChance({ all: 500, some: 50 }, { all: 500, some: 50 }), 1, 1e-9)
    assert.closeTo(byChance({ all: 500, some: 0 }, { all: 100, some: 0 }), 1, 1e-9)
  })

  it("compares distributions of the confidence by their largest distance (P1330)", () => {
    const steps = Array.from({ length: 100 }, (_, nth) => nth)
    const higher = steps.map((value) => value + 30)
    // Their distribution functions are 0.3 apart: 2 exp(-2 * 50 * 0.09).
    assert.closeTo(unlikeByChance(steps, higher), 2 * Math.exp(-9), 1e-9)
    assert.closeTo(unlikeByChance(higher, steps), 2 * Math.exp(-9), 1e-9)
    assert.strictEqual(unlikeByChance(steps, steps), 1)
    assert.closeTo(unlikeByChance(many(100, 0.5), many(100, 0.9)), 2 * Math.exp(-100), 1e-50)
  })
})
