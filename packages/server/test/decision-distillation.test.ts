/** The way of decisions from an upload to answers of the student, question by question (contract 16.20 to 16.23). */

import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { Report } from "@limbeck/api/ReportsApi"
import type { StudentModel } from "@limbeck/api/StudentModelsApi"
import { deployAndWait } from "@limbeck/testing/http/DeploymentSteps"
import { angry, choices, luck, runOf, textOf, topic, urgent, versionOf } from "@limbeck/testing/http/DeskDecisions"
import { proposalOf } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { assertInvalid, expectStatus } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"
import { assertHas, callOf } from "./support/Provider.ts"
import { fallbackTo, serving } from "./support/Serving.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const unknown = { type: "predicate", name: "new", instructions: "The customer is new." }

/** Answers chat, and predicates only: the test asks the fallback no other question. */
const answering: Parameters<Models["base"]>[0] = (request, response) => {
  const { sent } = request as typeof request & { readonly sent: string } // The server of models has read it.
  const { model, questions } = JSON.parse(sent)
  if (questions === undefined) {
    const choices = [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }]
    const completion = { id: "chatcmpl-1", object: "chat.completion", created: 1, model, choices }
    return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion))
  }
  const answers = Array.isArray(questions)
    ? questions.map(({ name, type }) => ({ type, name: name ?? null, probability: 0.31 }))
    : Object.fromEntries(Object.keys(questions).map((name) => [name, { type: "noul", noul: 0.31 }]))
  const usage = { input_tokens: 40, output_tokens: 0, total_tokens: 40 }
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ model, answers, usage }))
}

interface MixedAnswer {
  readonly answers: ReadonlyArray<Readonly<Record<string, unknown>>>
}

