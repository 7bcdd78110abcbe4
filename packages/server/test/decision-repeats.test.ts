/** The teacher of decisions, asked again about rows of the holdout (contract 16.32, 16.33). */
import type { IncomingMessage } from "node:http"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { Report } from "@limbeck/api/ReportsApi"
import type { StudentModel } from "@limbeck/api/StudentModelsApi"
import { deployAndWait } from "@limbeck/testing/http/DeploymentSteps"
import * as Desk from "@limbeck/testing/http/DeskDecisions"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import { createRun, endedRun } from "@limbeck/testing/http/Steps"
import { key, Models } from "@limbeck/testing/upstream/Models"
import { callOf, capture, listed, versionOfCalls } from "./support/Captured.ts"
import { expectStatus } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"
import { planOf } from "./support/LiveRuns.ts"
import { serving } from "./support/Serving.ts"

const models = new Models()
beforeAll(() => models.open())
afterAll(() => models.close())

const rows = 500
const repeats = 150
const questions = [{ ...Desk.topic, choices: Desk.choices }, Desk.angry, Desk.luck]
const textOf = (index: number) => Desk.textOf(index % 3, index % 2, index % 3, index)
const indexIn = (text: string): number => Number(/number (\d+)/.exec(text)?.[1])

/** The teacher errs about the topic in one of ten answers, each time in others. */
const topicOf = (index: number, time: number): number => (index % 10 === time ? (index + 1) % 3 : index % 3)
const isRefused = (index: number): boolean => index % 25 === 4

const answersOf = (index: number, time: number) => {
  const right = topicOf(index, time)
  const probabilities = Desk.probabilities(right).map((probability, at) => ({ value: Desk.subjects[at], probability }))
  const isAngry = { type: "predicate", name: "angry", probability: index % 2 === 1 ? 0.9 : 0.1 }
  return [
    { type: "choice", name: "topic", choice: Desk.subjects[right], confidence: 0.85, probabilities },
    time === 3 && isRefused(index) ? { type: "refusal", name: "angry" } : isAngry,
    { type: "predicate", name: "luck", probability: (index * 7919) % 1_009 > 504 ? 0.8 : 0.2 }
  ]
}

/** A request costs $0.0001. */
const teacher = { id: "teacher", input_per_million: 1 }
const usage = { input_tokens: 100, output_tokens: 0, total_tokens: 100 }

const base = () =>
  models.base((request, response) => {
    const { input, model } = JSON.parse((request as IncomingMessage & { readonly sent: string }).sent)
    const body = { model, answers: answersOf(indexIn(input), 3), usage }
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
  })

onOneStorage(
  "a teacher of decisions that is asked again",
  (house) => {
    it("answers all questions of a row in one request; each question has its agreement with itself, and a threshold by it (P1554, P1555)", async () => {
      const workspace = await house.workspace()
      const { live } = workspace
      const base_url = base()
      const { id, name } = await createSource(live, { base_url, api_key: key, models: [teacher] })
      const calls = Array.from({ length: rows }, (_, index) =>
        callOf(house, {
          endpoint: "decisions",
          source: id,
          model: "teacher",
          costMicros: 100,
          request: JSON.stringify({ model: "teacher", input: textOf(index), questions }),
          response: JSON.stringify({ model: "teacher", answers: answersOf(index, 7), usage })
        })
      )
      await capture(house, workspace, calls)
      const version = await versionOfCalls(live, {}, { holdout_fraction: 0.4 })
      assert.strictEqual(version.rows, rows)
      const plan = planOf(version.id, {}, 5)
      const stages = [
        { kind: "sft", config: { epochs: 3 } },
        { kind: "eval", config: { teacher_repeats: repeats } },
        { kind: "publish", config: {} }
      ]
      const created = await createRun(live, { ...plan, recipe: { ...plan.recipe, stages }, dry_run: false })
      const run = await endedRun(live, expectStatus(created, 201).id)
      assert.strictEqual(run.status, "succeeded", JSON.stringify(run.error))

      const requests = models.at(base_url).map(({ body }) => JSON.parse(body))
      assert.lengthOf(requests, repeats)
      const indexes = requests.map(({ input }) => indexIn(input))
      assert.strictEqual(new Set(indexes).size, repeats)
      assert.deepStrictEqual(requests[0].questions, questions)
      assert.strictEqual(run.totals.candidate_tokens, repeats * 100)
      assert.isAtLeast(run.totals.cost_usd, repeats * 0.0001)
      // Nothing of it was captured.
      assert.lengthOf((await listed(live, "?endpoint=decisions&served_by=upstream&limit=1&tag=teacher_repeat")).data, 0)

      const report = expectStatus(await live.get<typeof Report.Type>(`/v1/distill/reports/${run.report}`), 200)
      const by = new Map(report.questions.map((question) => [question.name, question]))
      const share = (isSame: (index: number) => boolean) => indexes.filter(isSame).length / repeats
      const topic = share((index) => topicOf(index, 7) === topicOf(index, 3))
      assert.deepInclude(by.get("topic")?.teacher_itself, { value: topic, rows: repeats, method: "asked_again" })
      const mood = share((index) => !isRefused(index))
      assert.deepInclude(by.get("angry")?.teacher_itself, { value: mood, rows: repeats })
      assert.deepInclude(by.get("luck")?.teacher_itself, { value: 1, rows: repeats })

      // The teacher errs in 10 of 100 answers, so the training finds no threshold for 98 % agreement; the second answers do.
      const { recommendation, threshold } = by.get("topic") ?? {}
      assert.deepInclude(recommendation, { target: topic - 0.02, error: 0.1 })
      assert.strictEqual(threshold, recommendation?.threshold)
      assert.isAbove(by.get("topic")?.coverage ?? 0, 0.9)
      const { student_model } = run
      const student = await live.get<typeof StudentModel.Type>(`/v1/distill/student_models/${student_model}`)
      const learnt = expectStatus(student, 200).questions.find((question) => question.name === "topic")
      assert.strictEqual(learnt?.threshold, threshold)
      const fallback = { source: name, model: "teacher" }
      await deployAndWait(live, { student_model, mode: "active", alias: "desk", fallback, guard: null })
      const body = { model: "svc:desk", input: textOf(1), questions: questions.slice(0, 1) }
      const answer = await live.post("/v1/proxy/decisions", body)
      assert.strictEqual(answer.headers.get("x-service-decisions"), "student=0")

      // The pairs of differing answers, the most frequent first.
      const confusions = by.get("topic")?.confusions ?? []
      assert.isAbove(confusions.length, 0)
      for (const { student, teacher } of confusions) assert.includeMembers(Desk.subjects, [student, teacher])
      assert.deepStrictEqual(
        confusions.map(({ count }) => count),
        confusions.map(({ count }) => count).toSorted((a, b) => b - a)
      )
    })
  },
  serving
)
