/** A live run of the builtin student from the first row to the report: contract 5, 14.23, 14.24; service-api 2.5, 4.1. */
import { assert, it } from "@effect/vitest"
import type { Event } from "@limbeck/api/EventsApi"
import type { ComputeProfile } from "@limbeck/api/RecipesApi"
import type { Report } from "@limbeck/api/ReportsApi"
import type { RunLogs, RunMetrics } from "@limbeck/api/RunsApi"
import type { StudentModel } from "@limbeck/api/StudentModelsApi"
import * as BuiltinExecutor from "@limbeck/executors/builtin/BuiltinExecutor"
import type { Ticket } from "@limbeck/testing/fixtures/Tickets"
import * as Reference from "../../workshop/reference/LogisticRegression.ts"
import { assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"
import { learnableVersion, livedRun, proposedPlan, rewardOf, rowsOf, wholeList } from "./support/LiveRuns.ts"

const runs = "/v1/distill/runs"
const trainMetrics = [
  "train_loss",
  "train_accuracy",
  "validation_loss",
  "validation_accuracy",
  "learning_rate",
  "trial"
]

/** The whole way, once per storage; the tests look at what it left. */
const walk = async (live: Client) => {
  const version = await learnableVersion(live)
  const exact = await rewardOf(live, "exact_match")
  const mild = await rewardOf(live, "contains", { value: "_" })
  const { plan, proposal } = await proposedPlan(live, version, [exact, mild])
  const run = await livedRun(live, plan, { name: "the first", student_model_name: "desk" })
  const report = expectStatus(await live.get<typeof Report.Type>(`/v1/distill/reports/${run.report}`), 200)
  return { live, version, proposal, plan, run, report, rewards: [exact, mild] }
}

const references = new Map<string, number>()

/** The same on every storage, for the split is. */
const referenceOn = (sha256: string, train: ReadonlyArray<Ticket>, holdout: ReadonlyArray<Ticket>): number => {
  const answers = references.has(sha256) ? [] : Reference.train(train)(holdout)
  const right = holdout.filter(({ completion }, index) => answers[index] === completion).length
  const accuracy = references.get(sha256) ?? right / holdout.length
  references.set(sha256, accuracy)
  return accuracy
}

onOneStorage(
  "a live run of 2,000 tickets",
  (house) => {
    let walked: ReturnType<typeof walk> | undefined
    const story = async () => {
      const { live } = await house.workspace()
      walked ??= house.untilMeasured().then(() => walk(live))
      return walked
    }

    it("is proposed, rehearsed and proved, and ends in a report and a student for less than 20 s of a processor", async () => {
      const { plan, proposal, run } = await story()
      assert.deepInclude(run, {
        status: "succeeded",
        dry_run: false,
        error: null,
        executor: "builtin",
        name: "the first"
      })
      assert.match(run.validated_dry_run ?? "", /^run_/)
      assert.strictEqual(run.plan_hash, proposal.plan_hash)
      assert.deepStrictEqual<unknown>(run.recipe, plan.recipe)
      assert.match(run.report ?? "", /^rpt_/)
      assert.match(run.student_model ?? "", /^stu_/)
      // Processor time: a busy machine does not add to it.
      assert.isBelow(run.totals.gpu_seconds, 20)
    })

    it("has spent something, within its budget, and says which stages it went through", async () => {
      const { run } = await story()
      const { budget, current_stage, stages, totals } = run
      assert.isTrue(totals.cost_usd > 0 && totals.cost_usd <= budget.max_cost_usd)
      assert.isAbove(totals.gpu_seconds, 0)
      assert.strictEqual(totals.judge_tokens, 0)
      assert.deepStrictEqual(
        stages.map(({ attempt, kind, seq, status }) => [seq, kind, status, attempt]),
        [
          [1, "materialize", "succeeded", 1],
          [2, "sft", "succeeded", 1],
          [3, "grpo", "skipped", 0],
          [4, "eval", "succeeded", 1],
          [5, "publish", "succeeded", 1]
        ]
      )
      assert.deepStrictEqual(current_stage, { seq: 5, kind: "publish", status: "succeeded" })
      for (const stage of stages.filter(({ status }) => status === "succeeded")) {
        assert.isTrue(stage.logs_available)
        assert.isNull(stage.error)
      }
      // The stages follow each other, within the run.
      const times = [
        run.created_at,
        ...stages.flatMap((stage) => [stage.started_at, stage.finished_at]),
        run.finished_at
      ].filter((time) => time !== null)
      assert.lengthOf(times, 2 + 2 * 4)
      assert.deepStrictEqual(times, times.toSorted())
      const [, sft, grpo, evaluation] = stages
      assert.deepInclude(sft?.config, { epochs: 10, learning_rate: 0.0002 })
      assert.containsAllKeys(sft?.metrics, trainMetrics)
      assert.containsAllKeys(evaluation?.metrics, ["accuracy", "calibration_error", "holdout_rows"])
      assert.deepInclude(grpo, { config: {}, started_at: null, finished_at: null, metrics: {}, logs_available: false })
    })

    it("is reported with quality per reward, intervals, calibration, latency, cost and the worst examples", async () => {
      const { report, rewards, run } = await story()
      assert.deepInclude(report, { status: "ready", run: run.id, dry_run: false, student_model: run.student_model })
      assert.deepStrictEqual(
        report.rewards.map(({ id, kind }) => [id, kind]),
        [
          [rewards[0], "exact_match"],
          [rewards[1], "contains"]
        ]
      )
      for (const { interval, losses, student, teacher, ties, unscored, wins } of report.rewards) {
        assert.isTrue(interval !== null && student !== null && interval.low <= student && student <= interval.high)
        assert.isNotEmpty(interval?.method)
        assert.isNumber(teacher)
        assert.strictEqual(wins + ties + losses + unscored, report.evaluated_rows)
      }
      const [exact] = report.rewards
      assert.strictEqual(exact?.teacher, 1)
      assert.closeTo(exact?.student ?? 0, report.accuracy?.value ?? 1, 1e-9)
      const { interval, value = 0 } = report.accuracy ?? {}
      assert.isTrue(interval != null && interval.low < value && value < interval.high)
      assert.isBelow(report.calibration?.expected_error ?? 1, 0.15)
      assert.strictEqual(report.latency_ms?.student?.count, report.evaluated_rows)
      assert.isAbove(report.cost_per_1000_calls_usd?.student ?? 0, 0)
      assert.isNotEmpty(report.worst_examples)
      for (const { scores, student, teacher } of report.worst_examples) {
        assert.notStrictEqual(student, teacher)
        assert.sameMembers(Object.keys(scores), rewards)
      }
    })

    it("is reported with where it came from, and how far off its estimate was: within 50 % (P26)", async () => {
      const { proposal, report, run, version } = await story()
      assert.deepStrictEqual(report.totals, run.totals)
      const { artifact_sha256, ...provenance } = report.provenance
      assert.deepStrictEqual<unknown>(provenance, {
        dataset_version: version.id,
        content_sha256: version.content_sha256,
        plan_hash: run.plan_hash,
        recipe: run.recipe,
        executor: "builtin"
      })
      assert.match(artifact_sha256 ?? "", /^[0-9a-f]{64}$/)
      const { actual_gpu_seconds, gpu_seconds = 0, ratio } = report.estimate ?? {}
      assert.strictEqual(gpu_seconds, proposal.estimate.gpu_seconds)
      assert.strictEqual(actual_gpu_seconds, run.totals.gpu_seconds)
      assert.isTrue(ratio != null && ratio > 0.5 && ratio < 1.5, `actual to estimate: ${ratio}`)
    })

    it("shows on its compute profile how the estimates of this mode held", async () => {
      const { live, report } = await story()
      const others = await house.workspace()
      const calibrations = async (caller: Client) => {
        const path = "/v1/distill/compute_profiles"
        const { data } = expectStatus(await caller.get<ListOf<typeof ComputeProfile.Type>>(path), 200)
        return new Map(data.map(({ calibration, id }) => [id, calibration]))
      }
      const own = await calibrations(live)
      assert.deepInclude(own.get("local"), { runs: 1, median_ratio: report.estimate?.ratio ?? null })
      assert.isNull(own.get("l4"))
      assert.isNull((await calibrations(others.live)).get("local"))
    })

    it("leaves a student model, listed and read in its own mode, with the case of its rows (P1743)", async () => {
      const { live, report, run, version } = await story()
      const path = "/v1/distill/student_models"
      const model = expectStatus(await live.get<typeof StudentModel.Type>(`${path}/${run.student_model}`), 200)
      assert.deepInclude(model, {
        object: "student_model",
        livemode: true,
        name: "desk",
        base: "builtin/text-classifier",
        run: run.id,
        report: report.id,
        dataset_version: version.id,
        case: "classification",
        executor: "builtin",
        accuracy: report.accuracy?.value ?? null
      })
      assert.deepStrictEqual([model.id, model.report], [run.student_model, run.report])
      assert.strictEqual(model.artifact?.sha256, report.provenance.artifact_sha256)
      assert.isAbove(model.artifact?.bytes ?? 0, 1_000)
      const { data } = expectStatus(await live.get<ListOf<typeof StudentModel.Type>>(path), 200)
      assert.deepStrictEqual(data, [model])
      const others = await house.workspace()
      for (const caller of [others.live, others.test]) {
        assertRefused(await caller.get(`${path}/${model.id}`), 404, "not_found_error")
        assert.deepStrictEqual(expectStatus(await caller.get<ListOf<unknown>>(path), 200).data, [])
      }
    })

    it("tells each of its steps once, in order (P34)", async () => {
      const { live, report, run } = await story()
      const all = await wholeList<typeof Event.Type>(live, "/v1/events?order=desc")
      const mine = all.toReversed().filter(({ data }) => [run.id, report.id].some((id) => id === data.object.id))
      assert.deepStrictEqual(
        mine.map(({ type }) => type.replace("distill.", "")),
        [
          "run.created",
          "run.started",
          ...Array.from({ length: 4 }, () => "run.stage_succeeded"),
          "report.ready",
          "run.succeeded"
        ]
      )
      assert.deepStrictEqual<unknown>(mine.at(-1)?.data.object, run)
    })

    it("leaves the metrics of every epoch, and logs of every stage", async () => {
      const { live, run } = await story()
      const { series } = expectStatus(await live.get<typeof RunMetrics.Type>(`${runs}/${run.id}/metrics`), 200)
      const ofTraining = series.filter(({ stage }) => stage === 2)
      assert.sameMembers(
        ofTraining.map(({ name }) => name),
        trainMetrics
      )
      for (const { name, points, total_points } of ofTraining) {
        assert.deepStrictEqual(
          points.map(({ step }) => step),
          points.map((_, index) => index + 1)
        )
        // Two trials of 10 epochs and one shorter by two thirds; the best for each of four other held-back parts, and for all
        // five with word vectors; and a final one over all rows, with none held back.
        const trials = 10 + 10 + 4
        const again = name.startsWith("validation") ? 9 : 10
        assert.include([trials + again * 10, trials + again * 4], points.length)
        assert.strictEqual(total_points, points.length)
        assert.strictEqual(run.stages[1]?.metrics[name], points.at(-1)?.value)
      }
      const losses = ofTraining.find(({ name }) => name === "train_loss")?.points.map(({ value }) => value) ?? []
      assert.isBelow(losses.at(-1) ?? 9, (losses[0] ?? 0) / 2)
      const logs = expectStatus(await live.get<typeof RunLogs.Type>(`${runs}/${run.id}/logs`), 200)
      assert.deepStrictEqual(
        logs.data.map(({ seq }) => seq),
        logs.data.map((_, index) => index + 1)
      )
      for (const stage of [1, 2, 4, 5]) {
        const window = expectStatus(await live.get<typeof RunLogs.Type>(`${runs}/${run.id}/logs?stage=${stage}`), 200)
        assert.isNotEmpty(window.data, `stage ${stage}`)
      }
    })

    // The last one: the reference has the thread for seconds, and connections that idle so long are closed.
    it("is as accurate as a plain logistic regression of a public library on the same split, within two points (P49)", async () => {
      const { live, report, version } = await story()
      const [train, holdout] = [await rowsOf(live, version, "train"), await rowsOf(live, version, "holdout")]
      assert.deepStrictEqual([train.length, holdout.length], [version.train_rows, version.holdout_rows])
      assert.strictEqual(report.evaluated_rows, Math.min(holdout.length, 500))
      const accuracy = report.accuracy?.value ?? 0
      assert.isAtLeast(accuracy, referenceOn(version.content_sha256 ?? "", train, holdout) - 0.02)
      assert.isTrue(accuracy > 0.8 && accuracy < 0.95, `the tickets are noisy: ${accuracy}`)
    })
  },
  { builtin: BuiltinExecutor.executor, measures: true }
)
