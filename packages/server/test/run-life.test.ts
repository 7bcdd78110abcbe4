/** A run from queue to end: stages, metrics, logs, report, cancel, retry (service-api 3.1, 4; contract 5, 14.23, 14.24). */
import { assert, it } from "@effect/vitest"
import type { Report } from "@limbeck/api/ReportsApi"
import type { Run, RunLogs, RunMetrics } from "@limbeck/api/RunsApi"
import { createRun, dryRun, endedRun, ticketsVersion } from "@limbeck/testing/http/Steps"
import { assertInvalid, assertRefused, type Client, expectStatus, firstOf, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

type RunView = typeof Run.Type
type Logs = typeof RunLogs.Type

const runs = "/v1/distill/runs"
const whole = {
  student_model: "builtin/text-classifier",
  stages: ["sft", "eval", "publish"].map((kind) => ({ kind, config: {} })),
  rewards: []
}

onEachStorage("a rehearsal", (house) => {
  const rehearse = async (caller: Client) => {
    const version = await ticketsVersion(caller)
    const { id } = expectStatus(await createRun(caller, dryRun(version.id, { recipe: whole })), 201)
    return endedRun(caller, id)
  }

  it("walks its five stages, spends nothing, and publishes nothing (P36)", async () => {
    const { live } = await house.workspace()
    const run = await rehearse(live)
    assert.deepInclude(run, { status: "succeeded", student_model: null, error: null })
    assert.deepStrictEqual(
      run.stages.map(({ attempt, kind, status }) => [kind, status, attempt]),
      [
        ["materialize", "succeeded", 1],
        ["sft", "succeeded", 1],
        ["grpo", "skipped", 0],
        ["eval", "succeeded", 1],
        ["publish", "skipped", 1]
      ]
    )
    assert.deepStrictEqual(run.totals, { gpu_seconds: 0, judge_tokens: 0, candidate_tokens: 0, cost_usd: 0 })
    assert.deepStrictEqual(run.current_stage, { seq: 5, kind: "publish", status: "skipped" })
    const { finished_at, started_at } = run
    assert.isTrue(
      started_at !== null && finished_at !== null && run.created_at <= started_at && started_at <= finished_at
    )
    for (const { finished_at, started_at, status } of run.stages) {
      if (status === "succeeded")
        assert.isTrue(started_at !== null && finished_at !== null && started_at <= finished_at)
    }
  })

  it("ends in a report that is ready, and says how it came to be", async () => {
    const { live } = await house.workspace()
    const run = await rehearse(live)
    const report = expectStatus(await live.get<typeof Report.Type>(`/v1/distill/reports/${run.report}`), 200)
    assert.match(report.id, /^rpt_[0-9a-hjkmnp-tv-z]{26}$/)
    assert.deepInclude(report, { status: "ready", run: run.id, dry_run: true, livemode: true })
    const { dataset_version, plan_hash } = run
    assert.deepInclude(report.provenance, { dataset_version, plan_hash, executor: "stub" })
    const { data } = expectStatus(await live.get<ListOf<typeof Report.Type>>("/v1/distill/reports"), 200)
    assert.deepStrictEqual(data, [report])
    assertRefused(await live.get("/v1/distill/reports/rpt_none"), 404, "not_found_error")
  })

  it("leaves metrics, one series per name and stage", async () => {
    const { live } = await house.workspace()
    const { id, stages } = await rehearse(live)
    const metrics = expectStatus(await live.get<typeof RunMetrics.Type>(`${runs}/${id}/metrics`), 200)
    assert.deepInclude(metrics, { object: "run_metrics", run: id, max_points: 500 })
    const loss = metrics.series.find(({ name }) => name === "train_loss")
    assert.deepStrictEqual([loss?.stage, loss?.unit, loss?.total_points], [2, "nats", loss?.points.length])
    assert.strictEqual(stages[1]?.metrics["train_loss"], loss?.points.at(-1)?.value)
  })

  it("leaves logs that are read window by window", async () => {
    const { live } = await house.workspace()
    const { id } = await rehearse(live)
    const logs = async (query: string) => expectStatus(await live.get<Logs>(`${runs}/${id}/logs${query}`), 200)
    const all = await logs("")
    assert.deepInclude(all, { object: "run_logs", run: id, stage: null, has_more: false })
    assert.isAtLeast(all.data.length, 4)
    const seen: Array<unknown> = []
    let window = await logs("?limit=1")
    seen.push(...window.data)
    while (window.has_more) {
      window = await logs(`?limit=1&after=${window.next_after}`)
      seen.push(...window.data)
    }
    assert.deepStrictEqual(seen, [...all.data])
    const nothing = await logs(`?after=${window.next_after}`)
    assert.deepStrictEqual([nothing.data, nothing.has_more, nothing.next_after], [[], false, window.next_after])
    const byStage = await Promise.all([1, 2, 3, 4, 5].map((stage) => logs(`?stage=${stage}`)))
    assert.deepStrictEqual(
      byStage.flatMap(({ data }) => data),
      [...all.data]
    )
    assert.deepStrictEqual(
      byStage.map(({ stage }) => stage),
      [1, 2, 3, 4, 5]
    )
    for (const stage of ["0", "6", "sft", ""])
      assertInvalid(await live.get(`${runs}/${id}/logs?stage=${stage}`), "stage")
    for (const limit of ["0", "-1", "1.5", ""])
      assertInvalid(await live.get(`${runs}/${id}/logs?limit=${limit}`), "limit")
    for (const after of ["x", "-1"]) assertInvalid(await live.get(`${runs}/${id}/logs?after=${after}`), "after")
    await logs("?limit=5000")
  })

  it("that has ended is not canceled, and not retried when it succeeded", async () => {
    const { live } = await house.workspace()
    const { id } = await rehearse(live)
    for (const action of ["cancel", "retry"]) {
      assertRefused(await live.post(`${runs}/${id}/${action}`), 409, "conflict_error")
    }
  })

  it("that is unknown is a 404 on every path", async () => {
    const { live } = await house.workspace()
    for (const path of ["", "/metrics", "/logs"])
      assertRefused(await live.get(`${runs}/run_none${path}`), 404, "not_found_error")
    for (const action of ["cancel", "retry"]) {
      assertRefused(await live.post(`${runs}/run_none/${action}`), 404, "not_found_error")
    }
  })
})

onEachStorage(
  "a run on its way",
  (house) => {
    const begin = async (caller: Client) => {
      const version = await ticketsVersion(caller)
      return expectStatus(await createRun(caller, dryRun(version.id, { recipe: whole })), 201)
    }
    const cancel = (caller: Client, id: string, body?: unknown) => caller.post<RunView>(`${runs}/${id}/cancel`, body)
    const retry = (caller: Client, id: string, body?: unknown) => caller.post<RunView>(`${runs}/${id}/retry`, body)

    it("is canceled once, and stays so", async () => {
      const { live } = await house.workspace()
      const { id } = await begin(live)
      assertInvalid(await cancel(live, id, { reason: "none" }), "reason")
      const canceled = expectStatus(await cancel(live, id), 200)
      assert.deepInclude(canceled, { id, status: "canceled", report: null })
      assert.isString(canceled.finished_at)
      assert.isFalse(canceled.stages.some(({ status }) => status === "running"))
      assertRefused(await cancel(live, id), 409, "conflict_error")
      assert.deepStrictEqual((await live.get<RunView>(`${runs}/${id}`)).body, canceled)
      const told = await live.get<ListOf<{ readonly type: string }>>("/v1/events?type=distill.run.*")
      assert.strictEqual(firstOf(told.body).type, "distill.run.canceled")
    })

    it("is retried from where it was left, with what it had", async () => {
      const { live } = await house.workspace()
      const { id, plan_hash } = await begin(live)
      assertRefused(await retry(live, id), 409, "conflict_error")
      expectStatus(await cancel(live, id), 200)
      const retried = expectStatus(await retry(live, id, {}), 200)
      assert.deepInclude(retried, { id, status: "queued", plan_hash, error: null, finished_at: null })
      assert.isTrue(retried.stages.every(({ status }) => status !== "canceled" && status !== "running"))
    })

    it("may be retried with another budget, which is another plan", async () => {
      const { live } = await house.workspace()
      const { id, plan_hash } = await begin(live)
      expectStatus(await cancel(live, id), 200)
      assertInvalid(await retry(live, id, { budget: { max_cost_usd: -1 } }), "budget.max_cost_usd")
      assertInvalid(await retry(live, id, { budget: { max_cost: 1 } }), "budget.max_cost")
      assertInvalid(await retry(live, id, { from: 1 }), "from")
      const retried = expectStatus(await retry(live, id, { budget: { max_cost_usd: 7 } }), 200)
      assert.deepStrictEqual(retried.budget, { max_cost_usd: 7 })
      assert.notStrictEqual(retried.plan_hash, plan_hash)
    })

    it("is retried only from a stage that it has come to", async () => {
      const { live } = await house.workspace()
      const { id } = await begin(live)
      expectStatus(await cancel(live, id), 200)
      for (const from_stage of [0, 6, 3, 5, 1.5, "1"])
        assertInvalid(await retry(live, id, { from_stage }), "from_stage")
      expectStatus(await retry(live, id, { from_stage: 1 }), 200)
    })
  },
  { pace: "10 seconds" }
)