onOneStorage(
  "decisions",
  (house) => {
    it("are uploaded, distilled and deployed, and answered by the student question by question (P1281, P1600)", async () => {
      const { live } = await house.workspace()
      const version = await versionOf(live)
      assert.sameMembers(
        (version.questions ?? []).map(({ name }) => name),
        ["topic", "angry", "urgent", "luck"]
      )
      const proposal = await proposalOf(live, version.id)
      assertHas(proposal, { case: "decision", student_model: "builtin/text-classifier" })
      const rehearsed = await runOf(live, version.id, { dryRun: true })
      assert.deepStrictEqual([rehearsed.status, rehearsed.error, rehearsed.student_model], ["succeeded", null, null])
      const run = await runOf(live, version.id, { dryRun: false })
      assert.strictEqual(run.status, "succeeded", JSON.stringify(run))
      const id = run.student_model ?? ""
      const found = await live.get<typeof StudentModel.Type>(`/v1/distill/student_models/${id}`)
      const { case: rowCase, questions } = expectStatus(found, 200)
      assert.strictEqual(rowCase, "decision")
      const thresholds = new Map(questions.map(({ name, threshold }) => [name, threshold]))
      for (const name of ["topic", "angry", "urgent"]) assert.isNumber(thresholds.get(name), name)
      assert.isNull(thresholds.get("luck"))

      const report = expectStatus(await live.get<typeof Report.Type>(`/v1/distill/reports/${run.report}`), 200)
      assertHas(report, { evaluated_rows: version.holdout_rows, accuracy: null, recommendation: null })
      assert.include(report.summary, "The student answers 3 of 4 questions alone.")
      const byName = new Map(report.questions.map((one) => [one.name, one]))
      for (const [name, threshold] of thresholds)
        assertHas(byName.get(name), { rows: report.evaluated_rows, threshold })
      for (const name of ["topic", "angry", "urgent"]) {
        assert.isAtLeast(byName.get(name)?.agreement?.value ?? 0, 0.97, name)
      }
      assert.isBelow(byName.get("luck")?.auc ?? 1, 0.7)
      assert.isNumber(byName.get("urgent")?.ranked_probability_score)
      // Every row asks about luck, and the cost of uploaded pairs is unknown.
      assertHas(report.requests, { answered_here: 0, saved_usd_per_1000: null })
      assert.closeTo((report.requests?.mixed ?? 0) + (report.requests?.upstream ?? 0), 1, 1e-9)
      assert.isAbove(report.requests?.mixed ?? 0, 0.9)

      const base = upstream.base(answering)
      const fallback = await fallbackTo(live, base)
      await deployAndWait(live, { student_model: id, mode: "active", alias: "desk", fallback })
      await deployAndWait(live, { student_model: id, mode: "active", alias: "alone" })

      const path = "/v1/proxy/decisions"
      const text = textOf(2, 1, 0, 77)
      // Another name and another order of the options are the same question.
      const renamed = { ...topic, name: "subject", choices: choices.toReversed() }
      const known = [urgent, renamed, angry]
      const own = await live.post<MixedAnswer>(path, { model: "svc:desk", input: text, questions: known })
      expectStatus(own, 200)
      assert.strictEqual(own.headers.get("x-service-served-by"), "student")
      assert.strictEqual(own.headers.get("x-service-decisions"), "student=0,1,2")
      assert.lengthOf(upstream.at(base), 0)
      const [first, second, third] = own.body.answers
      assertHas(first, { type: "score", name: "urgent" })
      assert.isBelow(Number(first?.["score"]), 0.5)
      assertHas(second, { type: "choice", name: "subject", choice: "refund" })
      assert.isAbove(Number(third?.["probability"]), 0.5)

      const asked = { model: "svc:desk", input: text, questions: [luck, renamed, unknown, angry] }
      const mixed = await live.post<MixedAnswer>(path, asked)
      expectStatus(mixed, 200)
      assert.strictEqual(mixed.headers.get("x-service-served-by"), "mixed")
      assert.strictEqual(mixed.headers.get("x-service-decisions"), "student=1,3; upstream=0,2")
      const sent = JSON.parse(upstream.at(base).at(-1)?.body ?? "")
      assert.deepStrictEqual(sent, { ...asked, model: "gpt", questions: [luck, unknown] })
      assert.deepStrictEqual(
        mixed.body.answers.map(({ name }) => name),
        ["luck", "subject", "new", "angry"]
      )
      const captured = await callOf(live, mixed.headers)
      assertHas(captured, { served_by: "mixed", fallback_reason: "confidence" })
      const { decisions } = captured as typeof captured & { readonly decisions: ReadonlyArray<object> }
      const identity = questions.find(({ name }) => name === "topic")?.question
      assertHas(decisions[1], { name: "subject", question: identity, served_by: "student" })

      const criteria = { login: null, parcel: null, refund: null }
      const map = {
        topic: { type: "choice", instructions: topic.instructions, criteria },
        wins: { type: "noul", instructions: luck.instructions }
      }
      const inMap = await live.post("/v1/proxy/systemone", { model: "svc:desk", state: text, questions: map })
      expectStatus(inMap, 200)
      assert.strictEqual(inMap.headers.get("x-service-decisions"), "student=0; upstream=1")
      assertHas(Object(inMap.body).answers.topic, { type: "choice", choice: "refund" })
      assertHas(Object(inMap.body).answers.wins, { type: "noul", noul: 0.31 })

      const unlike = "Übersetze bitte dieses Gedicht über den Herbst in einen Haiku mit siebzehn Silben."
      const other = await live.post(path, { model: "svc:desk", input: unlike, questions: [angry] })
      expectStatus(other, 200)
      assert.strictEqual(other.headers.get("x-service-served-by"), "upstream_fallback")
      assertHas(await callOf(live, other.headers), { fallback_reason: "out_of_distribution" })

      // Without a fallback the student answers all that it knows, and nothing else.
      const alone = await live.post(path, { model: "svc:alone", input: text, questions: [luck, angry] })
      expectStatus(alone, 200)
      assert.strictEqual(alone.headers.get("x-service-decisions"), "student=0,1")
      assertInvalid(
        await live.post(path, { model: "svc:alone", input: text, questions: [angry, unknown] }),
        "questions[1]"
      )

      // Chat is not among what it learnt: the fallback answers, else nobody does.
      const messages = [{ role: "user", content: text }]
      const chat = await live.post<object>("/v1/proxy/chat/completions", { model: "svc:desk", messages })
      expectStatus(chat, 200)
      assert.strictEqual(chat.headers.get("x-service-served-by"), "upstream_fallback")
      assertHas(await callOf(live, chat.headers), { fallback_reason: "unsupported" })
      assertInvalid(await live.post("/v1/proxy/chat/completions", { model: "svc:alone", messages }), "model")
      const message = { model: "svc:alone", messages, max_tokens: 10 }
      assertInvalid(await live.post("/v1/proxy/messages", message), "model")
    })
  },
  serving
)
