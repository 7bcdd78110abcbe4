/** Builtin students with embeddings of a source: planned, trained within a budget, evaluated and served. */
import type { IncomingMessage } from "node:http"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { Report } from "@limbeck/api/ReportsApi"
import type { Run } from "@limbeck/api/RunsApi"
import { DistillLimits } from "@limbeck/distill/Limits"
import { embeddingsOf, rowsOf, tokensOf } from "@limbeck/testing/fixtures/TopicWords"
import { deployAndWait, path as deployments, get, post } from "@limbeck/testing/http/DeploymentSteps"
import { create, sources } from "@limbeck/testing/http/SourceSteps"
import { createRun, endedRun, proposalOf, readUntil, versionOf } from "@limbeck/testing/http/Steps"
import { key, Models } from "@limbeck/testing/upstream/Models"
import type { Detail } from "./support/Captured.ts"
import { assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { type House, onOneStorage } from "./support/House.ts"
import { answered, asked, call, fallbackTo, saidIn, serving } from "./support/Serving.ts"

const base = "builtin/embedding-classifier"
const models = new Models()
beforeAll(() => models.open())
afterAll(() => models.close())

interface SentTexts {
  readonly model: string
  readonly input: ReadonlyArray<string>
}

const sentIn = (body: string): SentTexts => JSON.parse(body)

/** Answers with embeddings, `odd` with too few of them, and not at all while it is down. */
const embedder = () => {
  const state = { isDown: false }
  const base_url = models.base((request, response) => {
    const { input, model } = sentIn((request as IncomingMessage & { readonly sent: string }).sent) // The server has read it.
    const status = state.isDown ? 500 : 200
    const texts = model === "odd" ? input.slice(1) : input
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(embeddingsOf(model, texts)))
  })
  const requests = () => models.at(base_url).map(({ body }) => sentIn(body))
  return { base_url, requests, texts: () => requests().flatMap(({ input }) => input), state }
}

/** A dollar for a thousand tokens. */
const listed = [{ id: "embed", input_per_million: 1_000, output_per_million: 1_000 }]

const stagesOf = (embeddings: object | undefined) => [
  { kind: "sft", config: embeddings === undefined ? {} : { embeddings } },
  { kind: "eval", config: {} },
  { kind: "publish", config: {} }
]
const recipeOf = (embeddings?: object, student_model = base) => ({
  student_model,
  stages: stagesOf(embeddings),
  rewards: []
})
const named = { source: "embedder", model: "embed" }
const rows = rowsOf(240, 0)
const [fresh = rows[0]!] = rowsOf(1, 290)

const begin = async (house: House) => {
  const workspace = await house.workspace()
  const { live } = workspace
  const source = embedder()
  await create(live, { name: "embedder", base_url: source.base_url, api_key: key, models: listed })
  await create(live, { name: "claudes", base_url: source.base_url, dialect: "anthropic" })
  const version = await versionOf(live, rows)
  return { live, source, version, workspace }
}

const planOf = (version: string, recipe: object, fields: object = {}) => ({
  dataset_version: version,
  recipe,
  budget: { max_cost_usd: 50 },
  dry_run: false,
  ...fields
})

const runOf = async (live: Client, version: string, recipe: object, fields: object = {}) =>
  endedRun(live, expectStatus(await createRun(live, planOf(version, recipe, fields)), 201).id)

const reportOf = async (live: Client, { report }: typeof Run.Type) =>
  expectStatus(await live.get<typeof Report.Type>(`/v1/distill/reports/${report}`), 200)

const assertSucceeded = ({ error, status }: typeof Run.Type) =>
  assert.strictEqual(status, "succeeded", JSON.stringify(error))

const captured = (live: Client, id: string) =>
  readUntil(
    () => live.get<Detail>(`/v1/distill/calls/${id}`),
    () => true
  )

