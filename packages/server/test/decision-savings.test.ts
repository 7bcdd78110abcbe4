/** The saving of requests for decisions that student and fallback answer together, by the upstream's own count (contract 16.22, 16.27). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { Dataset, DatasetVersion } from "@limbeck/api/DatasetsApi"
import type { Report } from "@limbeck/api/ReportsApi"
import { type DeploymentDetail, deployAndWait, path } from "@limbeck/testing/http/DeploymentSteps"
import * as Desk from "@limbeck/testing/http/DeskDecisions"
import { readUntil } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { noul, choice as optionOf, TypeSafeClient } from "@typesafe-ai/sdk"
import { experimental_decide as decide } from "ai-decisions"
import { createOpenAI } from "ai-decisions-openai"
import OpenAI from "openai"
import { expectStatus } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"
import { assertHas } from "./support/Provider.ts"
import { fallbackTo, serving } from "./support/Serving.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const draws = ["raffle", "lottery", "race"].map((draw) => Desk.luckOf(draw, draw))
const topic = { ...Desk.topic, choices: Desk.choices }
const five = [topic, Desk.angry, ...draws]

interface Question {
  readonly type: string
  readonly name?: string
}

/** A request costs what no text of it tells; a question costs 100 tokens, a choice 300. */
const tokensOf = (questions: ReadonlyArray<Question>) =>
  questions.reduce((sum, { type }) => sum + (type === "choice" ? 300 : 100), 1_000)

const isRight = (text: string, subject: string) => text.includes(subject)

/** What the teacher of the rows says. */
const answerOf = (text: string, name: string, { type }: Question) => {
  if (type === "predicate" || type === "noul") {
    const probability = name === "angry" ? (isRight(text, "scandal") ? 0.9 : 0.1) : 0.2
    return type === "noul" ? { type, noul: probability } : { type, name, probability }
  }
  const weights = Desk.subjects.map((value) => ({ value, probability: isRight(text, value) ? 0.9 : 0.05 }))
  const choice = Desk.subjects.find((value) => isRight(text, value))
  return { type, name, choice, confidence: 0.85, probabilities: weights }
}

const answering: Parameters<Models["base"]>[0] = (request, response) => {
  const { sent } = request as typeof request & { readonly sent: string } // The server of models has read it.
  const { input, model, questions, state } = JSON.parse(sent)
  const text = JSON.stringify(input ?? state)
  const entries: ReadonlyArray<readonly [string, Question]> = Array.isArray(questions)
    ? questions.map((question) => [question.name, question] as const)
    : Object.entries<Question>(questions)
  const members = entries.map(([name, question]) => [name, answerOf(text, name, question)] as const)
  const answers = Array.isArray(questions) ? members.map(([, member]) => member) : Object.fromEntries(members)
  const input_tokens = tokensOf(entries.map(([, question]) => question))
  const usage = { input_tokens, output_tokens: 0, total_tokens: input_tokens }
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ model, answers, usage }))
}

const perMillion = 10
const usdOf = (tokens: number) => (tokens * perMillion) / 1e6
const savedUsd = usdOf(tokensOf(five) - tokensOf(draws))
const asked = 12

