import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as Page from "@limbeck/core/pages/Page"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import type { RunRequest } from "@limbeck/distill/run/NewRun"
import * as Run from "@limbeck/distill/run/Run"
import { RunScheduler } from "@limbeck/distill/run/RunScheduler"
import { Runs } from "@limbeck/distill/run/Runs"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { builtin, llm, recipe, request } from "./Plans.ts"
import {
  at,
  created,
  driven,
  failing,
  failureOf,
  live,
  read,
  Script,
  say,
  stored,
  stranger,
  test,
  told,
  typesTold,
  world
} from "./World.ts"

type Fields = Partial<Omit<RunRequest, "recipe">>

const create = (asked: RunRequest, partition = live) => Effect.flatMap(Runs, (runs) => runs.create(partition, asked))

const retry = (id: string, fromStage: number | null = null, maxCostUsd: number | null = null, partition = live) =>
  Effect.flatMap(Runs, (runs) => runs.retry(partition, id, { fromStage, maxCostUsd }))

const cancel = (id: string, partition = live) => Effect.flatMap(Runs, (runs) => runs.cancel(partition, id))

const statusesOf = (run: { readonly stages: ReadonlyArray<{ readonly status: string }> }) =>
  run.stages.map(({ status }) => status)

const none = { status: null, dryRun: null, datasetVersion: null }

