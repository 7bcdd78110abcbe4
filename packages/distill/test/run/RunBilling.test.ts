/** A live run's holds and charges. */
import { assert, describe, it } from "@effect/vitest"
import { BillingSettings } from "@limbeck/billing/BillingSettings"
import { Ledger } from "@limbeck/billing/ledger/Ledger"
import { Queue } from "@limbeck/core/queue/Queue"
import * as ComputeProfile from "@limbeck/distill/recipe/ComputeProfile"
import { Progress } from "@limbeck/distill/run/Executor"
import * as Run from "@limbeck/distill/run/Run"
import { audit, entriesOf } from "@limbeck/testing/fixtures/Audits"
import { request } from "@limbeck/testing/fixtures/Plans"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import {
  at,
  cancel,
  create,
  created,
  done,
  driven,
  failing,
  failureOf,
  live,
  read,
  retry,
  runOnce,
  say,
  stored,
  test,
  told,
  typesTold,
  world
} from "./World.ts"

const price = ComputeProfile.local.microsPerGpuSecond

const worldWith = (enforced: boolean, balanceLowMicros: number | null = null) =>
  Layer.provide(Layer.fresh(world), Layer.succeed(BillingSettings, { enforced, balanceLowMicros }))

const topUp = (amountUsd: number, reference = `payment ${amountUsd}`) =>
  Effect.flatMap(Ledger, (ledger) => ledger.topUp(live, { amountUsd, reference }))

const liveRun = (maxCostUsd: number) => ({ dryRun: false, maxCostUsd })

/** Of the ledger, oldest first: kind, amount and reference. */
const posted = Effect.map(entriesOf(live), (entries) =>
  entries.map(({ kind, micros, reference }) => [kind, micros, reference])
)

/** At sft a hundred seconds of the machine and nine tokens of a judge. */
const spending = at("sft", () =>
  Stream.make<Array<Progress>>(Progress.Spend({ usage: { gpuSeconds: 100, judgeTokens: 9_000_000 } }), done())
)
const training = 100 * price
const judging = 9_000_000