onOneStorage(
  "five questions of which two are learnable",
  (house) => {
    it("two answered here, three asked upstream in one request, merged answer passes each client's checks, the saving is the upstream's own count (P1549)", async () => {
      const { live, liveToken: apiKey } = await house.workspace()
      const version = await Desk.versionOf(live, { draws, isGraded: false })
      const { student_model } = await Desk.runOf(live, version.id, { dryRun: false })
      const base = upstream.base(answering)
      const fallback = await fallbackTo(live, base, { models: [{ id: "gpt", input_per_million: perMillion }] })
      const desk = { student_model, mode: "active", alias: "desk", fallback }
      const { id } = await deployAndWait(live, { ...desk, guard: { verify_percent: 100 } })

      const baseURL = `${house.origin}/v1/proxy`
      const textOf = (nth: number) => Desk.textOf(nth % 3, nth % 2, nth % 3, nth)
      const namesSent = () =>
        upstream.at(base).map(({ body }) => {
          const { questions } = JSON.parse(body)
          return Array.isArray(questions) ? questions.map(({ name }: Question) => name) : Object.keys(questions)
        })
      const openai = new OpenAI({ apiKey, baseURL, maxRetries: 0 })
      const parts: Array<string> = []
      for (let nth = 0; nth < asked; nth++) {
        const request = { model: "svc:desk", input: textOf(nth), questions: five }
        // The test's questions are of the wider type.
        const { data, response } = await openai.decisions
          .create(request as unknown as Parameters<typeof openai.decisions.create>[0])
          .withResponse()
        assert.deepStrictEqual(
          (data.answers as ReadonlyArray<{ readonly name: string | null }>).map(({ name }) => name),
          five.map(({ name }) => name)
        )
        parts.push(response.headers.get("x-service-decisions") ?? "")
      }
      assert.deepStrictEqual([...new Set(parts)], ["student=0,1; upstream=2,3,4"])
      const whole = five.map(({ name }) => name)
      const part = draws.map(({ name }) => name)
      // Each was asked in part once, and whole once to verify the student.
      const settled = await readUntil(
        () => live.get<DeploymentDetail>(`${path}/${id}`),
        ({ agreement, figures }) => agreement?.comparisons === asked && figures.calls.mixed === asked
      )
      const bothOf = (times: number) => Array.from({ length: times }, () => [part, whole]).flat()
      assert.sameDeepMembers(namesSent(), bothOf(asked))
      assert.closeTo(settled.figures.cost_saved_usd ?? 0, asked * savedUsd, 1e-9)

      const instructions = Desk.topic.instructions
      const criteria = Object.fromEntries(Desk.subjects.map((value) => [value, null]))
      const typesafe = new TypeSafeClient({ apiKey, baseURL })
      const ownOf = (question: typeof Desk.luck) => noul(question.instructions)
      const inMap = await typesafe.systemOne({
        model: "svc:desk",
        state: textOf(1),
        questions: { topic: optionOf(instructions, criteria), angry: ownOf(Desk.angry), raffle: ownOf(draws[0]!) }
      })
      assert.deepStrictEqual([inMap.answers.topic.choice, inMap.answers.raffle.noul], ["parcel", 0.2])
      const { answers } = await decide({
        model: createOpenAI({ apiKey, baseURL }).decisionModel("svc:desk"),
        state: textOf(2),
        questions: {
          topic: { type: "choice", instructions, criteria },
          race: { type: "boolean", instructions: draws[2]!.instructions }
        }
      })
      assertHas(answers.topic, { choice: "refund" })

      // The calls of both, beside the rows of the upload.
      const dataset = await live.post<typeof Dataset.Type>("/v1/distill/datasets", { name: "both" })
      const versions = `/v1/distill/datasets/${expectStatus(dataset, 201).id}/versions`
      const made = await live.post<typeof DatasetVersion.Type>(versions, {
        from: { calls: {}, versions: [version.id] }
      })
      const both = await readUntil(
        () => live.get<typeof DatasetVersion.Type>(`/v1/distill/dataset_versions/${expectStatus(made, 201).id}`),
        ({ status }) => status !== "building"
      )
      const { report: reportId } = await Desk.runOf(live, both.id, {
        dryRun: false,
        evalConfig: { teacher_repeats: 0 }
      })
      const report = expectStatus(await live.get<typeof Report.Type>(`/v1/distill/reports/${reportId}`), 200)
      const mixed = report.requests?.mixed ?? 0
      assert.isAbove(mixed, 0.9)
      assert.closeTo((report.requests?.saved_usd_per_1000 ?? 0) / (1_000 * savedUsd), mixed, 0.03)
    })
  },
  serving
)