onOneStorage(
  "a student of embeddings",
  (house) => {
    let begun: ReturnType<typeof begin> | undefined
    const story = () => {
      begun ??= begin(house)
      return begun
    }
    let published: Promise<typeof Run.Type> | undefined
    const student = () => {
      published ??= story().then(({ live, version }) => runOf(live, version.id, recipeOf(named)))
      return published
    }

    it("names a source of its own that has embeddings, and no other student does (P1727)", async () => {
      const { live, version } = await story()
      const path = "recipe.stages[0].config.embeddings"
      const cases = [
        [recipeOf({ ...named, source: "elsewhere" }), `${path}.source`],
        [recipeOf({ ...named, source: "claudes" }), `${path}.source`],
        [recipeOf({ source: "embedder" }), `${path}.model`],
        [recipeOf(), path],
        [recipeOf(named, "builtin/text-classifier"), path]
      ] as const
      for (const [recipe, param] of cases) assertInvalid(await createRun(live, planOf(version.id, recipe)), param)
    })

    it("is estimated in a rehearsal, which asks for no embedding (P1728)", async () => {
      const { live, source, version } = await story()
      const before = source.requests().length
      const fields = { dry_run: true, budget: { max_cost_usd: 0 } }
      const run = await runOf(live, version.id, recipeOf(named), fields)
      assertSucceeded(run)
      assert.deepInclude(run.totals, { candidate_tokens: 0, cost_usd: 0 })
      const [warning = ""] = run.warnings ?? []
      // Of every row, in tokens of about four bytes.
      const words = tokensOf(rows.map(({ messages }) => messages[0].content))
      const estimated = Number(/The estimate, \$([\d.]+)/u.exec(warning)?.[1])
      assert.isAbove(estimated, (0.5 * words) / 1_000, warning)
      assert.isBelow(estimated, (4 * words) / 1_000, warning)
      assert.strictEqual(source.requests().length, before)
    })

    it("learns from each distinct text's embedding, asked for once and counted in the run (P1729)", async () => {
      const { live, source, version } = await story()
      const run = await student()
      assertSucceeded(run)
      const texts = source.texts()
      const distinct = new Set(rows.map(({ messages }) => messages[0].content))
      assert.sameMembers([...new Set(texts)], [...distinct])
      // Training and evaluation are stages of their own.
      assert.isAtMost(texts.length, distinct.size + (version.holdout_rows ?? 0))
      assert.isTrue(source.requests().every(({ input }) => input.length <= DistillLimits.embeddedTextsMax))
      assert.strictEqual(run.totals.candidate_tokens, tokensOf(texts))
      assert.isAtLeast(run.totals.cost_usd, tokensOf(texts) / 1_000)
      assert.isBelow(run.totals.cost_usd, tokensOf(texts) / 1_000 + 0.01)
      const report = await reportOf(live, run)
      assert.isAbove(report.accuracy?.value ?? 0, 0.9)
      assert.isAbove(report.cost_per_1000_calls_usd?.student ?? 0, 1)
      const shown = `/v1/distill/student_models/${run.student_model}`
      const found = expectStatus(await live.get<{ readonly base: string }>(shown), 200)
      assert.strictEqual(found.base, base)
    })

    it("asks for the embedding of each call, whose cost it counts, in every dialect (P1730)", async () => {
      const { live, source, workspace } = await story()
      const { student_model } = await student()
      await deployAndWait(live, { student_model, mode: "active", alias: "alone" })
      const [{ content }] = fresh.messages
      const before = source.requests().length
      const whole = await answered(await call(house, workspace, asked("alone", content)))
      assert.strictEqual(whole.status, 200, whole.text)
      assert.strictEqual(saidIn(whole), fresh.completion)
      assert.deepStrictEqual(source.requests().slice(before), [{ model: "embed", input: [content] }])
      const { cost_usd, served_by } = await captured(live, whole.call)
      assert.deepStrictEqual([served_by, cost_usd], ["student", tokensOf([content]) / 1_000])
      const streamed = await call(house, workspace, asked("alone", content, { stream: true }))
      assert.include(await streamed.text(), fresh.completion)
      const message = { ...asked("alone", content), max_tokens: 20 }
      const claude = await call(house, workspace, message, { path: "/v1/proxy/messages" })
      assert.include(await claude.text(), fresh.completion)
      assert.strictEqual(source.requests().length, before + 3)
      const empty = await answered(await call(house, workspace, asked("alone", " ")))
      assert.strictEqual(empty.status, 200)
      assert.strictEqual(source.requests().length, before + 3)
    })

    it("leaves a call to its fallback where the source fails, and fails without one (P1731)", async () => {
      const { live, source, workspace } = await story()
      const { student_model } = await student()
      const fallback = await fallbackTo(live, models.speaking("from upstream"))
      await deployAndWait(live, { student_model, mode: "active", alias: "backed", fallback })
      await deployAndWait(live, { student_model, mode: "active", alias: "single" })
      const [{ content }] = fresh.messages
      source.state.isDown = true
      const answer = await answered(await call(house, workspace, asked("backed", content)))
      assert.deepStrictEqual([answer.servedBy, saidIn(answer)], ["upstream_fallback", "from upstream"])
      const kept = await captured(live, answer.call)
      assert.deepInclude(kept, { fallback_reason: "failed", served_by: "upstream_fallback" })
      const failed = await answered(await call(house, workspace, asked("single", content)))
      assert.strictEqual(failed.status, 502)
      assert.include(failed.text, "needs an embedding of the request")
      source.state.isDown = false
      const again = await answered(await call(house, workspace, asked("backed", content)))
      assert.strictEqual(again.servedBy, "student")
    })

    it("pays for the embedding of a call that a managed source answers, and has saved less by it (P1772)", async () => {
      const { live, workspace } = await story()
      const { student_model } = await student()
      const managed = await fallbackTo(live, models.speaking("from upstream"), { kind: "managed", models: ["gpt"] })
      // Each call has 11 tokens in and 3 out.
      const prices = { id: "gpt", input_per_million: 1_000, output_per_million: 10_000 }
      await house.price(workspace, managed.source, [prices])
      const fallback = { ...managed, below_confidence: 0.999999 }
      const body = { student_model, mode: "active", guard: null, fallback }
      const { id } = await deployAndWait(live, { ...body, alias: "doubtful" })
      const [{ content }] = fresh.messages
      const answer = await answered(await call(house, workspace, asked("doubtful", content)))
      assert.strictEqual(answer.servedBy, "upstream_fallback")
      const paid = tokensOf([content]) / 1_000
      assert.closeTo((await captured(live, answer.call)).cost_usd ?? 0, 0.011 + 0.03 + paid, 1e-9)
      const { figures } = await get(live, id)
      assert.closeTo(figures.upstream_cost_usd ?? 0, 0.011 + 0.03, 1e-9)
      assert.closeTo(figures.cost_saved_usd ?? 0, -paid, 1e-9)
    })

    it("passes no budget, and pays for no embedding twice when its run is retried with more (P1732)", async () => {
      const { live, source, version } = await story()
      const before = source.texts().length
      // About half of the texts: the others do not fit.
      const words = tokensOf(rows.map(({ messages }) => messages[0].content))
      const budget = { max_cost_usd: Math.round(words / 2) / 1_000 + 4 }
      const failed = await runOf(live, version.id, recipeOf(named), { budget })
      assert.strictEqual(failed.error?.code, "budget_exceeded")
      assert.isAtMost(failed.totals.cost_usd, budget.max_cost_usd)
      const sent = source.texts().slice(before)
      assert.isAbove(sent.length, 0)
      assert.isBelow(sent.length, version.train_rows ?? 0)
      const retry = `/v1/distill/runs/${failed.id}/retry`
      expectStatus(await live.post(retry, { budget: { max_cost_usd: 50 } }, { "idempotency-key": failed.id }), 200)
      const run = await endedRun(live, failed.id)
      assertSucceeded(run)
      const all = source.texts().slice(before)
      assert.strictEqual(run.totals.candidate_tokens, tokensOf(all))
      const training = all.slice(0, all.length - (version.holdout_rows ?? 0))
      assert.strictEqual(new Set(training).size, training.length)
    })

    it("ends with the reason where an answer lacks an embedding (P1733)", async () => {
      const { live, version } = await story()
      const run = await runOf(live, version.id, recipeOf({ ...named, model: "odd" }))
      assert.strictEqual(run.status, "failed")
      assert.strictEqual(run.error?.code, "embeddings_failed")
      assert.include(run.error?.message ?? "", "no embedding for each text")
    })

    it("keeps its source for as long as a deployment has it, whichever of the two comes first (P1771)", async () => {
      const { live, version } = await begin(house)
      const { student_model } = await runOf(live, version.id, recipeOf(named))
      const body = { student_model, mode: "active" }
      const deployment = await deployAndWait(live, { ...body, alias: "held" })
      const { data } = expectStatus(
        await live.get<ListOf<{ readonly id: string; readonly name: string }>>(sources),
        200
      )
      const source = `${sources}/${data.find(({ name }) => name === "embedder")?.id}`
      const refusal = await live.delete(source)
      assertRefused(refusal, 409, "conflict_error")
      assert.include(refusal.text, deployment.id)
      expectStatus(await live.post(`${deployments}/${deployment.id}/retire`), 200)
      const [removal, creation] = await Promise.all([live.delete(source), post(live, { ...body, alias: "raced" })])
      if (removal.status === 200) assertRefused(creation, 409, "conflict_error", "student_model")
      else {
        assertRefused(removal, 409, "conflict_error")
        expectStatus(await live.post(`${deployments}/${expectStatus(creation, 201).id}/retire`), 200)
        expectStatus(await live.delete(source), 200)
      }
      assertRefused(await post(live, { ...body, alias: "late" }), 409, "conflict_error", "student_model")
    })

    it("is offered beside the others, and no proposal chooses it (P1727)", async () => {
      const { live, version } = await story()
      const { student_model } = await proposalOf(live, version.id)
      assert.strictEqual(student_model, "builtin/text-classifier")
    })
  },
  serving
)