describe("live runs and the balance", () => {
  it.effect(
    "a run holds its budget from its creation on, is charged what it cost, and the rest is released (P153)",
    () =>
      Effect.gen(function* () {
        yield* topUp(50)
        yield* say(spending)
        const { id } = yield* created(liveRun(40))
        assert.deepInclude(yield* audit(live), { available: 10_000_000, held: 40_000_000, spent: 0 })
        yield* runOnce
        assert.strictEqual((yield* read(id)).status, "succeeded")
        const spent = training + judging
        assert.deepInclude(yield* audit(live), { available: 50_000_000 - spent, held: 0, spent })
        assert.deepStrictEqual(yield* posted, [
          ["top_up", 50_000_000, "payment 50"],
          ["hold", 40_000_000, id],
          ["release", 40_000_000, id],
          ["training", training, id],
          ["judging", judging, id]
        ])
      }).pipe(Effect.provide(worldWith(true)))
  )

  it.effect("a run that fails, is canceled or meets its budget is settled in the transaction that ends it (P153)", () =>
    Effect.gen(function* () {
      yield* topUp(50)
      yield* say(at("sft", () => failing(false)))
      assert.strictEqual((yield* driven(liveRun(40))).status, "failed")
      assert.deepInclude(yield* audit(live), { available: 50_000_000, held: 0, spent: 0 })
      const waiting = yield* created(liveRun(40))
      yield* cancel(waiting.id)
      assert.deepInclude(yield* audit(live), { available: 50_000_000, held: 0, spent: 0 })
      yield* say(spending)
      const stopped = yield* driven(liveRun(0.001))
      assert.deepInclude(stopped.error, { code: "budget_exceeded" })
      const spent = stopped.totals.costMicros
      assert.deepInclude(yield* audit(live), { available: 50_000_000 - spent, held: 0, spent })
      assert.isAtMost(spent, 1_000)
    }).pipe(Effect.provide(worldWith(true)))
  )

  it.effect("a retry holds what is left of the budget, and only what it adds is charged (P153)", () =>
    Effect.gen(function* () {
      yield* topUp(50)
      yield* say(({ stage, ...context }) => (stage.kind === "eval" ? failing(false) : spending({ stage, ...context })))
      const { id } = yield* driven(liveRun(40))
      const first = training + judging
      assert.deepInclude(yield* audit(live), { available: 50_000_000 - first, held: 0, spent: first })
      yield* retry(id)
      assert.deepInclude(yield* audit(live), { available: 10_000_000, held: 40_000_000 - first, spent: first })
      yield* say(
        at("eval", () =>
          Stream.make<Array<Progress>>(Progress.Spend({ usage: { gpuSeconds: 7, judgeTokens: 0 } }), done())
        )
      )
      yield* runOnce
      assert.deepInclude(yield* read(id), { status: "succeeded" })
      const spent = first + 7 * price
      assert.deepInclude(yield* audit(live), { available: 50_000_000 - spent, held: 0, spent })
      assert.deepStrictEqual((yield* posted).slice(-3), [
        ["hold", 40_000_000 - first, `${id}/2`],
        ["release", 40_000_000 - first, `${id}/2`],
        ["training", 7 * price, `${id}/2`]
      ])
    }).pipe(Effect.provide(worldWith(true)))
  )

  it.effect("of two retries at once one holds and the other is told that somebody was faster (P151)", () =>
    Effect.gen(function* () {
      yield* topUp(50)
      const { id } = yield* created(liveRun(40))
      yield* cancel(id)
      const results = yield* Effect.all([failureOf(retry(id)), failureOf(retry(id))], { concurrency: "unbounded" })
      const refused = results.filter((failure) => failure !== undefined)
      assert.strictEqual(refused.length, 1)
      assert.oneOf(refused[0]?._tag, ["RunNotRetryable", "ChangedMeanwhile"])
      assert.deepInclude(yield* audit(live), { available: 10_000_000, held: 40_000_000 })
    }).pipe(Effect.provide(worldWith(true)))
  )

  it.effect("a run that the balance does not cover is refused last, and leaves nothing (P155)", () =>
    Effect.gen(function* () {
      yield* topUp(3)
      const { id } = yield* stored()
      const refused = yield* failureOf(create(request(id, liveRun(3.000001))))
      assert.deepInclude(refused, {
        _tag: "QuotaExceeded",
        purpose: "run",
        availableMicros: 3_000_000,
        neededMicros: 3_000_001
      })
      assert.deepInclude(yield* failureOf(create(request(id, liveRun(0)))), { _tag: "InvalidInput" })
      assert.deepStrictEqual(yield* typesTold(), [])
      assert.isNull(yield* (yield* Queue).nextDueAt(Run.topic))
      assert.deepInclude(yield* audit(live), { available: 3_000_000, held: 0 })
    }).pipe(Effect.provide(worldWith(true)))
  )

  it.effect("of many runs that ask for one balance at once only so many start as it covers (P152, P155)", () =>
    Effect.gen(function* () {
      yield* topUp(10)
      const { id } = yield* stored()
      const all = Effect.forEach(Array.from({ length: 20 }), () => Effect.result(create(request(id, liveRun(3)))), {
        concurrency: "unbounded"
      })
      assert.strictEqual((yield* all).filter(Result.isSuccess).length, 3)
      assert.deepInclude(yield* audit(live), { available: 1_000_000, held: 9_000_000 })
    }).pipe(Effect.provide(worldWith(true)))
  )

  it.effect("rehearsals and test mode hold nothing and are never refused (P156)", () =>
    Effect.gen(function* () {
      yield* say(spending)
      for (const [fields, partition] of [
        [{ dryRun: true, maxCostUsd: 40 }, live],
        [liveRun(40), test]
      ] as const) {
        const run = yield* driven(fields, partition)
        assert.strictEqual(run.status, "succeeded")
        assert.deepStrictEqual(yield* entriesOf(partition), [])
      }
    }).pipe(Effect.provide(worldWith(true)))
  )

  it.effect("where balances do not bind nothing is held, and what a run cost is charged all the same", () =>
    Effect.gen(function* () {
      yield* say(spending)
      const { id } = yield* driven(liveRun(40))
      const spent = training + judging
      assert.deepInclude(yield* audit(live), { available: -spent, held: 0, spent })
      assert.deepStrictEqual(
        (yield* posted).map(([kind, , reference]) => [kind, reference]),
        [
          ["training", id],
          ["judging", id]
        ]
      )
    }).pipe(Effect.provide(worldWith(false)))
  )

  it.effect("a balance that falls below the threshold is told once, with the entry, until it was above again", () =>
    Effect.gen(function* () {
      yield* topUp(20)
      const first = yield* created(liveRun(15))
      const second = yield* created(liveRun(1))
      const low = Effect.map(told(), (events) => events.filter(({ type }) => type === "billing.balance_low"))
      assert.deepStrictEqual(
        (yield* low).map(({ object }) => object),
        [
          {
            id: live.workspace,
            object: "balance",
            balance_usd: 5,
            enforced: true,
            status: "low",
            threshold_usd: 10
          } as never
        ]
      )
      for (const { id } of [first, second]) yield* cancel(id)
      yield* created(liveRun(15))
      assert.strictEqual((yield* low).length, 2)
    }).pipe(Effect.provide(worldWith(true, 10_000_000)))
  )
})
