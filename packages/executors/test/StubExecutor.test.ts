import { assert, describe, it } from "@effect/vitest"
import type { Progress, StageContext } from "@limbeck/distill/run/Executor"
import { currentStage } from "@limbeck/distill/run/Run"
import * as StubExecutor from "@limbeck/executors/StubExecutor"
import * as Crypto from "@limbeck/node/Crypto"
import * as Plans from "@limbeck/testing/fixtures/Plans"
import * as StageContexts from "@limbeck/testing/fixtures/StageContexts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"

const version = Plans.version()
const recipeAsSent = Plans.recipe(["sft", "grpo", "eval", "publish"])

const run = (dryRun: boolean): StageContext["run"] => Plans.newRun(version, { recipeAsSent, dryRun })

/** All that the stub says at the stages of a run, by kind. */
const walk = Effect.fnUntraced(function* (dryRun: boolean, pace = 0) {
  const executor = StubExecutor.make({ pace })
  const of = run(dryRun)
  const said = yield* Effect.forEach(of.stages, (stage) =>
    Effect.map(
      Effect.flatMap(StageContexts.make({ run: of, stage, version }), ({ context }) =>
        Stream.runCollect(executor.execute(context))
      ),
      (all): readonly [kind: string, said: ReadonlyArray<Progress>] => [stage.kind, all]
    )
  )
  return new Map(said)
}, Effect.provide(Crypto.layer))

const endings = (walked: ReadonlyMap<string, ReadonlyArray<Progress>>) =>
  [...walked].map(([kind, said]) => {
    const last = said.at(-1)
    return [kind, last?._tag === "Finished" ? last.outcome : "no result"]
  })

describe("StubExecutor", () => {
  it("is named, so that a run and its report can say that it was stubs", () =>
    assert.strictEqual(StubExecutor.make({ pace: 0 }).name, "stub"))

  it.effect("a dry run ends every stage well, and skips publication", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(endings(yield* walk(true)), [
        ["materialize", "succeeded"],
        ["sft", "succeeded"],
        ["grpo", "succeeded"],
        ["eval", "succeeded"],
        ["publish", "skipped"]
      ])
    })
  )

  it.effect("a live run on stubs publishes an empty artifact", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(endings(yield* walk(false)).at(-1), ["publish", "succeeded"])
    })
  )

  it.effect("the same run says the same, however fast", () =>
    Effect.gen(function* () {
      const first = yield* walk(true)
      assert.deepStrictEqual(yield* walk(true), first)
      const slow = yield* Effect.forkChild(walk(true, 1_000))
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* Fiber.join(slow), first)
    })
  )

  it.effect("every stage says its last word once, at the end, and shows something before it", () =>
    Effect.gen(function* () {
      for (const [kind, said] of yield* walk(true)) {
        assert.deepStrictEqual(said.map(({ _tag }) => _tag).indexOf("Finished"), said.length - 1, kind)
        assert.isTrue(said.some(({ _tag }) => _tag === "Log"))
      }
    })
  )

  it.effect("it spends nothing: no metric speaks of cost, accelerators or judges", () =>
    Effect.gen(function* () {
      const said = [...(yield* walk(true)).values()].flat()
      const names = said.flatMap((one) => (one._tag === "Metric" ? [one.name] : []))
      assert.deepStrictEqual([...new Set(names)].sort(), ["holdout_rows", "reward_mean", "rows", "train_loss"])
    })
  )

  it.effect("a training curve gets better step by step, in numbers that can be stored", () =>
    Effect.gen(function* () {
      const walked = yield* walk(true)
      const values = (kind: string) =>
        (walked.get(kind) ?? []).flatMap((one) => (one._tag === "Metric" ? [one.value] : []))
      const losses = values("sft")
      assert.isAbove(losses.length, 2)
      assert.deepStrictEqual(
        losses,
        losses.toSorted((a, b) => b - a)
      )
      assert.deepStrictEqual(
        values("grpo"),
        values("grpo").toSorted((a, b) => a - b)
      )
      for (const value of [...losses, ...values("grpo")]) assert.isTrue(Number.isFinite(value))
    })
  )

  it.effect(
    "rows that the builtin student would refuse fail its rehearsal, with the same code and message (P203)",
    () =>
      Effect.gen(function* () {
        const executor = StubExecutor.make({ pace: 0 })
        const row = (index: number, completion: string) => ({
          key: `${index}`,
          row: { messages: [{ role: "user", content: `question ${index}` }] as const, completion }
        })
        const rehearse = (train: ReadonlyArray<ReturnType<typeof row>>, student: string, seq: number) => {
          const of = Plans.newRun(version, { recipeAsSent: Plans.recipe(["sft"], student), dryRun: true })
          const made = StageContexts.make({
            run: of,
            stage: of.stages[seq - 1]!,
            version,
            rows: { train, holdout: [] }
          })
          return made.pipe(
            Effect.flatMap(({ context }) => Effect.result(Stream.runCollect(executor.execute(context)))),
            Effect.provide(Crypto.layer)
          )
        }
        const texts = Array.from({ length: 300 }, (_, index) => row(index, `an answer of its own, number ${index}`))
        const failure = Result.getFailure(yield* rehearse(texts, Plans.builtin, 2))
        const { code, message, retryable } = Option.getOrThrow(failure)
        assert.deepStrictEqual({ code, retryable }, { code: "labels_not_closed", retryable: false })
        assert.match(message, /^The completions are no closed set: 236 of 300 train rows/)
        assert.isTrue(Result.isSuccess(yield* rehearse(texts, Plans.llm, 2)))
        const labels = texts.map((_, index) => row(index, index % 2 ? "yes" : "no"))
        assert.isTrue(Result.isSuccess(yield* rehearse(labels, Plans.builtin, 2)))
      })
  )

  it.effect("the pace is how long each word takes", () =>
    Effect.gen(function* () {
      const executor = StubExecutor.make({ pace: "40 millis" })
      const of = run(true)
      const stage = currentStage(of)
      const { context } = yield* Effect.provide(StageContexts.make({ run: of, stage, version }), Crypto.layer)
      const fiber = yield* Effect.forkChild(
        Effect.andThen(Stream.runDrain(executor.execute(context)), Clock.currentTimeMillis)
      )
      yield* TestClock.adjust("1 second")
      const words = (yield* walk(true)).get("materialize")?.length ?? 0
      assert.isAtMost(yield* Fiber.join(fiber), words * 40)
      assert.isAtLeast(yield* Fiber.join(fiber), (words - 1) * 40)
    })
  )
})
