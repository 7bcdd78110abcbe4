/** Spend under a hard budget, by the real builtin executor (contract 5, "Budget", "Retry"). */
import { assert, it } from "@effect/vitest"
import type { Report } from "@limbeck/api/ReportsApi"
import type { Run, RunLogs } from "@limbeck/api/RunsApi"
import * as BuiltinExecutor from "@limbeck/executors/builtin/BuiltinExecutor"
import { createRun, readUntil } from "@limbeck/testing/http/Steps"
import { assertInvalid, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onPostgres } from "./support/House.ts"
import { createLive, learnableVersion, livedRun, type Plan, planOf, rehearsed } from "./support/LiveRuns.ts"

type RunView = typeof Run.Type

const runs = "/v1/distill/runs"

/** The meter's time, which counts steps of work: the same on every machine. */
const stepSeconds = 0.005
/** Forty steps, a fifth of a second: enough to read the rows and to begin, not to learn from them eight times. */
const tooLittle = 0.00002

/** Reads the run to its end, and never sees it above its budget. */
const watched = (caller: Client, id: string): Promise<RunView> =>
  readUntil(
    () => caller.get<RunView>(`${runs}/${id}`),
    ({ budget, status, totals }) => {
      assert.isAtMost(totals.cost_usd, budget.max_cost_usd)
      return status === "succeeded" || status === "failed"
    }
  )

const artifactOf = async (caller: Client, { report }: RunView) =>
  expectStatus(await caller.get<typeof Report.Type>(`/v1/distill/reports/${report}`), 200).provenance.artifact_sha256

onPostgres(
  "a budget",
  (house) => {
    const poor = async (caller: Client): Promise<{ readonly plan: Plan; readonly run: RunView }> => {
      const plan = planOf((await learnableVersion(caller, 500)).id, { epochs: 8 }, tooLittle)
      const created = expectStatus(await createLive(caller, plan, await rehearsed(caller, plan)), 201)
      return { plan, run: await watched(caller, created.id) }
    }
    const retry = (caller: Client, { id }: RunView, max_cost_usd: number) =>
      caller.post<RunView>(`${runs}/${id}/retry`, { budget: { max_cost_usd } })

    it("that is too small fails the run before it is passed (P48)", async () => {
      const { live } = await house.workspace()
      const { run } = await poor(live)
      assert.strictEqual(run.status, "failed")
      assert.deepInclude(run.error, { code: "budget_exceeded", stage: 2 })
      assert.isAtMost(run.totals.cost_usd, tooLittle)
      // At most a quantum is left.
      assert.isAbove(run.totals.cost_usd, tooLittle / 2)
      assert.deepInclude(run.stages[1], { status: "failed", attempt: 1 })
      assert.strictEqual(run.stages[1]?.error?.code, "budget_exceeded")
      assert.deepStrictEqual(
        run.stages.slice(2).map(({ status }) => status),
        ["skipped", "pending", "pending"]
      )
      assert.deepStrictEqual([run.report, run.student_model], [null, null])
      assert.deepInclude(run.current_stage, { seq: 2, status: "failed" })
      const told = expectStatus(await live.get<ListOf<unknown>>("/v1/events?type=distill.run.failed"), 200)
      assert.strictEqual(told.data.length, 1)
    })

    it("that pays for nothing at all leaves nothing spent", async () => {
      const { live } = await house.workspace()
      const { id } = await learnableVersion(live, 300)
      const created = expectStatus(await createRun(live, { ...planOf(id, {}, 0.000001), dry_run: false }), 201)
      const run = await watched(live, created.id)
      assert.strictEqual(run.error?.code, "budget_exceeded")
      assert.deepStrictEqual(run.totals, { gpu_seconds: 0, judge_tokens: 0, candidate_tokens: 0, cost_usd: 0 })
    })

    it("at or below what is spent is no budget for a retry", async () => {
      const { live } = await house.workspace()
      const { run } = await poor(live)
      for (const amount of [run.totals.cost_usd, run.totals.cost_usd / 2, 0, -1, 0.0000001]) {
        assertInvalid(await retry(live, run, amount), "budget.max_cost_usd")
      }
      assert.deepStrictEqual((await live.get<RunView>(`${runs}/${run.id}`)).body, run)
    })

    it("that is larger lets a retry go on from the checkpoint, under another plan hash, to the same student (P48)", async () => {
      const { live } = await house.workspace()
      const { plan, run: failed } = await poor(live)
      const retried = expectStatus(await retry(live, failed, 1), 200)
      assert.deepInclude(retried, { id: failed.id, status: "queued", error: null, validated_dry_run: null })
      assert.deepStrictEqual(retried.budget, { max_cost_usd: 1 })
      assert.deepInclude(retried.current_stage, { seq: 2, status: "pending" })
      const rich = { ...plan, budget: { max_cost_usd: 1 } }
      assert.strictEqual(retried.plan_hash, (await rehearsed(live, rich)).plan_hash)

      const run = await watched(live, failed.id)
      assert.strictEqual(run.status, "succeeded")
      assert.deepStrictEqual(
        run.stages.map(({ attempt }) => attempt),
        [1, 2, 0, 1, 1]
      )
      const logs = expectStatus(await live.get<typeof RunLogs.Type>(`${runs}/${run.id}/logs?stage=2`), 200)
      assert.strictEqual(logs.data.filter(({ message }) => message.startsWith("Resumes at epoch")).length, 1)

      const uninterrupted = await livedRun(live, rich)
      assert.strictEqual(await artifactOf(live, run), await artifactOf(live, uninterrupted))
      // The retry reads the rows again, and learns nothing twice.
      assert.isAbove(run.totals.gpu_seconds, uninterrupted.totals.gpu_seconds)
      assert.isBelow(run.totals.gpu_seconds, uninterrupted.totals.gpu_seconds + failed.totals.gpu_seconds)
    })
  },
  { builtin: BuiltinExecutor.make({ stopwatch: { type: "counting", secondsPerReading: stepSeconds } }) }
)
