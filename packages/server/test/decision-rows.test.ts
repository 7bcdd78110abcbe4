/** Decisions in captured calls, in rows and versions, in uploads, and feedback on their questions (contract 16.18 to 16.23). */
import { createHash } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { canonicalJson } from "@limbeck/core/json/CanonicalJson"
import { create } from "@limbeck/testing/http/SourceSteps"
import { announce, linesOf, readUntil, sendContent, settledUpload } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { assertInvalid, type Client, expectStatus } from "./support/Client.ts"
import { type House, onEachStorage } from "./support/House.ts"
import { newest } from "./support/Provider.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const json = { "content-type": "application/json" }
const text = "My card was charged twice."
const teams = ["billing", "tech"]

/** The identity by its definition: the digest in the alphabet of ids. */
const identityOf = (kind: string, instructions: string, options: ReadonlyArray<unknown>): string => {
  const digest = createHash("sha256")
    .update(canonicalJson({ v: 1, kind, instructions, options } as never))
    .digest()
  const bits = [...digest].map((byte) => byte.toString(2).padStart(8, "0")).join("")
  const characters = Array.from({ length: 26 }, (_, at) => Number.parseInt(bits.slice(at * 5, at * 5 + 5), 2))
  return `qst_${characters.map((code) => "0123456789abcdefghjkmnpqrstvwxyz"[code]).join("")}`
}

const booleans = [{ value: false }, { value: true }]
const angry = identityOf("predicate", "The customer is angry.", booleans)
const teamOptions = teams.map((value) => ({ value }))
const team = identityOf("choice", "Which team?", teamOptions)
const urgentOptions = ["low", "high"].map((value) => ({ value }))
const urgent = identityOf("score", "How urgent?", urgentOptions)

/** A request in OpenAI's form; its options stand in another order than those of the identity. */
const openAi = (input: unknown) => ({
  model: "gpt-6-luna",
  input,
  questions: [
    { type: "predicate", name: "angry", instructions: "The customer is  angry." },
    { type: "choice", name: "team", instructions: "Which team?", choices: [{ value: "tech" }, { value: "billing" }] },
    { type: "score", name: "urgent", instructions: "How urgent?", levels: [{ label: "low" }, { label: "high" }] }
  ]
})

const openAiAnswer = (probability: number) => ({
  model: "gpt-6-luna",
  answers: [
    { type: "predicate", name: "angry", probability },
    {
      type: "choice",
      name: "team",
      choice: "billing",
      confidence: 0.8,
      probabilities: [
        { value: "tech", probability: 0.1 },
        { value: "billing", probability: 0.9 }
      ]
    },
    { type: "refusal", name: "urgent" }
  ],
  usage: { input_tokens: 141, output_tokens: 0, total_tokens: 141 }
})

const systemOne = (state: unknown) => ({
  model: "jev-1.14.0",
  state,
  questions: {
    cross: { type: "noul", instructions: "The customer is angry." },
    urgent: { type: "score", instructions: "How urgent?", criteria: ["low", "high"] }
  }
})

const systemOneAnswer = (noul: number) => ({
  model: "jev-1.14.0",
  answers: {
    cross: { type: "noul", noul },
    urgent: { type: "score", score: 0.75, confidence: 0.5, probabilities: { "0": 0.25, "1": 0.75 } }
  },
  usage: { input_tokens: 97, output_tokens: 0 }
})

/** A workspace whose upstream answers what `answers` gives in turn. */
const open = async (house: House, answers: ReadonlyArray<unknown>) => {
  const { test } = await house.workspace()
  let asked = 0
  const base_url = upstream.base((_, response) => {
    response.writeHead(200, json).end(JSON.stringify(answers[asked++]))
  })
  await create(test, { base_url, default: true })
  return test
}

const versionFrom = async (client: Client, from: unknown, fields = {}) => {
  const { id } = expectStatus(
    await client.post<{ readonly id: string }>("/v1/distill/datasets", { name: "decisions" }),
    201
  )
  const made = expectStatus(
    await client.post<Version>(`/v1/distill/datasets/${id}/versions`, { from, holdout_fraction: 0, ...fields }),
    201
  )
  return readUntil(
    () => client.get<Version>(`/v1/distill/dataset_versions/${made.id}`),
    ({ status }) => status !== "building"
  )
}

interface Version {
  readonly id: string
  readonly status: string
  readonly rows: number
  readonly dropped: unknown
  readonly dropped_reasons: unknown
  readonly questions: ReadonlyArray<unknown>
}

interface DecisionRow {
  readonly messages: ReadonlyArray<{ readonly content: string }>
  readonly decisions: ReadonlyArray<unknown>
}

const rowsOf = async (client: Client, version: string) => {
  const { data } = expectStatus(
    await client.get<{ readonly data: ReadonlyArray<DecisionRow> }>(`/v1/distill/dataset_versions/${version}/rows`),
    200
  )
  return data.toSorted((a, b) => ((a.messages[0]?.content ?? "") < (b.messages[0]?.content ?? "") ? -1 : 1))
}

