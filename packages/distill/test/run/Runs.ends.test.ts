import { assert, describe, it } from "@effect/vitest"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Run from "@limbeck/distill/run/Run"
import { RunScheduler } from "@limbeck/distill/run/RunScheduler"
import { request } from "@limbeck/testing/fixtures/Plans"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import {
  at,
  cancel,
  create,
  created,
  driven,
  failing,
  failureOf,
  live,
  read,
  retry,
  Script,
  say,
  typesTold,
  world
} from "./World.ts"

const statusesOf = (run: { readonly stages: ReadonlyArray<{ readonly status: string }> }) =>
  run.stages.map(({ status }) => status)

describe("Runs: cancel", () => {
  it.effect("a waiting run is canceled at once, none of its stages begun, and never driven", () =>
    Effect.gen(function* () {
      const { id } = yield* created()
      yield* TestClock.adjust(7)
      const canceled = yield* cancel(id)
      assert.deepInclude(canceled, { status: "canceled", startedAt: null, finishedAt: 7, error: null })
      assert.deepStrictEqual(statusesOf(canceled), ["pending", "pending", "skipped", "pending", "pending"])
      assert.deepStrictEqual(yield* read(id), canceled)
      assert.strictEqual(yield* (yield* RunScheduler).runOnce, 0)
      assert.deepStrictEqual(yield* typesTold(), ["run.created", "run.canceled"])
    }).pipe(Effect.provide(world))
  )

  it.effect("an ended run is not canceled, however it ended", () =>
    Effect.gen(function* () {
      const succeeded = yield* driven()
      yield* say(at("sft", () => failing(false)))
      const failed = yield* driven()
      const canceled = yield* Effect.flatMap(created(), ({ id }) => cancel(id))
      for (const run of [succeeded, failed, canceled]) {
        assert.deepInclude(yield* failureOf(cancel(run.id)), { _tag: "RunEnded", id: run.id, status: run.status })
        assert.deepStrictEqual(yield* read(run.id), run)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("of many who cancel at the same time exactly one does, and it is told once", () =>
    Effect.gen(function* () {
      const { id } = yield* created()
      const results = yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.result(cancel(id)), {
        concurrency: "unbounded"
      })
      assert.lengthOf(results.filter(Result.isSuccess), 1)
      for (const failure of results.filter(Result.isFailure))
        assert.include(["RunEnded", "ChangedMeanwhile"], failure.failure._tag)
      assert.deepStrictEqual(yield* typesTold(), ["run.created", "run.canceled"])
    }).pipe(Effect.provide(world))
  )
})

describe("Runs: retry", () => {
  const failedAtEval = Effect.gen(function* () {
    yield* say(at("eval", () => failing(false)))
    return yield* driven()
  })

  it.effect("a failed run goes on from its failed stage, with its results and counts kept", () =>
    Effect.gen(function* () {
      const failed = yield* failedAtEval
      assert.deepStrictEqual(statusesOf(failed), ["succeeded", "succeeded", "skipped", "failed", "pending"])
      const retried = yield* retry(failed.id)
      assert.deepInclude(retried, { status: "queued", error: null, finishedAt: null, planHash: failed.planHash })
      assert.deepStrictEqual(retried.stages.slice(0, 3), failed.stages.slice(0, 3))
      assert.deepInclude(retried.stages[3], { status: "pending", attempt: 1, error: null, startedAt: null })
      yield* say(at("eval", () => failing(false)))
      yield* (yield* RunScheduler).runOnce
      assert.deepInclude((yield* read(failed.id)).stages[3], { status: "failed", attempt: 2 })
      assert.strictEqual((yield* read(failed.id)).stages[1]?.attempt, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("from an earlier stage everything from there on is done again", () =>
    Effect.gen(function* () {
      const failed = yield* failedAtEval
      const retried = yield* retry(failed.id, 2)
      assert.deepStrictEqual(statusesOf(retried), ["succeeded", "pending", "skipped", "pending", "pending"])
      yield* say(at("none", () => failing(false)))
      const script = yield* Script
      script.heard.length = 0
      yield* (yield* RunScheduler).runOnce
      const ended = yield* read(failed.id)
      assert.strictEqual(ended.status, "succeeded")
      assert.deepStrictEqual(
        ended.stages.map(({ attempt }) => attempt),
        [1, 2, 0, 2, 1]
      )
      assert.deepStrictEqual(
        script.heard.map(({ stage }) => stage.kind),
        ["sft", "eval", "publish"]
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("it has three new attempts, and is told as retried and started again", () =>
    Effect.gen(function* () {
      yield* say(at("materialize", () => failing(true)))
      const { id } = yield* created()
      const scheduler = yield* RunScheduler
      const exhaust = Effect.gen(function* () {
        for (const wait of [0, 5, 30]) {
          yield* TestClock.adjust(wait * 1000)
          yield* scheduler.runOnce
        }
        return yield* read(id)
      })
      assert.deepInclude((yield* exhaust).stages[0], { status: "failed", attempt: 3 })
      yield* retry(id)
      assert.deepInclude((yield* exhaust).stages[0], { status: "failed", attempt: 6 })
      assert.deepStrictEqual(yield* typesTold(), [
        "run.created",
        "run.started",
        "run.failed",
        "run.retried",
        "run.started",
        "run.failed"
      ])
    }).pipe(Effect.provide(world))
  )

  it.effect("a stage that is left out, is none, or has no results before it is refused", () =>
    Effect.gen(function* () {
      const failed = yield* failedAtEval
      for (const fromStage of [0, 6, -1]) {
        const failure = yield* failureOf(retry(failed.id, fromStage))
        assert.deepInclude(failure, { _tag: "InvalidInput", param: "from_stage" })
      }
      for (const [stage, open] of [
        [3, null],
        [5, 4]
      ] as const) {
        assert.deepInclude(yield* failureOf(retry(failed.id, stage)), { _tag: "StageNotRetryable", stage, open })
      }
      assert.deepStrictEqual(yield* read(failed.id), failed)
    }).pipe(Effect.provide(world))
  )

  it.effect("a run that waits, works or succeeded is not retried, whatever else is wrong", () =>
    Effect.gen(function* () {
      const succeeded = yield* driven()
      const queued = yield* created()
      for (const { id, status } of [succeeded, queued]) {
        for (const [fromStage, budget] of [
          [null, null],
          [9, null],
          [null, -1]
        ] as const) {
          assert.deepInclude(yield* failureOf(retry(id, fromStage, budget)), { _tag: "RunNotRetryable", id, status })
        }
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("another budget is another plan, which nobody rehearsed", () =>
    Effect.gen(function* () {
      const rehearsal = yield* driven()
      yield* say(at("eval", () => failing(false)))
      const proof = { dryRun: false, validatedDryRun: rehearsal.id, planHash: rehearsal.planHash }
      const { id } = yield* create(request(rehearsal.datasetVersion, proof))
      yield* (yield* RunScheduler).runOnce
      const same = yield* retry(id, null, 5)
      assert.deepInclude(same, { validatedDryRun: rehearsal.id, planHash: rehearsal.planHash, budgetMicros: 5_000_000 })
      yield* cancel(id)
      const raised = yield* retry(id, null, 7.5)
      const fresh = yield* create(request(rehearsal.datasetVersion, { maxCostUsd: 7.5 }))
      assert.deepInclude(raised, { validatedDryRun: null, planHash: fresh.planHash, budgetMicros: 7_500_000 })
    }).pipe(Effect.provide(world))
  )

  it.effect("a budget that is none, or at or below what was spent, is refused", () =>
    Effect.gen(function* () {
      yield* say(at("eval", () => failing(false)))
      const { id } = yield* driven({ dryRun: false })
      const resources = yield* ResourceStore
      const { revision, value } = Option.getOrThrow(yield* resources.find(live, Run.kind, id))
      const totals = { ...value.totals, costMicros: 3_000_000 }
      yield* resources.compareAndSet(live, Run.kind, { revision, value: { ...value, totals } })
      for (const budget of [0, -1, 0.0000001]) {
        const failure = yield* failureOf(retry(id, null, budget))
        assert.deepInclude(failure, { _tag: "InvalidInput", param: "budget.max_cost_usd" })
      }
      for (const budget of [2, 3]) {
        const spent = { spentMicros: 3_000_000, askedMicros: budget * 1_000_000 }
        assert.deepInclude(yield* failureOf(retry(id, null, budget)), { _tag: "BudgetTooSmall", ...spent })
      }
      assert.deepInclude(yield* retry(id, null, 3.000001), { status: "queued", budgetMicros: 3_000_001, totals })
    }).pipe(Effect.provide(world))
  )

  it.effect("of many who retry at the same time exactly one does, and the run is driven once", () =>
    Effect.gen(function* () {
      const failed = yield* failedAtEval
      yield* say(at("eval", () => failing(false)))
      const script = yield* Script
      script.heard.length = 0
      const results = yield* Effect.forEach(Array.from({ length: 10 }), () => Effect.result(retry(failed.id)), {
        concurrency: "unbounded"
      })
      assert.lengthOf(results.filter(Result.isSuccess), 1)
      for (const failure of results.filter(Result.isFailure))
        assert.include(["RunNotRetryable", "ChangedMeanwhile"], failure.failure._tag)
      assert.strictEqual(yield* (yield* RunScheduler).runOnce, 1)
      assert.lengthOf(script.heard, 1)
    }).pipe(Effect.provide(world))
  )
})
