import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as Page from "@limbeck/core/pages/Page"
import type { CompleteRequest } from "@limbeck/distill/run/RunRequest"
import { Runs } from "@limbeck/distill/run/Runs"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import { builtin, llm, recipe, request } from "@limbeck/testing/fixtures/Plans"
import * as Effect from "effect/Effect"
import {
  cancel,
  create,
  created,
  driven,
  failureOf,
  live,
  read,
  retry,
  stored,
  stranger,
  test,
  told,
  world
} from "./World.ts"

type Fields = Partial<Omit<CompleteRequest, "recipe">>

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
      // All possible mistakes, in the order of the checks; each case fixes the earlier ones.
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
        [building.id, {}, "VersionNotReady"],
        [broken.id, {}, "VersionNotReady"],
        [empty.id, {}, "VersionEmpty"],
        [ready.id, {}, "InvalidInput", "recipe.student_model"],
        [ready.id, { recipeAsSent: wrongRecipe(llm, ["rew_1"], bad) }, "InvalidInput", "compute.profile"],
        [
          ready.id,
          { recipeAsSent: wrongRecipe(llm, ["rew_1"], bad), profile: "l4" },
          "ReferenceUnknown",
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
          "NoExecutor"
        ]
      ]
      const allWrong = { ...wrong, recipeAsSent: wrongRecipe("no/such", ["rew_1"], bad) }
      for (const [version, fields, _tag, param] of cases) {
        const failure = yield* failureOf(create(request(version, { ...allWrong, ...fields })))
        assert.strictEqual(failure?._tag, _tag)
        if (param !== undefined) assert.strictEqual(failure?.["param"] ?? failure?.["field"], param)
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
      // Two versions of the same rows have one plan hash.
      const twin = yield* failureOf(create(request((yield* stored()).id, proof)))
      assert.deepInclude(twin, { _tag: "RehearsalUnusable", fault: "another_version" })
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
        assert.deepInclude(failure, { _tag: "NotFound", resource: "run", id: rehearsal.id })
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("a run that is no rehearsal, or has not succeeded, proves nothing", () =>
    Effect.gen(function* () {
      const version = yield* stored()
      const prove = (id: string, planHash: string) =>
        failureOf(create(request(version.id, { dryRun: false, validatedDryRun: id, planHash })))
      const waiting = yield* create(request(version.id))
      assert.deepInclude(yield* prove(waiting.id, waiting.planHash), {
        _tag: "RehearsalUnusable",
        fault: "not_succeeded",
        status: "queued"
      })
      yield* cancel(waiting.id)
      assert.deepInclude(yield* prove(waiting.id, waiting.planHash), {
        _tag: "RehearsalUnusable",
        fault: "not_succeeded",
        status: "canceled"
      })
      const real = yield* driven({ dryRun: false })
      assert.strictEqual(real.status, "succeeded")
      assert.deepInclude(yield* prove(real.id, real.planHash), { _tag: "RehearsalUnusable", fault: "not_a_dry_run" })
    }).pipe(Effect.provide(world))
  )

  it.effect("a rehearsal of another plan proves nothing, with its own hash and with the right one", () =>
    Effect.gen(function* () {
      const rehearsal = yield* driven()
      const other = { dryRun: false, validatedDryRun: rehearsal.id, maxCostUsd: 6 }
      const asked = request(rehearsal.datasetVersion, { ...other, planHash: rehearsal.planHash })
      assert.deepInclude(yield* failureOf(create(asked)), { _tag: "PlanHashMismatch", approved: rehearsal.planHash })
      const { planHash } = yield* create(request(rehearsal.datasetVersion, { dryRun: false, maxCostUsd: 6 }))
      const right = yield* failureOf(create({ ...asked, planHash }))
      assert.deepInclude(right, { _tag: "RehearsalUnusable", fault: "another_plan" })
    }).pipe(Effect.provide(world))
  )
})
