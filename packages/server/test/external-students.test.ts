/** Students that were trained elsewhere: registered, evaluated on a holdout at their endpoint, and deployed (contract 15.16). */
import type { IncomingMessage, RequestListener } from "node:http"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { Report } from "@limbeck/api/ReportsApi"
import type { StudentModel } from "@limbeck/api/StudentModelsApi"
import { DistillLimits } from "@limbeck/distill/Limits"
import * as Deployments from "@limbeck/testing/http/DeploymentSteps"
import { createRun, endedRun, freshKey, ticketsVersion } from "@limbeck/testing/http/Steps"
import { key, Models } from "@limbeck/testing/upstream/Models"
import OpenAI from "openai"
import { assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { type House, onOneStorage } from "./support/House.ts"
import { rehearsed, wholeList } from "./support/LiveRuns.ts"
import { fallbackTo, serving } from "./support/Serving.ts"

type Student = typeof StudentModel.Type

const path = "/v1/distill/student_models"
const models = new Models()
beforeAll(() => models.open())
afterAll(() => models.close())

interface SentQuestion {
  readonly model: string
  readonly max_tokens?: number
  readonly temperature?: number
  readonly stream?: boolean
  readonly messages: ReadonlyArray<{ readonly content: string }>
}

/** What the teacher of the tickets says: `ticket 7 about 1` is `label1`. */
const right = (content: string) => `label${content.slice(-1)}`

const completion = (content: string, more = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "tuned",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
  ...more
})

/** A student's own server: `say` answers a chat, or null where it has answered by itself. */
const studentServer = (say: (sent: SentQuestion, response: Parameters<RequestListener>[1]) => object | null) =>
  models.base((request, response) => {
    const { sent } = request as IncomingMessage & { readonly sent: string } // The server has read it.
    const said = say(JSON.parse(sent), response)
    if (said !== null) response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(said))
  })

/** Right on all rows but those about 2, with low confidence there. */
const good = () =>
  studentServer(({ messages }) => {
    const content = messages.at(-1)?.content ?? ""
    const isSure = !content.endsWith("2")
    return completion(isSure ? right(content) : "label0", { service: { confidence: isSure ? 0.9 : 0.2 } })
  })

const post = (caller: Client, body: unknown, headers = {}) => caller.post<Student>(path, body, headers)

const registered = async (caller: Client, base_url: string, fields = {}) =>
  expectStatus(
    await post(caller, {
      name: "tuned elsewhere",
      base_model: "gpt-4.1-nano",
      endpoint: { base_url, model: "tuned", api_key: key, ...fields }
    }),
    201
  )

const planOf = (
  version: string,
  student: string,
  max_cost_usd = 1,
  stages: unknown = [{ kind: "eval", config: {} }]
) => ({
  dataset_version: version,
  recipe: { student_model: student, stages: stages as ReadonlyArray<unknown>, rewards: [] },
  budget: { max_cost_usd },
  compute: { profile: "local" }
})

const evaluated = async (caller: Client, version: string, student: string, max_cost_usd = 1) => {
  const plan = { ...planOf(version, student, max_cost_usd), dry_run: false }
  return endedRun(caller, expectStatus(await createRun(caller, plan), 201).id)
}

const get = async (caller: Client, id: string) => expectStatus(await caller.get<Student>(`${path}/${id}`), 200)

const begin = async (house: House) => {
  const workspace = await house.workspace()
  const { id: version } = await ticketsVersion(workspace.live)
  const holdout = await wholeList<{ readonly messages: ReadonlyArray<{ readonly content: string }> }>(
    workspace.live,
    `/v1/distill/dataset_versions/${version}/rows?split=holdout`
  )
  return { ...workspace, house, version, contents: holdout.map(({ messages }) => messages.at(-1)?.content ?? "") }
}

