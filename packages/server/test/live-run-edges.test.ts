/** Live runs of the builtin student on recipes and rows at the edge (contract 5, 6). */
import { assert, it } from "@effect/vitest"
import type { Report } from "@limbeck/api/ReportsApi"
import type { Run } from "@limbeck/api/RunsApi"
import type { StudentModel } from "@limbeck/api/StudentModelsApi"
import * as BuiltinExecutor from "@limbeck/executors/builtin/BuiltinExecutor"
import { createRun, endedRun, linesOf, readUntil, row, versionOf } from "@limbeck/testing/http/Steps"
import { assertRefused, type Client, expectStatus } from "./support/Client.ts"
import { onPostgres } from "./support/House.ts"
import { learnableVersion, planOf } from "./support/LiveRuns.ts"

type RunView = typeof Run.Type

const runs = "/v1/distill/runs"
const kindsOf = (kinds: ReadonlyArray<string>) => kinds.map((kind) => ({ kind, config: {} }))

const lived = async (caller: Client, rows: ReadonlyArray<unknown>, kinds: ReadonlyArray<string>, fields = {}) => {
  const version = await versionOf(caller, rows, fields)
  assert.strictEqual(version.status, "ready", linesOf([version]))
  const plan = planOf(version.id)
  const body = { ...plan, recipe: { ...plan.recipe, stages: kindsOf(kinds) }, dry_run: false }
  const run = await endedRun(caller, expectStatus(await createRun(caller, body), 201).id)
  return { version, run }
}

const reportOf = async (caller: Client, { report }: RunView) =>
  expectStatus(await caller.get<typeof Report.Type>(`/v1/distill/reports/${report}`), 200)

const tickets = (count: number) => Array.from({ length: count }, (_, index) => row(index))

onPostgres(
  "a live run",
  (house) => {
    it("that only trains leaves a report without an evaluation, and no student", async () => {
      const { live } = await house.workspace()
      const { run } = await lived(live, tickets(60), ["sft"])
      assert.deepInclude(run, { status: "succeeded", student_model: null })
      assert.deepInclude(run.current_stage, { seq: 2, status: "succeeded" })
      const report = await reportOf(live, run)
      assert.deepInclude(report, { evaluated_rows: 0, accuracy: null, student_model: null, rewards: [] })
      assert.isNull(report.provenance.artifact_sha256)
    })

    it("that publishes without an evaluation leaves a student of unknown accuracy", async () => {
      const { live } = await house.workspace()
      const { run } = await lived(live, tickets(60), ["sft", "publish"])
      const path = `/v1/distill/student_models/${run.student_model}`
      assert.isNull(expectStatus(await live.get<typeof StudentModel.Type>(path), 200).accuracy)
    })

    it("on a version without holdout rows has nothing to evaluate, and says so", async () => {
      const { live } = await house.workspace()
      const { run } = await lived(live, tickets(60), ["sft", "eval", "publish"], { holdout_fraction: 0 })
      assert.strictEqual(run.status, "succeeded", JSON.stringify(run.error))
      const report = await reportOf(live, run)
      assert.deepInclude(report, { evaluated_rows: 0, accuracy: null })
    })

    it("on a single row, or with a single label, ends in a student that always says it", async () => {
      const { live } = await house.workspace()
      for (const rows of [[row(0)], tickets(50).map((one) => ({ ...one, completion: "yes" }))]) {
        const { run } = await lived(live, rows, ["sft", "eval", "publish"], { holdout_fraction: 0.1, seed: 1 })
        assert.strictEqual(run.status, "succeeded", JSON.stringify(run.error))
        const report = await reportOf(live, run)
        if (report.evaluated_rows > 0) assert.strictEqual(report.accuracy?.value, 1)
      }
    })

    it("on completions that are no closed set fails for good, at its training, and says why", async () => {
      const { live } = await house.workspace()
      const rows = tickets(100).map((one, index) => ({ ...one, completion: `an answer of its own, number ${index}` }))
      const { run } = await lived(live, rows, ["sft", "eval", "publish"])
      assert.strictEqual(run.status, "failed")
      assert.deepInclude(run.error, { code: "labels_not_closed", stage: 2 })
      assert.strictEqual(run.stages[1]?.attempt, 1)
    })

    it("that is canceled while its thread trains ends at once, and goes on from there when it is retried", async () => {
      const { live } = await house.workspace()
      const { id: version } = await learnableVersion(live, 1_000)
      const plan = { ...planOf(version, { epochs: 20 }), dry_run: false }
      const { id } = expectStatus(await createRun(live, plan), 201)
      await readUntil(
        () => live.get<RunView>(`${runs}/${id}`),
        ({ stages }) => stages[1]?.status === "running"
      )
      const canceled = expectStatus(await live.post<RunView>(`${runs}/${id}/cancel`), 200)
      assert.deepInclude(canceled, { status: "canceled", student_model: null })
      assert.strictEqual(canceled.stages[1]?.status, "canceled")
      assertRefused(await live.post(`${runs}/${id}/cancel`), 409, "conflict_error")
      expectStatus(await live.post(`${runs}/${id}/retry`), 200)
      const ended = await endedRun(live, id)
      assert.strictEqual(ended.status, "succeeded")
      assert.deepStrictEqual(
        ended.stages.map(({ attempt }) => attempt),
        [1, 2, 0, 1, 1]
      )
    })
  },
  { builtin: BuiltinExecutor.executor }
)
