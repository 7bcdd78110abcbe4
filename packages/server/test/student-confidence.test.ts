/** The confidence of students at endpoints: told, calibrated by their evaluation, and held against a threshold (contract 16.30). */
import type { IncomingMessage, RequestListener } from "node:http"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { Report } from "@limbeck/api/ReportsApi"
import type { StudentModel } from "@limbeck/api/StudentModelsApi"
import * as Deployments from "@limbeck/testing/http/DeploymentSteps"
import { createRun, endedRun, freshKey, versionOf } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { assertRefused, type Client, expectStatus } from "./support/Client.ts"
import { type House, onOneStorage, type Workspace } from "./support/House.ts"
import { answered, asked, call, fallbackTo, saidIn, serving } from "./support/Serving.ts"

const models = new Models()
beforeAll(() => models.open())
afterAll(() => models.close())

const path = "/v1/distill/student_models"
const rightOf = (content: string) => `label${content.slice(-1)}`
const contentOf = (index: number) => `question ${index} about ${index % 3}`

/** A number from 0 to 1 that looks like chance, and is the same each time. */
const chanceOf = (text: string, salt: number): number => {
  let hash = 2_166_136_261 ^ Math.imul(salt, 2_654_435_761)
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619)
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_507)
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32
}

/** A student's confidence and answer: overconfident, but more confident in right answers. */
const studentOf = (content: string) => {
  const told = 0.6 + 0.4 * chanceOf(content, 1)
  const isRight = chanceOf(content, 2) < 0.4 + 0.6 * Math.sqrt((told - 0.6) / 0.4)
  return { told, text: isRight ? rightOf(content) : "label9" }
}

interface SentChat {
  readonly stream?: boolean
  readonly logprobs?: boolean
  readonly messages: ReadonlyArray<{ readonly content: string }>
}

type AnswerScript = (content: string) => { readonly told: number; readonly text: string }

const tokenOf = (told: number) => ({
  content: [{ token: "t", logprob: Math.log(told), bytes: null, top_logprobs: [] }]
})

const wholeOf = (text: string, logprobs: unknown, more = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "tuned",
  choices: [{ index: 0, message: { role: "assistant", content: text }, logprobs, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
  ...more
})

const chunksOf = (text: string, logprobs: unknown) => [
  ...[...text].map((content) => ({
    id: "1",
    choices: [{ index: 0, delta: { content }, logprobs, finish_reason: null }]
  })),
  { id: "1", choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: "stop" }] }
]

const written = (
  response: Parameters<RequestListener>[1],
  sent: SentChat,
  { told, text }: ReturnType<AnswerScript>
) => {
  const logprobs = sent.logprobs === true ? tokenOf(told) : null
  if (sent.stream !== true) {
    return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(wholeOf(text, logprobs)))
  }
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const chunk of chunksOf(text, logprobs)) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  return response.end("data: [DONE]\n\n")
}

const read = (request: IncomingMessage): SentChat =>
  JSON.parse((request as IncomingMessage & { readonly sent: string }).sent)

/** Tells the probabilities of its tokens to who asks for them. */
const logprobsServer = (telling: AnswerScript = studentOf) =>
  models.base((request, response) => {
    const sent = read(request)
    written(response, sent, telling(sent.messages.at(-1)?.content ?? ""))
  })

/** Tells `service.confidence`, and takes no `logprobs`. */
const serviceServer = (confidence: unknown = 0.9) =>
  models.base((request, response) => {
    const sent = read(request)
    if ("logprobs" in sent) return response.writeHead(400).end('{"error":{"message":"logprobs is not supported"}}')
    const text = rightOf(sent.messages.at(-1)?.content ?? "")
    const told = confidence === null ? {} : { service: { confidence } }
    return response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify(wholeOf(text, null, told), null, 1))
  })

const rows = Array.from({ length: 600 }, (_, index) => ({
  messages: [{ role: "user", content: contentOf(index) }],
  completion: rightOf(contentOf(index))
}))

