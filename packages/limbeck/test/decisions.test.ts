/** Decisions of a deployment and of a loaded student in the program that embeds the library, without HTTP (contract 16.22 to 16.26). */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Limbeck from "@limbeck/limbeck/Limbeck"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import { client } from "@limbeck/testing/http/Client"
import { deployAndWait } from "@limbeck/testing/http/DeploymentSteps"
import * as Desk from "@limbeck/testing/http/DeskDecisions"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import { readUntil } from "@limbeck/testing/http/Steps"
import { answering } from "@limbeck/testing/upstream/DecisionUpstream"
import { Models } from "@limbeck/testing/upstream/Models"
import * as Decision from "effect/ai/Decision"
import * as DecisionModel from "effect/ai/DecisionModel"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { refusal } from "./support/Shop.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const text = Desk.textOf(2, 1, 0, 77)
const topic = { ...Desk.topic, choices: Desk.choices }

/** The questions of the desk as a definition of `effect/ai`, and one that the student does not know. */
const mail = Decision.make({
  input: Schema.String,
  decisions: {
    topic: Decision.classify({
      instructions: Desk.topic.instructions,
      criteria: { refund: null, login: null, parcel: null }
    }),
    angry: Decision.probability({ instructions: Desk.angry.instructions }),
    urgency: Decision.rate({
      instructions: "How urgent is the parcel?",
      criteria: ["low", "high"].map((label) => ({ label, description: `${label} urgency` }))
    })
  }
})

const begin = async () => {
  const limbeck = await Limbeck.make({
    storage: StorageMemory.layer,
    encryptionKeys: [Redacted.make(new Uint8Array(32))],
    settings: { rateLimit: null },
    egressAllow: ["127.0.0.0/8"]
  })
  const send = (url: string, init: RequestInit) => limbeck.fetch(new Request(url, init))
  const live = client("http://host.test", limbeck.bootstrapped.liveToken, { send })
  const run = await Desk.runOf(live, (await Desk.versionOf(live)).id, { dryRun: false })
  const base = upstream.base(answering)
  const source = await createSource(live, { base_url: base, models: [{ id: "gpt", input_per_million: 10 }] })
  const fallback = { source: source.name, model: "gpt" }
  const desk = { student_model: run.student_model, mode: "active" }
  await deployAndWait(live, { ...desk, alias: "desk", fallback })
  await deployAndWait(live, { ...desk, alias: "failing", fallback: { ...fallback, model: "bad" } })
  return { base, fallback, limbeck, live, student: run.student_model ?? "" }
}

/** A model that answers each probability with 0.25 and lists the decisions that it was asked for. */
const quarter = (asked: Array<string>) =>
  DecisionModel.make({
    decide: ({ decisions }) =>
      Effect.sync(() => {
        asked.push(...Object.keys(decisions))
        const answer = { _tag: "Probability", probability: 0.25 } as const
        return {
          answers: Object.fromEntries(Object.keys(decisions).map((name) => [name, answer])),
          usage: { inputTokens: 7, outputTokens: 0 }
        }
      })
  })

