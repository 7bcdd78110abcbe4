/** The teacher, asked again about rows of the holdout (contract 16.32). */
import type { IncomingMessage } from "node:http"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { Report } from "@limbeck/api/ReportsApi"
import type { Run } from "@limbeck/api/RunsApi"
import * as BuiltinExecutor from "@limbeck/executors/builtin/BuiltinExecutor"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import { createRun, endedRun, versionOf } from "@limbeck/testing/http/Steps"
import { key, Models } from "@limbeck/testing/upstream/Models"
import { asked, capture, listed, versionOfCalls } from "./support/Captured.ts"
import { assertInvalid, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"
import { planOf } from "./support/LiveRuns.ts"

const labelOf = (index: number): string => (index % 3 === 0 ? "refund" : "delivery")
const textOf = (index: number): string =>
  index % 3 === 0 ? `I want my money back for number ${index}` : `where is the parcel number ${index}`
/** The teacher's random errors, one of twenty answers: others in the captured calls than when it is asked again. */
const errs = (index: number, remainder: number): boolean => index % 20 === remainder
const answerOf = (index: number, remainder: number): string =>
  errs(index, remainder) ? (labelOf(index) === "refund" ? "delivery" : "refund") : labelOf(index)

const models = new Models()
beforeAll(() => models.open())
afterAll(() => models.close())

const indexIn = (body: string): number => Number(/number (\d+)/.exec(body)?.[1])

/** A call of 10 tokens in and 1 out costs $0.0001. */
const teacher = { id: "teacher", input_per_million: 9, output_per_million: 10 }
const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 }

const base = () =>
  models.base((request, response) => {
    const { sent } = request as IncomingMessage & { readonly sent: string }
    const message = { role: "assistant", content: answerOf(indexIn(sent), 11) }
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }], usage }))
  })