onOneStorage(
  "a student of elsewhere",
  (house) => {
    let begun: ReturnType<typeof begin> | undefined
    const story = () => {
      begun ??= begin(house)
      return begun
    }

    it("is registered once per key, shown without its key, and belongs to one mode (P300)", async () => {
      const { live, test } = await story()
      const body = {
        name: "tuned",
        base_model: "gpt-4.1-nano",
        endpoint: { base_url: "https://students.example/v1/", model: "ft:1", api_key: key, input_per_million: 0.5 }
      }
      const headers = freshKey()
      const made = expectStatus(await post(live, body, headers), 201)
      assert.deepInclude(made, {
        object: "student_model",
        origin: "external",
        livemode: true,
        name: "tuned",
        base: "gpt-4.1-nano",
        run: null,
        report: null,
        dataset_version: null,
        executor: "external",
        artifact: null,
        accuracy: null
      })
      assert.deepStrictEqual(made.endpoint, {
        base_url: "https://students.example/v1",
        model: "ft:1",
        api_key_last4: key.slice(-4),
        input_per_million: 0.5,
        output_per_million: null
      })
      assert.notInclude(JSON.stringify(made), key)
      assert.deepStrictEqual((await post(live, body, headers)).body, made)
      assert.deepStrictEqual(await get(live, made.id), made)
      const { data } = expectStatus(await live.get<ListOf<Student>>(path), 200)
      assert.strictEqual(data.filter(({ name }) => name === "tuned").length, 1)
      assertRefused(await test.get(`${path}/${made.id}`), 404, "not_found_error")
      const local = { ...body, endpoint: { base_url: "http://127.0.0.1:9/v1", model: "ft:1" } }
      assert.isFalse(expectStatus(await post(test, local), 201).livemode)
    })

    it("is refused where a field cannot be, and the refusal names it (P300)", async () => {
      const { live, test } = await story()
      const body = { name: "tuned", base_model: "gpt-4.1-nano" }
      const endpoint = { base_url: "https://students.example/v1", model: "ft:1" }
      const wrong: ReadonlyArray<readonly [object, string]> = [
        [{ base_model: "gpt-4.1-nano" }, "name"],
        [{ name: "tuned" }, "base_model"],
        [{ ...body, base_model: "builtin/text-classifier" }, "base_model"],
        [{ ...body, colour: "red" }, "colour"],
        [{ ...body, endpoint: { model: "ft:1" } }, "endpoint.base_url"],
        [{ ...body, endpoint: { ...endpoint, model: "" } }, "endpoint.model"],
        [{ ...body, endpoint: { ...endpoint, base_url: "http://students.example/v1" } }, "endpoint.base_url"],
        [
          { ...body, endpoint: { ...endpoint, base_url: "https://me:secret@students.example/v1" } },
          "endpoint.base_url"
        ],
        [{ ...body, endpoint: { ...endpoint, base_url: "http://10.0.0.1/v1" } }, "endpoint.base_url"],
        [{ ...body, endpoint: { ...endpoint, api_key: "two words" } }, "endpoint.api_key"],
        [{ ...body, endpoint: { ...endpoint, output_per_million: 0.1234567 } }, "endpoint.output_per_million"]
      ]
      for (const [sent, param] of wrong) {
        assertRefused(await post(live, sent), 400, "invalid_request_error", param)
      }
      const run = "run_00000000000000000000000000"
      assertRefused(await post(live, { ...body, run }), 404, "not_found_error", "run")
      assertRefused(await post(test, { ...body, run }), 404, "not_found_error", "run")
    })

    it("takes a recipe with the single stage eval, and no other (P301)", async () => {
      const { live, test, version } = await story()
      const { id } = await registered(live, "https://students.example/v1")
      const { id: homeless } = expectStatus(await post(live, { name: "no endpoint", base_model: "x" }), 201)
      const published = await Deployments.studentOf(live, Deployments.llm, version)
      const evaluation = { kind: "eval", config: {} }
      const wrong: ReadonlyArray<readonly [string, ReadonlyArray<unknown>, string]> = [
        [id, [], "recipe.stages"],
        [id, [{ kind: "sft", config: {} }, evaluation], "recipe.stages[0].kind"],
        [id, [{ kind: "grpo", config: {} }, evaluation], "recipe.stages[0].kind"],
        [id, [evaluation, { kind: "publish", config: {} }], "recipe.stages[1].kind"],
        [id, [{ kind: "publish", config: {} }], "recipe.stages[0].kind"],
        [homeless, [evaluation], "recipe.student_model"],
        [published, [evaluation], "recipe.student_model"],
        ["stu_00000000000000000000000000", [evaluation], "recipe.student_model"]
      ]
      for (const [student, stages, param] of wrong) {
        const plan = { ...planOf(version, student, 1, stages), dry_run: true }
        assertRefused(await createRun(live, plan), 400, "invalid_request_error", param)
      }
      const { id: testVersion } = await ticketsVersion(test)
      const foreign = { ...planOf(testVersion, id), dry_run: true }
      assertRefused(await createRun(test, foreign), 400, "invalid_request_error", "recipe.student_model")
    })

    it("is evaluated on the holdout as any student is, and deployed on that evidence (P302)", async () => {
      const { contents, house, live, liveToken, version } = await story()
      const base = good()
      const student = await registered(live, base)
      const fallback = await fallbackTo(live, models.speaking("what the upstream says"))
      const deployment = { alias: "tuned", student_model: student.id, mode: "active", fallback }
      const early = await live.post(Deployments.path, deployment, freshKey())
      assertRefused(early, 409, "conflict_error", "guard")

      const plan = planOf(version, student.id)
      const { id: validated_dry_run, plan_hash, status } = await rehearsed(live, plan)
      assert.strictEqual(status, "succeeded")
      assert.isEmpty(models.at(base))
      const live_ = { ...plan, dry_run: false, validated_dry_run, plan_hash }
      const run = await endedRun(live, expectStatus(await createRun(live, live_), 201).id)
      assert.deepInclude(run, { status: "succeeded", executor: "endpoint", student_model: student.id })
      assert.deepStrictEqual(run.totals, { gpu_seconds: 0, judge_tokens: 0, candidate_tokens: 0, cost_usd: 0 })
      const asked = models.at(base).map(({ body }): SentQuestion => JSON.parse(body))
      assert.sameMembers(
        asked.map(({ messages }) => messages.at(-1)?.content),
        contents
      )
      for (const { max_tokens, model, temperature } of asked) {
        assert.deepStrictEqual([model, temperature], ["tuned", 0])
        assert.isAtLeast(max_tokens ?? 0, 1)
      }
      assert.isTrue(models.at(base).every(({ headers }) => headers.authorization === `Bearer ${key}`))

      const agreed = contents.filter((content) => !content.endsWith("2")).length
      const report = expectStatus(await live.get<typeof Report.Type>(`/v1/distill/reports/${run.report}`), 200)
      assert.deepInclude(report, { run: run.id, student_model: student.id })
      assert.deepInclude(report.accuracy, { value: agreed / contents.length, correct: agreed })
      assert.strictEqual(report.cost_per_1000_calls_usd?.student, null)
      assert.isNotNull(report.calibration)
      assert.isNotEmpty(report.advice?.cascade?.steps)
      assert.deepInclude(await get(live, student.id), {
        report: run.report,
        dataset_version: version,
        accuracy: agreed / contents.length
      })

      const shown = await Deployments.deployAndWait(live, { ...deployment, guard: { verify_percent: 0 } })
      assert.deepInclude(shown, { status: "ready", guarded_at: null })
      assert.deepStrictEqual(shown.endpoint, { base_url: base, model: "tuned", api_key_last4: key.slice(-4) })
      assert.isAbove(shown.guard?.min_agreement ?? 0, 0)
      const openai = new OpenAI({ apiKey: liveToken, baseURL: `${house.origin}/v1/proxy`, maxRetries: 0 })
      const messages = [{ role: "user" as const, content: "ticket 900 about 1" }]
      const { data, response } = await openai.chat.completions.create({ model: "svc:tuned", messages }).withResponse()
      assert.strictEqual(data.choices[0]?.message.content, "label1")
      assert.strictEqual(response.headers.get("x-service-served-by"), "student")
      assert.strictEqual(models.at(base).at(-1)?.headers.authorization, `Bearer ${key}`)
    })

    it("is paid from the budget where it has a price, and never above it (P303)", async () => {
      const { contents, live, version } = await story()
      const prices = { input_per_million: 1, output_per_million: 10 }
      const student = await registered(live, good(), prices)
      const run = await evaluated(live, version, student.id)
      // 10 tokens in, 2 out, for each row.
      assert.strictEqual(run.totals.cost_usd, (contents.length * 30) / 1e6)
      const report = expectStatus(await live.get<typeof Report.Type>(`/v1/distill/reports/${run.report}`), 200)
      assert.strictEqual(report.cost_per_1000_calls_usd?.student, 0.03)

      const poor = await evaluated(live, version, student.id, 0.000001)
      assert.strictEqual(poor.status, "failed")
      assert.strictEqual(poor.error?.code, "budget_exceeded")
      assert.strictEqual(poor.totals.cost_usd, 0)
    })

    it("is asked again where it fails for a moment, and its refusals of single rows are wrong answers (P304)", async () => {
      const { contents, live, version } = await story()
      const failed = new Set<string>()
      const base = studentServer(({ messages }, response) => {
        const content = messages.at(-1)?.content ?? ""
        if (content.endsWith("0")) {
          response.writeHead(400).end('{"error":{"message":"This content is filtered"}}')
          return null
        }
        if (failed.has(content)) return completion(right(content))
        failed.add(content)
        response.writeHead(503).end()
        return null
      })
      const student = await registered(live, base)
      const run = await evaluated(live, version, student.id)
      assert.strictEqual(run.status, "succeeded", JSON.stringify(run.error))
      const refused = contents.filter((content) => content.endsWith("0")).length
      assert.isAbove(refused, 0)
      const { accuracy } = await get(live, student.id)
      assert.strictEqual(accuracy, (contents.length - refused) / contents.length)
      assert.strictEqual(models.at(base).length, 2 * contents.length - refused)
      const logs = await live.get(`/v1/distill/runs/${run.id}/logs`)
      assert.include(JSON.stringify(logs.body), "answered 400")
    })

    it("is asked once for each row where it does not take every body, as soon as that is known (P378)", async () => {
      const { contents, live, version } = await story()
      const base = studentServer((sent, response) => {
        const wrong = ["max_tokens", "temperature"].find((name) => name in sent)
        if (wrong === undefined) return completion(right(sent.messages.at(-1)?.content ?? ""))
        response.writeHead(400).end(JSON.stringify({ error: { message: `${wrong} is not supported by this model` } }))
        return null
      })
      const student = await registered(live, base)
      const run = await evaluated(live, version, student.id)
      assert.strictEqual(run.status, "succeeded", JSON.stringify(run.error))
      assert.strictEqual((await get(live, student.id)).accuracy, 1)
      // Each row in the first batch may discover the accepted form by itself, in two requests.
      const most = contents.length + 2 * Math.min(contents.length, DistillLimits.studentAskedMax)
      assert.isAtLeast(models.at(base).length, contents.length + 2)
      assert.isAtMost(models.at(base).length, most)
      assert.isBelow(most, 3 * contents.length)
    })

    it("that lets nobody in fails its run at once, and the reason says so (P304)", async () => {
      const { live, version } = await story()
      const base = models.speaking("anything")
      const student = await registered(live, base, { api_key: "sk-wrong" })
      const run = await evaluated(live, version, student.id)
      assert.deepInclude(run, { status: "failed", report: null, student_model: null })
      assert.strictEqual(run.error?.code, "student_refused")
      assert.include(run.error?.message, "401")
      assert.deepInclude(run.stages[3], { kind: "eval", attempt: 1 })
      assert.notInclude(JSON.stringify(run), "sk-wrong")
    })

    it("in test mode is rehearsed, and never asked", async () => {
      const { test } = await story()
      const base = good()
      const { id: version } = await ticketsVersion(test)
      const student = await registered(test, base)
      const run = await evaluated(test, version, student.id)
      assert.deepInclude(run, { status: "succeeded", dry_run: true, student_model: null })
      assert.isEmpty(models.at(base))
    })
  },
  serving
)
