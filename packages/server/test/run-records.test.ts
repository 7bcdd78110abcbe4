/** What a run leaves to be read: metrics, thinned; logs, window by window; and no credential anywhere (contract 5). */
import { assert, it } from "@effect/vitest"
import type { RunLogs, RunMetrics } from "@limbeck/api/RunsApi"
import { Progress, StageFailure } from "@limbeck/distill/run/Executor"
import { createRun, endedRun, ticketsVersion } from "@limbeck/testing/http/Steps"
import * as Stream from "effect/Stream"
import { type Client, expectStatus } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"
import { planOf } from "./support/LiveRuns.ts"
import { ScriptedExecutor, saying } from "./support/ScriptedExecutor.ts"

type Logs = typeof RunLogs.Type
type Metrics = typeof RunMetrics.Type

const runs = "/v1/distill/runs"
const scripted = new ScriptedExecutor()

const metric = (name: string, step: number, value: number) => Progress.Metric({ name, unit: "nats", step, value })
const log = (message: string) => Progress.Log({ level: "info", message })

const steps = Array.from({ length: 3_000 }, (_, index) => index + 1)
/** A curve with one peak and one dip between the points of an even sample. */
const valueAt = (step: number): number => (step === 1_234 ? 1e6 : step === 2_001 ? -1e6 : Math.sin(step / 50))

const keys = {
  bearer: "a1b2c3d4e5f6a7b8c9d0",
  api: "sk-proj-0123456789abcdefABCDEF",
  hook: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  token: "svc_live_0123456789abcdefghijklmnopqrstuv",
  password: "hunter2hunter2"
}
const leaks = [
  `Authorization: Bearer ${keys.bearer}`,
  `using key ${keys.api} of the account`,
  `the endpoint's secret is ${keys.hook}.`,
  `curl -H "X-Token: ${keys.token}"`,
  `postgres://trainer:${keys.password}@db.internal:5432/runs is down`
]

const lived = async (caller: Client) => {
  const { id: version } = await ticketsVersion(caller)
  const { id } = expectStatus(await createRun(caller, { ...planOf(version), dry_run: false }), 201)
  return endedRun(caller, id)
}

onEachStorage(
  "what a run leaves",
  (house) => {
    it("series of more than 500 points are thinned, and keep their extremes and their ends", async () => {
      const { live } = await house.workspace()
      scripted.stages.set("sft", () => saying(...steps.map((step) => metric("loss", step, valueAt(step)))))
      scripted.stages.set("eval", () => saying(metric("loss", 1, 0.5), metric("accuracy", 1, 0.75)))
      const { id, stages } = await lived(live)
      const metrics = expectStatus(await live.get<Metrics>(`${runs}/${id}/metrics`), 200)
      assert.deepInclude(metrics, { object: "run_metrics", run: id, max_points: 500 })
      assert.deepStrictEqual(
        metrics.series.map(({ name, stage, total_points, unit }) => [stage, name, unit, total_points]),
        [
          [2, "loss", "nats", 3_000],
          [4, "loss", "nats", 1],
          [4, "accuracy", "nats", 1]
        ]
      )
      const shown = metrics.series[0]?.points.map(({ step }) => step) ?? []
      assert.isTrue(shown.length > 400 && shown.length <= 500, `${shown.length}`)
      assert.includeMembers(shown, [1, 1_234, 2_001, 3_000])
      assert.deepStrictEqual(
        shown,
        shown.toSorted((a, b) => a - b)
      )
      assert.deepStrictEqual(stages[1]?.metrics, { loss: valueAt(3_000) })
      assert.deepStrictEqual(stages[3]?.metrics, { loss: 0.5, accuracy: 0.75 })
      assert.deepStrictEqual(
        stages.map(({ logs_available }) => logs_available),
        [false, false, false, false, false]
      )
    })

    it("logs are 200 lines by default and 1,000 at most, and windows join without gap or repetition", async () => {
      const { live } = await house.workspace()
      scripted.stages.set("sft", () => saying(...steps.slice(0, 2_300).map((step) => log(`line ${step}`))))
      scripted.stages.set("eval", () => saying(log("a line of the evaluation")))
      const { id, stages } = await lived(live)
      assert.deepStrictEqual(
        stages.map(({ logs_available }) => logs_available),
        [false, true, false, true, false]
      )
      const logs = async (query: string) => expectStatus(await live.get<Logs>(`${runs}/${id}/logs?${query}`), 200)
      assert.deepInclude(await logs(""), { object: "run_logs", run: id, stage: null, has_more: true })
      for (const [query, lines] of [
        ["", 200],
        ["limit=1000", 1_000],
        ["limit=99999", 1_000],
        ["limit=7", 7]
      ] as const) {
        const { data, has_more, next_after } = await logs(query)
        assert.deepStrictEqual([data.length, has_more], [lines, true])
        assert.strictEqual(next_after, String(data.at(-1)?.seq))
      }
      const seen: Array<string> = []
      let window = await logs("limit=1000&stage=2")
      seen.push(...window.data.map(({ message }) => message))
      while (window.has_more) {
        window = await logs(`limit=1000&stage=2&after=${window.next_after}`)
        seen.push(...window.data.map(({ message }) => message))
      }
      assert.deepStrictEqual(
        seen,
        steps.slice(0, 2_300).map((step) => `line ${step}`)
      )
      const last = await logs("stage=4")
      assert.deepInclude(last, { stage: 4, has_more: false })
      assert.deepStrictEqual(
        last.data.map(({ level, message, seq }) => [seq, level, message]),
        [[2_301, "info", "a line of the evaluation"]]
      )
      assert.isEmpty((await logs("stage=5")).data)
    })

    it("a value that is no number is said in a line, for JSON has no such number", async () => {
      const { live } = await house.workspace()
      scripted.stages.set("sft", () => saying(metric("loss", 1, Number.NaN), metric("loss", 2, 0.5)))
      const { id, status } = await lived(live)
      assert.strictEqual(status, "succeeded")
      const { series } = expectStatus(await live.get<Metrics>(`${runs}/${id}/metrics`), 200)
      assert.strictEqual(series[0]?.total_points, 1)
      const { data } = expectStatus(await live.get<Logs>(`${runs}/${id}/logs?stage=2`), 200)
      assert.deepStrictEqual(
        data.map(({ level }) => level),
        ["warn"]
      )
    })

    it("no credential that an executor says is in logs, errors, events, stream or report (P35)", async () => {
      const { live } = await house.workspace()
      scripted.stages.set("sft", () => saying(...leaks.map(log)))
      scripted.stages.set("eval", () =>
        Stream.fail(new StageFailure({ code: "broken", message: leaks.join(" and "), retryable: false }))
      )
      const { error, id, stages, status } = await lived(live)
      assert.strictEqual(status, "failed")
      assert.deepInclude(error, { code: "broken", stage: 4 })
      assert.include(error?.message, "is down")
      assert.strictEqual(stages[3]?.error?.message, error?.message)
      const paths = [`${runs}/${id}`, `${runs}/${id}/logs`, `${runs}/${id}/metrics`, `${runs}/${id}/stream`, runs]
      for (const path of [...paths, "/v1/events?limit=100"]) {
        const { text } = await live.get(path)
        for (const [name, key] of Object.entries(keys)) assert.notInclude(text, key, `${name} in ${path}`)
      }
      const { data } = expectStatus(await live.get<Logs>(`${runs}/${id}/logs?stage=2`), 200)
      assert.strictEqual(data.length, leaks.length)
      for (const { message } of data) assert.include(message, "[redacted]")
    })
  },
  { builtin: scripted.executor }
)
