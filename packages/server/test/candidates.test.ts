/** Hosted models that answer the holdout beside a student, or alone (contract 16.13 to 16.16). */
import type { IncomingMessage } from "node:http"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { Report } from "@limbeck/api/ReportsApi"
import type { Run } from "@limbeck/api/RunsApi"
import { Progress } from "@limbeck/distill/run/Executor"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import { createRun, endedRun, versionOf } from "@limbeck/testing/http/Steps"
import { key, Models } from "@limbeck/testing/upstream/Models"
import { calls, type Detail } from "./support/Captured.ts"
import { assertInvalid, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"
import { ScriptedExecutor, saying } from "./support/ScriptedExecutor.ts"

const labels = ["refund", "invoice", "other"]
const labelOf = (index: number) => labels[index % labels.length] ?? ""
const row = (index: number) => ({
  messages: [{ role: "user", content: `ticket ${index}` }],
  completion: labelOf(index),
  metadata: { cost_usd: 0.01 }
})

const script = new ScriptedExecutor()
/** The student is right about every row. */
script.stages.set("eval", () =>
  saying(
    ...Array.from({ length: 400 }, (_, index) =>
      Progress.Answer({
        row: {
          key: `row_${index}`,
          row: { messages: [{ role: "user", content: `ticket ${index}` }], completion: "yes" }
        },
        completion: "yes",
        latencyMillis: 1,
        confidence: null
      })
    )
  )
)

const models = new Models()
beforeAll(() => models.open())
afterAll(() => models.close())

interface SentChat {
  readonly model: string
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
}

const sentIn = (request: IncomingMessage): SentChat =>
  JSON.parse((request as IncomingMessage & { readonly sent: string }).sent) // The server has read it.

/** A judge grades an answer: 5 of 5 for any label. */
const graded = (question: string): string => {
  const { answers, grade } = JSON.parse(question)
  return JSON.stringify({ score: labels.includes(answers[grade]) ? 5 : 1 })
}

/**
 * `fast` and `good` are right, `poor` is wrong about every fifth ticket, `broken` never answers, `mute` answers without a message, and
 * `judge` grades. Each call has 10 and 1 tokens.
 */
const base = () =>
  models.base((request, response) => {
    const { messages, model } = sentIn(request)
    if (model === "mute") return void response.writeHead(200, { "content-type": "application/json" }).end("{}")
    const index = Number(/\d+/.exec(messages.at(-1)?.content ?? "")?.[0])
    const isWrong = model === "poor" && index % 5 === 0
    if (model === "broken") return void response.writeHead(404, { "content-type": "application/json" }).end("{}")
    const answer = isWrong ? "nothing" : labelOf(index)
    const content = model === "judge" ? graded(messages.at(-1)?.content ?? "") : answer
    const message = { role: "assistant", content }
    response.writeHead(200, { "content-type": "application/json" }).end(
      JSON.stringify({
        choices: [{ index: 0, message, finish_reason: "stop" }],
        usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 }
      })
    )
  })

/** A call of 10 tokens in and 1 out costs $0.0001 times the price. */
const priced = (id: string, price: number) => ({ id, input_per_million: 9 * price, output_per_million: 10 * price })
const listed = [priced("fast", 1), priced("good", 2), priced("poor", 0.1), priced("broken", 0.1), priced("mute", 1)]

const alone = (candidates: ReadonlyArray<object>) => ({
  student_model: "none",
  stages: [{ kind: "eval", config: { candidates } }],
  rewards: []
})