onOneStorage(
  "a teacher that is asked again",
  (house) => {
    const begin = async (fields: object = {}, rows = 600) => {
      const workspace = await house.workspace()
      const { live } = workspace
      const base_url = base()
      const { id } = await createSource(live, { name: "host", base_url, api_key: key, models: [teacher], ...fields })
      const of = { source: id, model: "teacher", costMicros: 100 }
      const calls = Array.from({ length: rows }, (_, index) => asked(house, textOf(index), answerOf(index, 7), of))
      await capture(house, workspace, calls)
      const version = await versionOfCalls(live, {}, { holdout_fraction: 0.4 })
      return { live, base_url, version, source: id, rows: version.holdout_rows ?? 0 }
    }

    const bodyOf = (version: string, config: object, max_cost_usd: number, fields: object = {}) => {
      const plan = planOf(version, { epochs: 3 }, max_cost_usd)
      const stages = [
        { kind: "sft", config: { epochs: 3 } },
        { kind: "eval", config }
      ]
      return { ...plan, recipe: { ...plan.recipe, stages }, dry_run: false, ...fields }
    }

    const runOf = async (live: Client, ...[version, config, budget, fields]: Parameters<typeof bodyOf>) =>
      endedRun(live, expectStatus(await createRun(live, bodyOf(version, config, budget, fields)), 201).id)

    const reportOf = async (live: Client, { error, report, status }: typeof Run.Type) => {
      assert.strictEqual(status, "succeeded", JSON.stringify(error))
      return expectStatus(await live.get<typeof Report.Type>(`/v1/distill/reports/${report}`), 200)
    }

    const rowsAsked = (base_url: string) => models.at(base_url).map(({ body }) => indexIn(body))

    it("about 200 rows by default tells random errors from the student's, within the budget and uncaptured (P1312)", async () => {
      const { base_url, live, rows, version } = await begin()
      assert.isAtLeast(rows, 210)
      const before = (await listed(live, "?limit=100")).data[0]?.id
      const run = await runOf(live, version.id, {}, 5)
      const report = await reportOf(live, run)
      const indexes = rowsAsked(base_url)
      assert.lengthOf(indexes, 200)
      assert.strictEqual(new Set(indexes).size, 200)
      const same = indexes.filter((index) => answerOf(index, 7) === answerOf(index, 11)).length
      assert.deepInclude(report.teacher_itself, { value: same / 200, rows: 200, method: "asked_again" })
      assert.deepInclude(report.recommendation, { target_is: "teacher_itself", target: same / 200 - 0.02 })
      assert.isAbove(report.recommendation?.share.value ?? 0, 0.9)
      assert.match(report.recommendation_reason, /the teacher's second answers/)
      const shared = await live.post<{ readonly url: string }>(`/v1/distill/reports/${report.id}/share`)
      const { pathname } = new URL(expectStatus(shared, 200).url)
      const page = await live.send<string>("GET", pathname, { headers: { accept: "text/html" } })
      for (const shown of ["rows (asked_again)", "Target (teacher_itself, less 2 points)", "Saved per month"])
        assert.include(page.text, shown)
      assert.strictEqual(run.totals.candidate_tokens, 200 * 11)
      assert.isAtLeast(run.totals.cost_usd, 200 * 0.0001)
      assert.strictEqual((await listed(live, "?limit=100")).data[0]?.id, before)
      // The model's own temperature: the answers of one that always says the same are no second opinion.
      assert.isFalse(models.at(base_url).some(({ body }) => "temperature" in JSON.parse(body)))
    })

    it("is not asked in a rehearsal, by 0, without a price or without its source (P1312)", async () => {
      const { base_url, live, source, version } = await begin()
      const dry = await reportOf(live, await runOf(live, version.id, { teacher_repeats: 50 }, 5, { dry_run: true }))
      assert.isNull(dry.teacher_itself)
      const none = await reportOf(live, await runOf(live, version.id, { teacher_repeats: 0 }, 5))
      assert.isNull(none.teacher_itself)
      assert.deepInclude(none.recommendation ?? { target_is: "one" }, { target_is: "one" })
      expectStatus(await live.patch(`/v1/sources/${source}`, { models: ["teacher"] }), 200)
      assert.isNull((await reportOf(live, await runOf(live, version.id, {}, 5))).teacher_itself)
      expectStatus(await live.delete(`/v1/sources/${source}`), 200)
      assert.isNull((await reportOf(live, await runOf(live, version.id, {}, 5))).teacher_itself)
      assert.lengthOf(models.at(base_url), 0)
    })

    it("by a given number fails where the budget does not hold it, and is asked about no answered row again (P1313)", async () => {
      const { base_url, live, version } = await begin()
      // A call costs $0.0001, and reserves $0.0103: 1,024 tokens of output.
      const budget = 0.021
      const failed = await runOf(live, version.id, { teacher_repeats: 160 }, budget)
      assert.strictEqual(failed.error?.code, "budget_exceeded")
      assert.isAtMost(failed.totals.cost_usd, budget)
      const answered = rowsAsked(base_url).length
      assert.isTrue(0 < answered && answered < 160)
      const path = `/v1/distill/runs/${failed.id}/retry`
      const more = { budget: { max_cost_usd: 5 } }
      expectStatus(await live.post(path, more, { "idempotency-key": `retry-${failed.id}` }), 200)
      const report = await reportOf(live, await endedRun(live, failed.id))
      assert.deepInclude(report.teacher_itself, { rows: 160, method: "asked_again" })
      assert.lengthOf(rowsAsked(base_url), 160)
      assert.strictEqual(new Set(rowsAsked(base_url)).size, 160)
    })

    it("by default is asked about as many rows as the budget leaves, and the run goes on (P1313)", async () => {
      const { base_url, live, version } = await begin()
      const run = await runOf(live, version.id, {}, 0.021)
      const report = await reportOf(live, run)
      const answered = rowsAsked(base_url).length
      assert.isTrue(0 < answered && answered < 200, `${answered}`)
      assert.deepInclude(report.teacher_itself, { rows: answered })
      assert.isAtMost(run.totals.cost_usd, 0.021 * 0.9)
      const logs = await live.get<ListOf<{ readonly message: string }>>(`/v1/distill/runs/${run.id}/logs?limit=100`)
      const messages = expectStatus(logs, 200).data.map(({ message }) => message)
      assert.include(messages, `The teacher answered ${answered} rows again, as many as the budget leaves`)
    })

    it("by a given number needs a version whose teacher is known (P1313)", async () => {
      const { live, version } = await begin({}, 60)
      const rows = Array.from({ length: 60 }, (_, index) => ({
        messages: [{ role: "user", content: textOf(index) }],
        completion: labelOf(index)
      }))
      const uploaded = await versionOf(live, rows, { holdout_fraction: 0.5 })
      const path = "recipe.stages[1].config.teacher_repeats"
      assertInvalid(await createRun(live, bodyOf(uploaded.id, { teacher_repeats: 1 }, 5)), path)
      assertInvalid(await createRun(live, bodyOf(version.id, { teacher_repeats: 1_001 }, 5)), path)
      const plain = await reportOf(live, await runOf(live, uploaded.id, { teacher_repeats: 0 }, 5))
      assert.isNull(plain.teacher_itself)
    })
  },
  { builtin: BuiltinExecutor.executor, egressAllow: ["127.0.0.0/8"] }
)