describe("decisions in process", () => {
  let begun: ReturnType<typeof begin> | undefined
  const story = () => {
    begun ??= begin()
    return begun
  }
  afterAll(async () => (await begun)?.limbeck.close())

  it("are a deployment's by a plain function: student and fallback share the questions, and the call is captured (P1545)", async () => {
    const { base, fallback, limbeck, live } = await story()
    const request = { model: "svc:desk", input: text, questions: [Desk.luck, topic, Desk.angry] }
    const before = upstream.at(base).length
    const answer = await limbeck.decisions.ask(request, { tags: ["night"], externalId: "mail 7" })
    assert.deepStrictEqual([answer.servedBy, answer.decisions], ["mixed", { student: [1, 2], upstream: [0] }])
    const asked = upstream.at(base).slice(before)
    assert.deepStrictEqual(
      asked.map(({ body, path }) => [path.endsWith("/decisions"), JSON.parse(body)]),
      [[true, { ...request, model: "gpt", questions: [Desk.luck] }]]
    )
    const { answers, model } = Object(answer.response)
    assert.strictEqual(model, "svc:desk")
    assert.deepInclude(answers[0], { name: "luck", probability: 0.31 })
    assert.deepInclude(answers[1], { name: "topic", choice: "refund" })
    const call = await readUntil(
      () => live.get<Record<string, unknown>>(`/v1/distill/calls/${answer.call}`),
      ({ id }) => id === answer.call
    )
    assert.deepInclude(call, { served_by: "mixed", tags: ["night"], external_id: "mail 7", status_code: 200 })

    const wins = { type: "noul", instructions: Desk.luck.instructions }
    const plain = { model: "gpt", state: text, questions: { wins } }
    const { decisions, servedBy } = await limbeck.decisions.ask(plain, { source: fallback.source })
    assert.deepStrictEqual([servedBy, decisions], ["upstream", null])
    assert.strictEqual((await refusal(limbeck.decisions.ask(plain)))._tag, "NoDefaultSource")
  })

  it("are refused as over HTTP: an unknown deployment, questions of no form, and an upstream's own refusal (P1546)", async () => {
    const { limbeck } = await story()
    const { ask } = limbeck.decisions
    const request = { input: text, questions: [Desk.luck] }
    assert.strictEqual((await refusal(ask({ ...request, model: "svc:nobody" })))._tag, "NotFound")
    // A caller without types may send a text.
    const formless = await refusal(ask({ model: "svc:desk", questions: "angry?" as unknown as object }))
    assert.deepInclude(formless, { _tag: "InvalidInput", param: "questions" })
    const busy = await refusal(ask({ ...request, model: "svc:failing" }))
    assert.deepInclude(busy, { _tag: "DecisionsRejected", status: 503, body: { error: { message: "Busy" } } })
    const unknown = ask({ ...request, model: "svc:desk" }, { workspace: "ws_00000000000000000000000009" })
    assert.strictEqual((await refusal(unknown))._tag, "NotFound")
  })

  it.each(["openai", "systemone"] as const)(
    "are a DecisionModel of effect/ai over a deployment, in the form %s (P1547)",
    async (dialect) => {
      const { base, limbeck } = await story()
      const before = upstream.at(base).length
      const model = limbeck.decisions.layer({ alias: "desk", dialect })
      const decide = DecisionModel.decide(mail, { input: text })
      const { answers, id, metadata, modelId } = await Effect.runPromise(Effect.provide(decide, model))
      assert.strictEqual(answers.topic.label, "refund")
      assert.isAbove(answers.topic.probabilities.refund, 0.5)
      assert.isAbove(answers.angry.probability, 0.5)
      assert.deepInclude(answers.urgency, { label: "low", rating: 0 })
      assert.match(String(id), /^call_/)
      assert.strictEqual(modelId, "svc:desk")
      assert.deepStrictEqual(metadata, {
        limbeck: { servedBy: "mixed", decisions: { student: [0, 1], upstream: [2] } }
      })
      const [sent] = upstream.at(base).slice(before)
      const { questions } = JSON.parse(sent?.body ?? "")
      const names =
        dialect === "openai" ? questions.map(({ name }: { readonly name: string }) => name) : Object.keys(questions)
      assert.deepStrictEqual(names, ["urgency"])
    }
  )

  it("fail as a DecisionModel with the upstream's status (P1547)", async () => {
    const { limbeck } = await story()
    const model = limbeck.decisions.layer({ alias: "failing" })
    const failed = Effect.flip(Effect.provide(DecisionModel.decide(mail, { input: text }), model))
    assert.strictEqual((await Effect.runPromise(failed)).reason._tag, "InternalProviderError")
  })

  it("are a loaded student's without a deployment, and its fallback's where it is not sure (P1548)", async () => {
    const { base, limbeck, student } = await story()
    const before = upstream.at(base).length
    const alone = limbeck.decisions.layer({ studentModel: student })
    const settled = DecisionModel.decideSettled(mail, { input: text })
    const { outcomes } = await Effect.runPromise(Effect.provide(settled, alone))
    assert.isTrue(Result.isSuccess(outcomes.topic) && Result.isSuccess(outcomes.angry))
    assert.deepInclude(Result.getOrThrow(Result.flip(outcomes.urgency)), { reason: "Missing" })
    const asked: Array<string> = []
    const fallback = await Effect.runPromise(quarter(asked))
    const luck = Decision.make({
      input: Schema.String,
      decisions: {
        luck: Decision.probability({ instructions: Desk.luck.instructions }),
        topic: mail.decisions.topic,
        other: Decision.probability({ instructions: "The customer is new." })
      }
    })
    const cascade = limbeck.decisions.layer({ studentModel: student, fallback })
    const decided = await Effect.runPromise(Effect.provide(DecisionModel.decide(luck, { input: text }), cascade))
    assert.deepStrictEqual(asked, ["luck", "other"])
    assert.deepStrictEqual([decided.answers.luck.probability, decided.answers.other.probability], [0.25, 0.25])
    assert.strictEqual(decided.answers.topic.label, "refund")
    assert.strictEqual(decided.usage.inputTokens, 7)
    assert.lengthOf(upstream.at(base), before)
  })
})