const teacher = (question: string, name: string, kind: string, probabilities: ReadonlyArray<number> | null) => ({
  question,
  name,
  kind,
  probabilities,
  refusal: probabilities === null,
  source: "teacher"
})

const expectedQuestions = [
  {
    question: angry,
    name: "angry",
    kind: "predicate",
    instructions: "The customer is angry.",
    options: booleans,
    rows: 2
  },
  { question: team, name: "team", kind: "choice", instructions: "Which team?", options: teamOptions, rows: 2 },
  { question: urgent, name: "urgent", kind: "score", instructions: "How urgent?", options: urgentOptions, rows: 2 }
].toSorted((a, b) => (a.question < b.question ? -1 : 1))

describe("decisions", () => {
  onEachStorage("as data", (house) => {
    it("are shown in their captured call, in the order of the request and of the question's options (P1210)", async () => {
      const client = await open(house, [openAiAnswer(0.25), systemOneAnswer(0.5)])
      expectStatus(await client.post("/v1/proxy/decisions", openAi(text)), 200)
      expectStatus(await client.post("/v1/proxy/systemone", systemOne({ text })), 200)
      const [second, first] = await newest(client, 2)
      const upstreams = { served_by: "upstream" }
      assert.deepStrictEqual<unknown>(first?.decisions, [
        {
          question: angry,
          name: "angry",
          kind: "predicate",
          probabilities: [0.75, 0.25],
          refusal: false,
          ...upstreams
        },
        { question: team, name: "team", kind: "choice", probabilities: [0.9, 0.1], refusal: false, ...upstreams },
        { question: urgent, name: "urgent", kind: "score", probabilities: null, refusal: true, ...upstreams }
      ])
      assert.deepStrictEqual<unknown>(second?.decisions, [
        { question: angry, name: "cross", kind: "predicate", probabilities: [0.5, 0.5], refusal: false, ...upstreams },
        { question: urgent, name: "urgent", kind: "score", probabilities: [0.25, 0.75], refusal: false, ...upstreams }
      ])
      const one = await client.get<{ readonly decisions: unknown }>(`/v1/distill/calls/${second?.id}`)
      assert.deepStrictEqual(expectStatus(one, 200).decisions, second?.decisions)
    })

    it("become rows: equal messages are one row, repeated answers are averaged, and feedback stands before both (P1211)", async () => {
      const client = await open(house, [
        openAiAnswer(0.25),
        openAiAnswer(0.5),
        systemOneAnswer(1),
        openAiAnswer(0.125),
        { error: "nothing" },
        openAiAnswer(0.5)
      ])
      expectStatus(await client.post("/v1/proxy/decisions", openAi(text)), 200)
      expectStatus(await client.post("/v1/proxy/decisions", openAi(text)), 200)
      expectStatus(await client.post("/v1/proxy/systemone", systemOne(text)), 200)
      expectStatus(await client.post("/v1/proxy/decisions", openAi("Another ticket.")), 200)
      expectStatus(await client.post("/v1/proxy/decisions", openAi("Not answered.")), 200)
      const image = [{ role: "user", content: [{ type: "input_image", image_url: "data:image/png;base64,AA==" }] }]
      expectStatus(await client.post("/v1/proxy/decisions", openAi(image)), 200)
      const calls = await newest(client, 6)
      const other = calls.find(({ request }) => JSON.stringify(request).includes("Another"))
      const correction = { call_id: other?.id, name: "correction", value: 1, question: "team" }
      expectStatus(await client.post("/v1/distill/feedback", { ...correction, comment: "billing" }), 201)
      expectStatus(await client.post("/v1/distill/feedback", { ...correction, comment: "tech" }), 201)

      const version = await versionFrom(client, { calls: {} })
      assert.deepStrictEqual([version.status, version.rows], ["ready", 2])
      assert.deepStrictEqual(version.dropped_reasons, { images: 1, no_answer: 1 })
      assert.deepStrictEqual(version.dropped, { duplicates: 2, invalid: 0, redactions: 0, suspects: 0, unsupported: 2 })
      assert.deepStrictEqual<unknown>(version.questions, expectedQuestions)
      const [another, charged] = await rowsOf(client, version.id)
      assert.deepStrictEqual<unknown>(another, {
        messages: [{ role: "user", content: "Another ticket." }],
        completion: null,
        decisions: [
          teacher(angry, "angry", "predicate", [0.875, 0.125]),
          { ...teacher(team, "team", "choice", [0, 1]), source: "feedback" },
          teacher(urgent, "urgent", "score", null)
        ],
        split: "train"
      })
      const byQuestion = new Map(charged?.decisions.map((one) => [Object(one).question, one]))
      assert.deepInclude(Object(byQuestion.get(angry)), { probabilities: [0.416666666667, 0.583333333333] })
      assert.deepInclude(Object(byQuestion.get(team)), { probabilities: [0.9, 0.1], refusal: false })
      assert.deepInclude(Object(byQuestion.get(urgent)), { probabilities: [0.25, 0.75], refusal: false })
      const lines = (await client.get(`/v1/distill/dataset_versions/${version.id}/export`)).text.trim().split("\n")
      assert.sameDeepMembers(
        lines.map((line) => JSON.parse(line)),
        [another, charged].map((row) => {
          const { split: _, ...exported } = Object(row)
          return exported
        })
      )
      const joined = await versionFrom(client, { versions: [version.id] })
      assert.deepStrictEqual<unknown>(joined.questions, version.questions)
      assert.deepStrictEqual(await rowsOf(client, joined.id), [another, charged])
      const halves = await versionFrom(client, { calls: {} }, { holdout_fraction: 0.5, dedupe: "none" })
      assert.deepInclude(Object(halves), { rows: 2, status: "ready" })
    })

    it("are uploaded as pairs of either dialect, and a line that is none is named (P1212)", async () => {
      const { test: client } = await house.workspace()
      const send = async (content: string) => {
        const upload = await announce(client, { format: "decisions_jsonl" })
        expectStatus(await sendContent(client, upload, content), 202)
        return settledUpload(client, upload.id)
      }
      const pairs = [
        { request: openAi(text), response: openAiAnswer(0.25) },
        { request: systemOne({ b: 1, a: "x" }), response: systemOneAnswer(0.5) }
      ]
      const good = await send(linesOf(pairs))
      assert.deepInclude(Object(good), { status: "succeeded", format: "decisions_jsonl", rows: 2 })
      const version = await versionFrom(client, { upload: good.id })
      assert.deepInclude(Object(version), { rows: 2, status: "ready" })
      const [charged, state] = await rowsOf(client, version.id)
      assert.deepStrictEqual<unknown>(charged?.messages, [{ role: "user", content: text }])
      assert.deepStrictEqual<unknown>(state, {
        messages: [{ role: "user", content: '{"a":"x","b":1}' }],
        completion: null,
        decisions: [teacher(angry, "cross", "predicate", [0.5, 0.5]), teacher(urgent, "urgent", "score", [0.25, 0.75])],
        split: "train"
      })
      const bad = await send(
        [
          JSON.stringify(pairs[0]),
          "{",
          "[]",
          JSON.stringify({ request: openAi(text) }),
          JSON.stringify({ request: { input: text }, response: openAiAnswer(0.5) }),
          JSON.stringify({ request: openAi(undefined), response: openAiAnswer(0.5) }),
          JSON.stringify({ request: openAi(text), response: { answers: [] } })
        ].join("\n")
      )
      assert.strictEqual(bad.status, "failed")
      assert.deepStrictEqual<unknown>(bad.errors, [
        { line: 2, message: "Not JSON" },
        { line: 3, message: "Expected an object with request and response" },
        { line: 4, message: "response: Expected an object" },
        { line: 5, message: "request.questions: Expected a list or a map of questions" },
        { line: 6, message: "request.input: This field is required" },
        { line: 7, message: "response.answers: No question has an answer that can be read" }
      ])
    })

    it("take feedback on a question of the call, by its id or its name, and no other question or option (P1213)", async () => {
      const client = await open(house, [openAiAnswer(0.25)])
      const headers = { "x-service-external-id": "ticket-1" }
      expectStatus(await client.post("/v1/proxy/decisions", openAi(text), headers), 200)
      const [call] = await newest(client, 1)
      const correction = { call_id: call?.id, name: "correction", value: 1 }
      const give = (fields: object) => client.post("/v1/distill/feedback", { ...correction, ...fields })
      const byName = expectStatus(await give({ question: "team", comment: "tech" }), 201)
      assert.deepInclude(Object(byName), { question: team, comment: "tech" })
      assert.deepInclude(Object(expectStatus(await give({ question: angry, comment: "true" }), 201)), {
        question: angry
      })
      expectStatus(await give({ question: "urgent", comment: "low" }), 201)
      assert.deepInclude(Object(expectStatus(await give({ comment: "no question" }), 201)), { question: null })
      assertInvalid(await give({ question: "team", comment: "sales" }), "comment")
      assertInvalid(await give({ question: "team" }), "comment")
      assertInvalid(await give({ question: "mood", comment: "tech" }), "question")
      assertInvalid(await give({ question: identityOf("choice", "Which?", teamOptions), comment: "tech" }), "question")
      const { call_id: _, ...external } = { ...correction, external_id: "ticket-1" }
      assertInvalid(await client.post("/v1/distill/feedback", { ...external, question: "mood" }), "question")
      expectStatus(await client.post("/v1/distill/feedback", { ...external, question: "angry", comment: "true" }), 201)
      const listed = expectStatus(
        await client.get<{ readonly data: ReadonlyArray<unknown> }>(`/v1/distill/feedback?call_id=${call?.id}`),
        200
      )
      assert.lengthOf(listed.data, 5)

      const version = await versionFrom(client, { calls: {} })
      const [row] = await rowsOf(client, version.id)
      assert.deepStrictEqual<unknown>(row?.decisions, [
        { ...teacher(angry, "angry", "predicate", [0, 1]), source: "feedback" },
        { ...teacher(team, "team", "choice", [0, 1]), source: "feedback" },
        { ...teacher(urgent, "urgent", "score", [1, 0]), source: "feedback" }
      ])
    })
  })
})