onOneStorage(
  "a run with candidates",
  (house) => {
    const begin = async (rows: number, fields: object = {}) => {
      const { live } = await house.workspace()
      const base_url = base()
      await createSource(live, { name: "host", base_url, api_key: key, models: listed, ...fields })
      const version = await versionOf(
        live,
        Array.from({ length: rows }, (_, index) => row(index)),
        { holdout_fraction: 0.5 }
      )
      return { live, base_url, version }
    }

    const runOf = async (live: Client, version: string, recipe: object, fields: object = {}) => {
      const body = { dataset_version: version, recipe, budget: { max_cost_usd: 5 }, dry_run: false, ...fields }
      return endedRun(live, expectStatus(await createRun(live, body), 201).id)
    }

    const reportOf = async (live: Client, { error, report, status }: typeof Run.Type) => {
      assert.strictEqual(status, "succeeded", JSON.stringify(error))
      return expectStatus(await live.get<typeof Report.Type>(`/v1/distill/reports/${report}`), 200)
    }

    it("names them by sources of its own, at most 8, and a student or candidates at least (P1127)", async () => {
      const { live, version } = await begin(20)
      const good = { source: "host", model: "good" }
      const many = Array.from({ length: 9 }, (_, index) => ({ ...good, model: `m${index}` }))
      const cases = [
        [alone([good, { source: "elsewhere", model: "good" }]), "recipe.stages[0].config.candidates[1].source"],
        [alone(many), "recipe.stages[0].config.candidates"],
        [alone([good, good]), "recipe.stages[0].config.candidates[1]"],
        [alone([{ source: "host" }]), "recipe.stages[0].config.candidates[0].model"],
        [alone([]), "recipe.stages[0].config.candidates"],
        [{ ...alone([good]), stages: [] }, "recipe.stages"],
        [{ ...alone([good]), stages: [{ kind: "sft", config: {} }] }, "recipe.stages[0].kind"]
      ] as const
      for (const [recipe, param] of cases) {
        const body = { dataset_version: version.id, recipe, budget: { max_cost_usd: 5 }, dry_run: true }
        assertInvalid(await createRun(live, body), param)
      }
      const free = { dataset_version: version.id, recipe: alone([good]), budget: { max_cost_usd: 0 }, dry_run: false }
      assertInvalid(await createRun(live, free), "budget.max_cost_usd")
    })

    it("estimates them in a rehearsal, which asks nobody and spends nothing (P1128)", async () => {
      const { base_url, live, version } = await begin(20)
      const candidates = [
        { source: "host", model: "good" },
        { source: "host", model: "unpriced", instructions: "Answer with one word." }
      ]
      const run = await runOf(live, version.id, alone(candidates), { dry_run: true, budget: { max_cost_usd: 0 } })
      const report = await reportOf(live, run)
      assert.deepInclude(run.totals, { candidate_tokens: 0, cost_usd: 0 })
      assert.lengthOf(report.candidates, 2)
      const [first, second] = report.candidates
      assert.deepInclude(first, { source: "host", model: "good", agreement: null, answered: 0, failed: 0 })
      assert.isAbove(first?.cost_per_1000_calls_usd ?? 0, 0)
      assert.isNull(second?.cost_per_1000_calls_usd)
      assert.isNull(report.cheapest_alternative)
      assert.strictEqual(models.at(base_url).length, 0)
    })

    it("finds the cheapest that is good enough, without any student (P1129)", async () => {
      const { base_url, live, version } = await begin(440)
      const asked = ["good", "poor", "fast", "broken"].map((model) => ({ source: "host", model }))
      const candidates = [{ ...asked[0], instructions: "Sort the ticket." }, ...asked.slice(1)]
      const run = await runOf(live, version.id, alone(candidates))
      const report = await reportOf(live, run)
      const rows = version.holdout_rows ?? 0
      assert.isAtLeast(rows, 190)
      assert.deepStrictEqual(
        run.stages.map(({ kind, status }) => [kind, status]),
        [
          ["materialize", "succeeded"],
          ["sft", "skipped"],
          ["grpo", "skipped"],
          ["eval", "succeeded"],
          ["publish", "skipped"]
        ]
      )
      assert.isNull(run.student_model)
      assert.isNull(report.student_model)
      const [good, poor, fast, broken] = report.candidates
      assert.deepInclude(good, { answered: rows, failed: 0, cost_per_1000_calls_usd: 0.2 })
      assert.deepInclude(fast, { answered: rows, failed: 0, cost_per_1000_calls_usd: 0.1 })
      assert.deepInclude(broken, { answered: 0, failed: rows, cost_per_1000_calls_usd: null, latency_ms: null })
      assert.strictEqual(good?.agreement?.value, 1)
      assert.strictEqual(broken?.agreement?.value, 0)
      assert.closeTo(poor?.agreement?.value ?? 0, 0.8, 0.08)
      assert.isAtLeast(good?.latency_ms?.p95 ?? 0, good?.latency_ms?.p50 ?? 1)
      assert.deepInclude(report.cheapest_alternative, {
        kind: "candidate",
        name: "host/fast",
        cost_per_1000_calls_usd: 0.1,
        tied_with: []
      })
      assert.closeTo(report.cheapest_alternative?.within_points ?? 1, 1 - (fast?.agreement?.low ?? 0), 1e-9)
      assert.strictEqual(run.totals.candidate_tokens, 3 * 11 * rows)
      assert.closeTo(run.totals.cost_usd, (rows * (0.2 + 0.01 + 0.1)) / 1_000, 1e-6)
      assert.strictEqual(models.at(base_url).length, 4 * rows)
      const first = models.at(base_url).map(({ body }): SentChat => JSON.parse(body))
      assert.isTrue(
        first.filter(({ model }) => model === "good").every(({ messages }) => messages[0]?.role === "system")
      )
      const kept = expectStatus(await live.get<ListOf<Detail>>(`${calls}?tag=candidate&limit=1`), 200)
      assert.deepInclude(kept.data[0], { tags: ["candidate"] })
    })

    it("sets the student beside them (P1129)", async () => {
      const { live, version } = await begin(40)
      const recipe = {
        student_model: "builtin/text-classifier",
        stages: [
          { kind: "sft", config: {} },
          { kind: "eval", config: { candidates: [{ source: "host", model: "fast" }] } }
        ],
        rewards: []
      }
      const report = await reportOf(live, await runOf(live, version.id, recipe))
      assert.strictEqual(report.evaluated_rows, 400)
      assert.strictEqual(report.candidates[0]?.answered, version.holdout_rows)
      assert.deepInclude(report.cheapest_alternative, { kind: "student", name: "builtin/text-classifier" })
    })

    it("are not needed to tell which of student and teacher is the cheapest (P1601)", async () => {
      const { live, version } = await begin(40)
      const stages = [
        { kind: "sft", config: {} },
        { kind: "eval", config: {} }
      ]
      const recipe = { student_model: "builtin/text-classifier", stages, rewards: [] }
      const report = await reportOf(live, await runOf(live, version.id, recipe))
      assert.isEmpty(report.candidates)
      assert.deepInclude(report.cheapest_alternative, { kind: "student", name: "builtin/text-classifier" })
      assert.notInclude(report.summary, "hosted")
    })

    it("scores candidates with judges too, whose tokens are reserved before and count in the budget (P1393)", async () => {
      const { base_url, live, version } = await begin(40)
      const config = { rubric: "Is it a label?", model: "judge", source: "host", scale: { min: 1, max: 5 } }
      const rewards = ["/v1/distill/rewards", { name: "judged", kind: "llm_judge", config }] as const
      const { id } = expectStatus(await live.post<{ readonly id: string }>(...rewards), 201)
      const exact = { name: "exact", kind: "exact_match", config: {} }
      const free = expectStatus(await live.post<{ readonly id: string }>("/v1/distill/rewards", exact), 201)
      const asked = ["good", "poor", "broken"].map((model) => ({ source: "host", model }))
      const recipe = { ...alone(asked), rewards: [id, free.id] }
      const run = await runOf(live, version.id, recipe)
      const report = await reportOf(live, run)
      const [good, poor, broken] = report.candidates
      const rows = version.holdout_rows ?? 0
      assert.deepStrictEqual(
        good?.rewards.map(({ kind, score }) => [kind, score]),
        [
          ["llm_judge", 1],
          ["exact_match", 1]
        ]
      )
      assert.closeTo(poor?.rewards[0]?.score ?? 1, poor?.agreement?.value ?? 0, 1e-9)
      assert.deepStrictEqual(
        broken?.rewards.map(({ score }) => score),
        [null, null]
      )
      // Each answer is graded in both places, beside the row's own.
      const judgeCalls = models.at(base_url).filter(({ body }) => JSON.parse(body).model === "judge").length
      assert.strictEqual(judgeCalls, 2 * 2 * rows)
      assert.strictEqual(run.totals.judge_tokens, 11 * judgeCalls)
      // A dollar for a million tokens of judges, and for a thousand calls of the candidates $0.2 and $0.01.
      assert.closeTo(run.totals.cost_usd, (rows * 0.21) / 1_000 + run.totals.judge_tokens / 1e6, 2e-6)

      const before = models.at(base_url).length
      // The candidates' calls fit, and what the first batch of judges may take, $0.023, does not.
      const budget = { max_cost_usd: 0.02 }
      const failed = await runOf(live, version.id, { ...alone(asked.slice(1, 2)), rewards: [id] }, { budget })
      assert.strictEqual(failed.error?.code, "budget_exceeded")
      assert.isAtMost(failed.totals.cost_usd, budget.max_cost_usd)
      const sent = models.at(base_url).slice(before)
      assert.strictEqual(sent.filter(({ body }) => JSON.parse(body).model === "poor").length, rows)
      assert.strictEqual(sent.filter(({ body }) => JSON.parse(body).model === "judge").length, 0)
    })

    it("asks a candidate without a known price too, says that its calls are not counted, and shows no cost (P1391)", async () => {
      const { live, version } = await begin(440)
      const candidates = ["unpriced", "good"].map((model) => ({ source: "host", model }))
      const run = await runOf(live, version.id, alone(candidates))
      const report = await reportOf(live, run)
      const [unpriced, good] = report.candidates
      assert.deepInclude(unpriced, { cost_per_1000_calls_usd: null, answered: version.holdout_rows })
      assert.strictEqual(unpriced?.agreement?.value, 1)
      assert.deepInclude(report.cheapest_alternative, { name: "host/good", tied_with: [] })
      assert.closeTo(run.totals.cost_usd, ((good?.answered ?? 0) * 0.2) / 1_000, 1e-6)
      const { data } = expectStatus(
        await live.get<ListOf<{ readonly message: string }>>(`/v1/distill/runs/${run.id}/logs?limit=100`),
        200
      )
      assert.isTrue(data.some(({ message }) => message.startsWith("host/unpriced has no known price")))
    })

    it("counts a call that a provider may charge although no message came, at the most that it can cost (P1130)", async () => {
      const { base_url, live, version } = await begin(4)
      const run = await runOf(live, version.id, alone([{ source: "host", model: "mute" }]))
      const sent = models.at(base_url).length
      assert.isAtLeast(sent, version.holdout_rows ?? 0)
      // Of each call: 1,024 tokens of output at $10 for a million, and its input.
      assert.isAtLeast(run.totals.cost_usd, (sent * 1_024 * 10) / 1e6)
      assert.isBelow(run.totals.cost_usd, (sent * 1_200 * 10) / 1e6)
    })

    it("never passes its budget, and pays for no answer twice when it is retried with more (P1130)", async () => {
      const { base_url, live, version } = await begin(120)
      const rows = version.holdout_rows ?? 0
      const recipe = alone([{ source: "host", model: "good" }])
      // A call costs $0.0002, and reserves about $0.02: 1,024 tokens of output.
      const budget = { max_cost_usd: 0.024 }
      const failed = await runOf(live, version.id, recipe, { budget })
      assert.strictEqual(failed.error?.code, "budget_exceeded")
      assert.isAtMost(failed.totals.cost_usd, budget.max_cost_usd)
      const answered = models.at(base_url).length
      assert.isAbove(answered, 0)
      assert.isBelow(answered, rows)
      const more = { budget: { max_cost_usd: 5 } }
      const path = `/v1/distill/runs/${failed.id}/retry`
      expectStatus(await live.post(path, more, { "idempotency-key": `retry-${failed.id}` }), 200)
      const run = await endedRun(live, failed.id)
      const report = await reportOf(live, run)
      assert.deepInclude(report.candidates[0], { answered: rows, failed: 0 })
      assert.strictEqual(models.at(base_url).length, rows)
      assert.closeTo(run.totals.cost_usd, (rows * 0.2) / 1_000, 1e-6)
    })
  },
  { builtin: script.executor, egressAllow: ["127.0.0.0/8"] }
)