const begin = async (house: House) => {
  const workspace = await house.workspace()
  const { id: version } = await versionOf(workspace.live, rows, { holdout_fraction: 0.5 })
  return { workspace, live: workspace.live, version }
}

const evaluated = async (live: Client, version: string, base_url: string) => {
  const body = { name: "elsewhere", base_model: "gpt-4.1-nano", endpoint: { base_url, model: "tuned" } }
  const { id } = expectStatus(await live.post<typeof StudentModel.Type>(path, body, freshKey()), 201)
  const plan = {
    dataset_version: version,
    recipe: { student_model: id, stages: [{ kind: "eval", config: {} }], rewards: [] },
    budget: { max_cost_usd: 1 },
    compute: { profile: "local" },
    dry_run: false
  }
  const run = await endedRun(live, expectStatus(await createRun(live, plan), 201).id)
  assert.strictEqual(run.status, "succeeded", JSON.stringify(run.error))
  return { id, report: expectStatus(await live.get<typeof Report.Type>(`/v1/distill/reports/${run.report}`), 200) }
}

const deploy = async (
  live: Client,
  alias: string,
  student_model: string,
  below_confidence: number | null,
  base: string
) =>
  Deployments.deployAndWait(live, {
    alias,
    student_model,
    mode: "active",
    fallback: { ...(await fallbackTo(live, base)), below_confidence }
  })

