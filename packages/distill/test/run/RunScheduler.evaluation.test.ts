import { assert, describe, it } from "@effect/vitest"
import { firstPage } from "@limbeck/core/pages/Page"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Rewards } from "@limbeck/distill/reward/Rewards"
import { type Executor, Progress } from "@limbeck/distill/run/Executor"
import { Runs } from "@limbeck/distill/run/Runs"
import * as StudentModel from "@limbeck/distill/student/StudentModel"
import { request } from "@limbeck/testing/fixtures/Plans"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { done, driven, live, plain, read, reports, runOnce, say, stageOf, stored, told, world } from "./World.ts"

const answer = (index: number, completion: string) =>
  Progress.Answer({
    row: {
      key: `row_${index}`,
      row: {
        messages: [{ role: "user", content: `question ${index}` }],
        completion: "yes",
        metadata: { latency_ms: 800, cost_usd: 0.002 }
      }
    },
    completion,
    latencyMillis: 1 + index,
    confidence: 0.75
  })

const artifact = { sha256: "ef".repeat(32), bytes: 12, format: "test/1" }

/** Right three times out of four; publishes. */
const student: Executor["execute"] = (context) => {
  if (context.stage.kind === "eval") {
    return Stream.make<Array<Progress>>(
      ...Array.from({ length: 8 }, (_, index) => answer(index, index % 4 === 0 ? "no" : "yes")),
      done()
    )
  }
  return context.stage.kind === "publish" && !context.run.dryRun ? Stream.make(done({ artifact })) : plain(context)
}

const models = Effect.flatMap(ResourceStore, (store) =>
  Effect.map(store.page(live, StudentModel.kind, [], firstPage(10)), ({ items }) => items)
)

describe("RunScheduler: evaluation and publication", () => {
  it.effect("answers are scored, and the report says how the student does beside its teacher (P1601)", () =>
    Effect.gen(function* () {
      yield* say(student)
      const run = yield* driven({ dryRun: false })
      assert.strictEqual(run.status, "succeeded")
      const [report] = yield* reports
      const evaluation = report?.evaluation
      assert.deepInclude(evaluation, { rows: 8, rewards: [] })
      assert.deepInclude(evaluation?.accuracy, { value: 0.75, correct: 6 })
      assert.strictEqual(evaluation?.calibration?.expected_error, 0)
      assert.deepInclude(evaluation?.latency_ms.teacher, { count: 8, mean: 800 })
      assert.strictEqual(evaluation?.cost_per_1000_calls_usd.teacher, 2)
      // 6 of 8 rows are too few for the student to be good enough.
      assert.isEmpty(report?.race?.candidates)
      assert.deepInclude(report?.race?.cheapest, { kind: "teacher", cost_per_1000_calls_usd: 2, within_points: 0 })
      assert.deepStrictEqual(
        evaluation?.worst_examples.map(({ row }) => row),
        ["row_0", "row_4"]
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("each reward of the recipe is in it, for the student and for the teacher", () =>
    Effect.gen(function* () {
      const rewards = yield* Rewards
      const { reward } = yield* rewards.create(live, {
        name: "affirmative",
        rule: { kind: "regex", config: { pattern: "^yes$" } }
      })
      yield* say(student)
      const { id } = yield* stored()
      const asked = request(id, { dryRun: false })
      const recipe = { ...asked.recipe, rewards: [reward.id] }
      const { run } = yield* (yield* Runs).create(live, {
        ...asked,
        recipe,
        recipeAsSent: JSON.parse(JSON.stringify(recipe))
      })
      yield* runOnce
      assert.strictEqual((yield* read(run.id)).status, "succeeded")
      const [report] = yield* reports
      assert.deepInclude(report?.evaluation?.rewards[0], {
        id: reward.id,
        name: "affirmative",
        kind: "regex",
        student: 0.75,
        teacher: 1,
        wins: 0,
        ties: 6,
        losses: 2,
        unscored: 0
      })
    }).pipe(Effect.provide(world))
  )

  it.effect("a live run that publishes leaves a student model, told with the run's success, and a rehearsal none", () =>
    Effect.gen(function* () {
      yield* say(student)
      const rehearsal = yield* driven()
      assert.isNull(rehearsal.studentModel)
      assert.deepStrictEqual(yield* models, [])
      const run = yield* driven({ dryRun: false, studentModelName: "triage" })
      const [model] = yield* models
      assert.strictEqual(run.studentModel, model?.id)
      assert.deepStrictEqual(
        [model?.name, model?.run, model?.report, model?.artifact, model?.accuracy],
        ["triage", run.id, run.report, artifact, 0.75]
      )
      const [report] = yield* reports
      assert.strictEqual(report?.studentModel, model?.id)
      assert.strictEqual(report?.provenance.artifactSha256, artifact.sha256)
      const shown: object = (yield* told()).at(-1)?.object ?? {}
      assert.deepInclude(shown, { status: "succeeded", student_model: model?.id })
    }).pipe(Effect.provide(world))
  )

  it.effect("a live run that does not publish leaves none", () =>
    Effect.gen(function* () {
      yield* say(student)
      const { id } = yield* stored()
      const asked = request(id, { dryRun: false })
      const recipe = { ...asked.recipe, stages: asked.recipe.stages.filter(({ kind }) => kind !== "publish") }
      const { run } = yield* (yield* Runs).create(live, {
        ...asked,
        recipe,
        recipeAsSent: JSON.parse(JSON.stringify(recipe))
      })
      yield* runOnce
      const ended = yield* read(run.id)
      assert.deepInclude(ended, { status: "succeeded", studentModel: null })
      assert.strictEqual(stageOf(ended, "publish")?.status, "skipped")
      assert.deepStrictEqual(yield* models, [])
    }).pipe(Effect.provide(world))
  )
})