describe("Runs: create", () => {
  it.effect("a new run is queued, is told once, and can be read in its own partition only", () =>
    Effect.gen(function* () {
      const run = yield* created()
      assert.strictEqual(run.status, "queued")
      assert.deepStrictEqual(yield* read(run.id), run)
      const [event, ...others] = yield* told()
      assert.deepInclude(event, { type: "run.created" })
      assert.deepInclude(event?.object, { id: run.id, status: "queued" })
      assert.isEmpty(others)
      for (const partition of [test, stranger]) {
        assert.deepInclude(yield* failureOf(read(run.id, partition)), { _tag: "NotFound" })
        assert.deepInclude(yield* failureOf(cancel(run.id, partition)), { _tag: "NotFound" })
        assert.deepInclude(yield* failureOf(retry(run.id, null, null, partition)), { _tag: "NotFound" })
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("its plan hash is that of data, recipe as sent, budget and compute, and of nothing else", () =>
    Effect.gen(function* () {
      const version = yield* stored()
      const text =
        '{"budget":{"max_cost_usd":5},"compute":{"gpu":null,"machine":"this-machine","profile":"local","spot":false},' +
        `"data":"${version.contentSha256}","recipe":{"rewards":[],"stages":[{"config":{},"kind":"sft"},` +
        `{"config":{},"kind":"eval"},{"config":{},"kind":"publish"}],"student_model":"${builtin}"}}`
      const hash = createHash("sha256").update(text).digest("hex")
      const twin = yield* stored()
      for (const fields of [{}, { name: null }, { studentModelName: "x" }, { dryRun: false }] satisfies Array<Fields>) {
        for (const { id } of [version, twin]) assert.strictEqual((yield* create(request(id, fields))).planHash, hash)
      }
      const other = yield* create(request(version.id, { maxCostUsd: 5.000001 }))
      assert.notStrictEqual(other.planHash, hash)
    }).pipe(Effect.provide(world))
  )

  it.effect("the checks come in the order of the contract, and each names what breaks it", () =>
    Effect.gen(function* () {
      const ready = yield* stored()
      const building = yield* stored({ status: "building", contentSha256: null })
      const broken = yield* stored({ status: "failed", contentSha256: null })
      const empty = yield* stored({ rows: 0, trainRows: 0, holdoutRows: 0 })
      const elsewhere = yield* stored({}, test)
      // All that can be wrong, in the order in which it is found; each case mends what was found before.
      const wrong = {
        dryRun: false,
        profile: "moon",
        maxCostUsd: 0,
        validatedDryRun: "run_00000000000000000000000000",
        planHash: "cd".repeat(32)
      }
      const wrongRecipe = (student: string, rewards: Array<string>, stages: Array<string>) => ({
        student_model: student,
        stages: stages.map((kind) => ({ kind, config: {} })),
        rewards
      })
      const bad = ["eval", "sft"]
      const cases: ReadonlyArray<readonly [version: string, fields: Fields, tag: string, param?: string]> = [
        [Fresh.id("dsv"), {}, "NotFound"],
        [elsewhere.id, {}, "NotFound"],
        [building.id, {}, "Conflict", "dataset_version"],
        [broken.id, {}, "Conflict", "dataset_version"],
        [empty.id, {}, "Conflict", "dataset_version"],
        [ready.id, {}, "InvalidInput", "recipe.student_model"],
        [ready.id, { recipeAsSent: wrongRecipe(llm, ["rew_1"], bad) }, "InvalidInput", "compute.profile"],
        [
          ready.id,
          { recipeAsSent: wrongRecipe(llm, ["rew_1"], bad), profile: "l4" },
          "InvalidInput",
          "recipe.rewards[0]"
        ],
        [ready.id, { recipeAsSent: wrongRecipe(llm, [], bad), profile: "l4" }, "InvalidInput", "recipe.stages[1].kind"],
        [
          ready.id,
          { recipeAsSent: wrongRecipe(llm, [], ["sft", "sft"]), profile: "l4" },
          "InvalidInput",
          "recipe.stages[1].kind"
        ],
        [
          ready.id,
          { recipeAsSent: wrongRecipe(llm, [], ["materialize", "sft"]), profile: "l4" },
          "InvalidInput",
          "recipe.stages[0].kind"
        ],
        [ready.id, { recipeAsSent: wrongRecipe(llm, [], ["eval"]), profile: "l4" }, "InvalidInput", "recipe.stages"],
        [ready.id, { recipeAsSent: recipe(["sft"], llm), profile: "l4" }, "InvalidInput", "budget.max_cost_usd"],
        [ready.id, { recipeAsSent: recipe(["sft"], llm), profile: "l4", maxCostUsd: 1 }, "NotFound"],
        [
          ready.id,
          { recipeAsSent: recipe(["sft"], llm), profile: "l4", maxCostUsd: 1, validatedDryRun: null, planHash: null },
          "Conflict",
          "recipe.student_model"
        ]
      ]
      const allWrong = { ...wrong, recipeAsSent: wrongRecipe("no/such", ["rew_1"], bad) }
      for (const [version, fields, _tag, param] of cases) {
        const failure = yield* failureOf(create(request(version, { ...allWrong, ...fields })))
        assert.deepInclude(failure, param === undefined ? { _tag } : { _tag, param })
      }
      assert.isEmpty(yield* told(), "a refused run leaves nothing")
    }).pipe(Effect.provide(world))
  )

  it.effect("a dry run may have no budget at all; a live run may not", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* created({ maxCostUsd: 0 })).budgetMicros, 0)
      const param = "budget.max_cost_usd"
      assert.deepInclude(yield* failureOf(created({ maxCostUsd: 0, dryRun: false })), { _tag: "InvalidInput", param })
      for (const dryRun of [true, false]) {
        assert.deepInclude(yield* failureOf(created({ maxCostUsd: -1, dryRun })), { _tag: "InvalidInput", param })
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("in test mode every run is a dry run, whatever it asks for, and names no rehearsal", () =>
    Effect.gen(function* () {
      const asked = { dryRun: false, validatedDryRun: Fresh.id("run"), planHash: "cd".repeat(32), maxCostUsd: 0 }
      const run = yield* created(asked, test)
      assert.deepInclude(run, { dryRun: true, validatedDryRun: null })
      const onLlm = yield* created({ dryRun: false, recipeAsSent: recipe(["sft"], llm) }, test)
      assert.isTrue(onLlm.dryRun)
    }).pipe(Effect.provide(world))
  )

  it.effect("a page has the runs that carry every filter, newest first", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const first = yield* driven()
      const second = yield* created({ dryRun: false })
      const third = yield* created()
      const page = (filter: Parameters<typeof runs.page>[1]) =>
        Effect.map(runs.page(live, filter, Page.firstPage(10)), ({ items }) => items.map(({ id }) => id))
      assert.deepStrictEqual(yield* page(none), [third.id, second.id, first.id])
      assert.deepStrictEqual(yield* page({ ...none, status: "succeeded" }), [first.id])
      assert.deepStrictEqual(yield* page({ ...none, dryRun: false }), [second.id])
      assert.deepStrictEqual(yield* page({ ...none, datasetVersion: third.datasetVersion }), [third.id])
      assert.deepStrictEqual(yield* page({ status: "queued", dryRun: true, datasetVersion: first.datasetVersion }), [])
      assert.deepStrictEqual((yield* runs.page(test, none, Page.firstPage(10))).items, [])
    }).pipe(Effect.provide(world))
  )
})

describe("Runs: the live gate", () => {
  it.effect("a live run with a rehearsal of the same plan is taken and names it", () =>
    Effect.gen(function* () {
      const rehearsal = yield* driven()
      assert.strictEqual(rehearsal.status, "succeeded")
      const proof = { dryRun: false, validatedDryRun: rehearsal.id, planHash: rehearsal.planHash }
      const run = yield* create(request(rehearsal.datasetVersion, proof))
      assert.deepInclude(run, { dryRun: false, validatedDryRun: rehearsal.id, planHash: rehearsal.planHash })
      // Other names for the same data are the same plan.
      const twin = yield* stored()
      assert.strictEqual((yield* create(request(twin.id, proof))).validatedDryRun, rehearsal.id)
    }).pipe(Effect.provide(world))
  )

  it.effect("a live run without proof is taken and shows that it has none", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* created({ dryRun: false }), { dryRun: false, validatedDryRun: null })
    }).pipe(Effect.provide(world))
  )

  it.effect("a rehearsal in test mode, or of another workspace, cannot be told from none", () =>
    Effect.gen(function* () {
      const version = yield* stored()
      for (const partition of [test, stranger]) {
        const rehearsal = yield* driven({}, partition)
        const proof = { dryRun: false, validatedDryRun: rehearsal.id, planHash: rehearsal.planHash }
        const failure = yield* failureOf(create(request(version.id, proof)))
        assert.deepInclude(failure, { _tag: "NotFound", message: `No such run: ${rehearsal.id}` })
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("a run that is no rehearsal, or has not succeeded, proves nothing", () =>
    Effect.gen(function* () {
      const version = yield* stored()
      const prove = (id: string, planHash: string) =>
        failureOf(create(request(version.id, { dryRun: false, validatedDryRun: id, planHash })))
      const refused = { _tag: "Conflict", param: "validated_dry_run" }
      const waiting = yield* create(request(version.id))
      assert.deepInclude(yield* prove(waiting.id, waiting.planHash), refused)
      yield* cancel(waiting.id)
      assert.deepInclude(yield* prove(waiting.id, waiting.planHash), refused)
      const real = yield* driven({ dryRun: false })
      assert.strictEqual(real.status, "succeeded")
      assert.deepInclude(yield* prove(real.id, real.planHash), refused)
    }).pipe(Effect.provide(world))
  )

  it.effect("a rehearsal of another plan proves nothing, with its own hash and with the right one", () =>
    Effect.gen(function* () {
      const rehearsal = yield* driven()
      const other = { dryRun: false, validatedDryRun: rehearsal.id, maxCostUsd: 6 }
      const asked = request(rehearsal.datasetVersion, { ...other, planHash: rehearsal.planHash })
      assert.deepInclude(yield* failureOf(create(asked)), { _tag: "Conflict", param: "plan_hash" })
      const { planHash } = yield* create(request(rehearsal.datasetVersion, { dryRun: false, maxCostUsd: 6 }))
      const right = yield* failureOf(create({ ...asked, planHash }))
      assert.deepInclude(right, { _tag: "Conflict", param: "validated_dry_run" })
    }).pipe(Effect.provide(world))
  )
})

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
        assert.deepInclude(yield* failureOf(cancel(run.id)), { _tag: "Conflict", param: null })
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
      for (const failure of results.filter(Result.isFailure)) assert.strictEqual(failure.failure._tag, "Conflict")
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
      for (const fromStage of [3, 5, 0, 6, -1]) {
        const failure = yield* failureOf(retry(failed.id, fromStage))
        assert.deepInclude(failure, { _tag: "InvalidInput", param: "from_stage" })
      }
      assert.deepStrictEqual(yield* read(failed.id), failed)
    }).pipe(Effect.provide(world))
  )

  it.effect("a run that waits, works or succeeded is not retried, whatever else is wrong", () =>
    Effect.gen(function* () {
      const succeeded = yield* driven()
      const queued = yield* created()
      for (const { id } of [succeeded, queued]) {
        for (const [fromStage, budget] of [
          [null, null],
          [9, null],
          [null, -1]
        ] as const) {
          assert.deepInclude(yield* failureOf(retry(id, fromStage, budget)), { _tag: "Conflict" })
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
      for (const budget of [0, -1, 0.0000001, 2, 3]) {
        const failure = yield* failureOf(retry(id, null, budget))
        assert.deepInclude(failure, { _tag: "InvalidInput", param: "budget.max_cost_usd" })
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
      for (const failure of results.filter(Result.isFailure)) assert.strictEqual(failure.failure._tag, "Conflict")
      assert.strictEqual(yield* (yield* RunScheduler).runOnce, 1)
      assert.lengthOf(script.heard, 1)
    }).pipe(Effect.provide(world))
  )
})