onOneStorage(
  "the confidence of a student at an endpoint",
  (house) => {
    let begun: ReturnType<typeof begin> | undefined
    const story = () => {
      begun ??= begin(house)
      return begun
    }
    const ask = async (workspace: Workspace, body: unknown) => answered(await call(house, workspace, body))

    it("of an external student makes the cascade of its report the cascade of 500 live calls (P1140)", async () => {
      const { live, version, workspace } = await story()
      const { id, report } = await evaluated(live, version, logprobsServer())
      assert.isBelow(report.calibration?.expected_error ?? 1, 0.06)
      const step = report.advice?.cascade?.steps.find(({ threshold }) => threshold >= 0.7)
      assert.isDefined(step)
      const { agreement, share, threshold } = step!
      assert.isTrue(
        share > 0.2 && share < 0.9 && (agreement ?? 0) > report.accuracy!.value + 0.03,
        JSON.stringify(step)
      )
      await deploy(live, "confidence.live", id, threshold, models.speaking("from above"))
      const counts = { student: 0, right: 0 }
      for (let index = 1_000; index < 1_500; index++) {
        const answer = await ask(workspace, asked("confidence.live", contentOf(index)))
        if (answer.servedBy === "student") counts.student++
        else assert.deepStrictEqual([answer.servedBy, saidIn(answer)], ["upstream_fallback", "from above"])
        if (saidIn(answer) === rightOf(contentOf(index))) counts.right++
      }
      // Four standard errors of the difference of two shares; the calls are the same in each run.
      const near = (found: number, promised: number, rows: number, calls: number) =>
        assert.approximately(found, promised, 4 * Math.sqrt(promised * (1 - promised) * (1 / rows + 1 / calls)))
      const evaluatedRows = report.evaluated_rows
      near(counts.student / 500, share, evaluatedRows, 500)
      near(counts.right / counts.student, agreement ?? 0, share * evaluatedRows, counts.student)
      const shown = expectStatus(
        await live.get<{ readonly data: ReadonlyArray<{ readonly confidence: number | null }> }>(
          "/v1/distill/calls?model=svc:confidence.live&served_by=student&limit=100"
        ),
        200
      )
      assert.isNotEmpty(shown.data)
      assert.isTrue(shown.data.every(({ confidence }) => (confidence ?? 0) >= threshold))
    })

    it("is asked for and taken out again, and stays where the client asked for it itself (P1141)", async () => {
      const { live, version, workspace } = await story()
      const base = logprobsServer((content) => ({ told: content.startsWith("unsure") ? 0.61 : 0.99, text: "label1" }))
      const { id } = await evaluated(live, version, base)
      await deploy(live, "confidence.out", id, 0.2, models.speaking("from above"))
      const plain = await ask(workspace, asked("confidence.out", "sure 1"))
      assert.deepInclude(plain, { servedBy: "student" })
      assert.isNull((plain.body.choices[0] as unknown as { readonly logprobs: unknown }).logprobs)
      assert.isTrue(JSON.parse(models.at(base).at(-1)?.body ?? "").logprobs)
      const own = await ask(workspace, asked("confidence.out", "sure 1", { logprobs: true }))
      assert.include(own.text, '"logprob":')
      const streamed = await ask(workspace, asked("confidence.out", "sure 1", { stream: true }))
      assert.strictEqual(streamed.servedBy, "student")
      assert.strictEqual(
        streamed.text,
        `${chunksOf("label1", null)
          .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
          .join("")}data: [DONE]\n\n`
      )
    })

    it("of a stream is known before a byte is sent: of one that is below the threshold nothing is (P1141)", async () => {
      const { live, version, workspace } = await story()
      const base = logprobsServer((content) =>
        chanceOf(content, 5) < 0.5 ? { told: 0.62, text: "label9" } : { told: 0.99, text: rightOf(content) }
      )
      const { id } = await evaluated(live, version, base)
      await deploy(live, "confidence.held", id, 0.5, models.speaking("from above"))
      const served = { student: 0, upstream_fallback: 0 }
      for (let index = 0; index < 20; index++) {
        const content = contentOf(2_000 + index)
        const answer = await ask(workspace, asked("confidence.held", content, { stream: true }))
        const isUnsure = chanceOf(content, 5) < 0.5
        assert.strictEqual(answer.servedBy, isUnsure ? "upstream_fallback" : "student")
        assert.strictEqual(answer.text.includes("label9"), false)
        served[isUnsure ? "upstream_fallback" : "student"]++
      }
      assert.isTrue(served.student > 3 && served.upstream_fallback > 3)
    })

    it("of service.confidence needs no logprobs, passes byte for byte, and an answer that lacks it goes to the fallback (P1140)", async () => {
      const { live, version, workspace } = await story()
      let confidence: unknown = 0.9
      const base = models.base((request, response) => {
        const sent = read(request)
        if ("logprobs" in sent) return response.writeHead(400).end('{"error":{"message":"logprobs is not supported"}}')
        const content = sent.messages.at(-1)?.content ?? ""
        const body = wholeOf(rightOf(content), null, confidence === null ? {} : { service: { confidence } })
        return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body, null, 1))
      })
      const { id } = await evaluated(live, version, base)
      await deploy(live, "confidence.service", id, 0.5, models.speaking("from above"))
      const answer = await ask(workspace, asked("confidence.service", "sure 1"))
      assert.strictEqual(answer.servedBy, "student")
      assert.strictEqual(answer.text, JSON.stringify(wholeOf("label1", null, { service: { confidence } }), null, 1))
      for (confidence of [null, "high", 7]) {
        const without = await ask(workspace, asked("confidence.service", "sure 1"))
        assert.deepStrictEqual([without.servedBy, saidIn(without)], ["upstream_fallback", "from above"])
      }
    })

    it("that nobody tells is no threshold's: 409, and without a threshold the student answers (P1142)", async () => {
      const { live, version } = await story()
      const { id, report } = await evaluated(live, version, serviceServer(null))
      assert.isNull(report.calibration)
      assert.isNull(report.advice?.cascade ?? null)
      const fallback = await fallbackTo(live, models.speaking("from above"))
      const body = { alias: "confidence.none", student_model: id, mode: "active" }
      const refusal = await Deployments.post(live, { ...body, fallback: { ...fallback, below_confidence: 0.8 } })
      assertRefused(refusal, 409, "conflict_error", "fallback.below_confidence")
      const { id: deployment } = await Deployments.deployAndWait(live, { ...body, fallback })
      const changed = await live.patch(`${Deployments.path}/${deployment}`, {
        fallback: { ...fallback, below_confidence: 0.8 }
      })
      assertRefused(changed, 409, "conflict_error", "fallback.below_confidence")
    })
  },
  serving
)
