/** Mixed JSON answers of a deployment: closed fields by its student, free fields by its fallback. */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { DatasetVersion } from "@limbeck/api/DatasetsApi"
import { caseCount } from "@limbeck/testing/Campaign"
import { builtin, deployAndWait, post, studentOf } from "@limbeck/testing/http/DeploymentSteps"
import { create } from "@limbeck/testing/http/SourceSteps"
import { proposalOf, readUntil, versionOf } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { answeringSchemas, schemaOf } from "@limbeck/testing/upstream/SchemaUpstream"
import { Ajv2020 } from "ajv/dist/2020.js"
import { assertRefused, expectStatus } from "./support/Client.ts"
import { type House, onMemory } from "./support/House.ts"
import { assertHas, callOf } from "./support/Provider.ts"
import { call, fallbackTo, serving } from "./support/Serving.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const topics = ["parcel", "refund", "login", "invoice"]
const moods = ["calm", "angry", "glad"]
const words = ["today", "again", "please", "now", "soon", "thanks"]

const textOf = (index: number) =>
  `my ${topics[index % 4]} number ${index} and I am ${moods[Math.floor(index / 4) % 3]} ${words[index % 6]}`
const rowOf = (index: number) => ({
  messages: [{ role: "user", content: textOf(index) }],
  completion: JSON.stringify({
    summary: `case ${index * 7_919} of a customer who writes ${words[index % 6]}`,
    topic: topics[index % 4],
    number: index * 31,
    mood: moods[Math.floor(index / 4) % 3]
  })
})

const schema = {
  type: "object",
  properties: {
    summary: { type: "string", minLength: 1 },
    topic: { type: "string", enum: topics },
    number: { type: "integer" },
    mood: { enum: moods }
  },
  required: ["summary", "topic", "number", "mood"],
  additionalProperties: false
}
const isValid = new Ajv2020().compile(schema)
const split = "student=topic,mood; upstream=summary,number"

const stages = [
  { kind: "sft", config: { fields: "closed_only", epochs: 10 } },
  { kind: "eval", config: {} },
  { kind: "publish", config: {} }
]

const begin = async (house: House) => {
  const workspace = await house.workspace()
  const { live } = workspace
  const { id: version } = await versionOf(
    live,
    Array.from({ length: 360 }, (_, index) => rowOf(index))
  )
  const student = await studentOf(live, builtin, version, { recipe: { student_model: builtin, stages, rewards: [] } })
  const base = upstream.base(answeringSchemas)
  const fallback = await fallbackTo(live, base, {
    models: [{ id: "gpt", input_per_million: 1, output_per_million: 10 }]
  })
  const claudes = await create(live, { base_url: base, dialect: "anthropic", name: "claudes" })
  const desk = { student_model: student, mode: "active", fields: "closed_only" }
  await deployAndWait(live, { ...desk, alias: "desk", fallback })
  await deployAndWait(live, { ...desk, alias: "claude", fallback: { source: claudes.name, model: "claude" } })
  await deployAndWait(live, { ...desk, alias: "unsure", fallback: { ...fallback, below_confidence: 1 } })
  await deployAndWait(live, { ...desk, alias: "failing", fallback: { ...fallback, model: "bad" } })
  await deployAndWait(live, { ...desk, alias: "wordy", fallback: { ...fallback, model: "wordy" } })
  return { base, desk, fallback, live, student, version, workspace }
}

interface Compared {
  readonly shadow_results: ReadonlyArray<object>
}

type Form = (alias: string, index: number, schema: object) => object

const requests: Readonly<Record<"chat/completions" | "messages" | "responses", Form>> = {
  "chat/completions": (alias, index, schema) => ({
    model: `svc:${alias}`,
    messages: [{ role: "user", content: textOf(index) }],
    response_format: { type: "json_schema", json_schema: { name: "case", strict: true, schema } }
  }),
  messages: (alias, index, schema) => ({
    model: `svc:${alias}`,
    max_tokens: 500,
    messages: [{ role: "user", content: textOf(index) }],
    output_config: { format: { type: "json_schema", schema } }
  }),
  responses: (alias, index, schema) => ({
    model: `svc:${alias}`,
    input: textOf(index),
    text: { format: { type: "json_schema", name: "case", strict: true, schema } }
  })
}
type Dialect = keyof typeof requests
// The keys of this table.
const dialects = Object.keys(requests) as ReadonlyArray<Dialect>

interface Event {
  readonly type?: string
  readonly delta?: { readonly text?: string } | string
  readonly choices?: ReadonlyArray<{ readonly delta?: { readonly content?: string } }>
}

const pieceOf = ({ choices, delta, type }: Event): string => {
  if (typeof delta === "string") return type === "response.output_text.delta" ? delta : ""
  return delta?.text ?? choices?.[0]?.delta?.content ?? ""
}

const streamedText = (text: string): string =>
  text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => pieceOf(JSON.parse(line.slice("data: ".length))))
    .join("")

interface Whole {
  readonly choices?: ReadonlyArray<{ readonly message: { readonly content: string } }>
  readonly content?: ReadonlyArray<{ readonly text: string }>
  readonly output?: ReadonlyArray<{ readonly content: ReadonlyArray<{ readonly text: string }> }>
}

const wholeText = ({ choices, content, output }: Whole): string =>
  choices?.[0]?.message.content ?? content?.[0]?.text ?? output?.[0]?.content[0]?.text ?? ""

onMemory(
  "answers with fields",
  (house) => {
    let begun: ReturnType<typeof begin> | undefined
    const story = () => {
      begun ??= begin(house)
      return begun
    }

    const ask = async (dialect: Dialect, alias: string, index: number, fields: object = {}, asked: object = schema) => {
      const { workspace } = await story()
      const response = await call(
        house,
        workspace,
        { ...requests[dialect](alias, index, asked), ...fields },
        { path: `/v1/proxy/${dialect}` }
      )
      return { headers: response.headers, status: response.status, text: await response.text() }
    }

    it("are told apart in the version, whose proposal names the setting (P1773, P1774)", async () => {
      const { live, version } = await story()
      const at = `/v1/distill/dataset_versions/${version}`
      const { fields } = expectStatus(await live.get<typeof DatasetVersion.Type>(at), 200)
      assert.deepStrictEqual(fields, [
        { name: "mood", kind: "closed", rows: 360, share: 1 },
        { name: "number", kind: "number", rows: 360, share: 1 },
        { name: "summary", kind: "free", rows: 360, share: 1 },
        { name: "topic", kind: "closed", rows: 360, share: 1 }
      ])
      const { rationale } = await proposalOf(live, version)
      assert.include(rationale.join(" "), 'These fields are closed sets: "mood", "topic". With `fields: "closed_only"`')
      assert.include(rationale.join(" "), 'No builtin student fills "number"')
    })

    it("are merged from both in every dialect, whole and streamed: valid, in the order of the schema (P1761)", async () => {
      const { base } = await story()
      const calls = caseCount(60, 500)
      const before = upstream.at(base).length
      let right = 0
      for (let index = 0; index < calls; index++) {
        const dialect = dialects[index % 3]!
        const stream = index % 2 === 1
        const alias = index % 4 === 3 && dialect !== "responses" ? "claude" : "desk"
        const { headers, status, text } = await ask(dialect, alias, 1_000 + index, { stream })
        assert.strictEqual(status, 200, text)
        assert.strictEqual(headers.get("x-service-served-by"), "mixed")
        assert.strictEqual(headers.get("x-service-fields"), split)
        const answer = stream ? streamedText(text) : wholeText(JSON.parse(text))
        const value = JSON.parse(answer)
        assert.isTrue(isValid(value), answer)
        assert.deepStrictEqual(Object.keys(value), Object.keys(schema.properties))
        right += Number(value.topic === topics[(1_000 + index) % 4])
      }
      assert.isAtLeast(right, calls * 0.9)
      const sent = upstream.at(base).slice(before)
      assert.strictEqual(sent.length, calls)
      for (const { body } of sent) {
        const asked = schemaOf(JSON.parse(body))
        assert.deepStrictEqual(Object.keys(asked?.properties ?? {}), ["summary", "number"])
        assert.deepStrictEqual(asked?.required, ["summary", "number"])
      }
    })

    it("cost what the upstream counts, which is less than for whole answers (P1762)", async () => {
      const { live } = await story()
      const mixed = await callOf(live, (await ask("chat/completions", "desk", 2_000)).headers)
      const whole = await callOf(live, (await ask("chat/completions", "unsure", 2_000)).headers)
      assertHas(mixed, { served_by: "mixed", outcome: "succeeded" })
      assertHas(whole, { served_by: "upstream_fallback", fallback_reason: "confidence" })
      const tokensOf = (value: object) => Math.ceil(JSON.stringify(value).length / 4)
      const part = { summary: "the summary, in a sentence of several words", number: 42 }
      assertHas(mixed.usage, { prompt_tokens: 100, completion_tokens: tokensOf(part) })
      const all = { summary: part.summary, topic: "parcel", number: 42, mood: "calm" }
      assertHas(whole.usage, { completion_tokens: tokensOf(all) })
      assertHas(mixed, { cost_usd: (100 + 10 * tokensOf(part)) / 1e6 })
      const { model, service } = mixed.response as { readonly model: string; readonly service: object } // The server wrote it.
      assert.strictEqual(model, "svc:desk")
      assertHas(service, { fields: { student: ["topic", "mood"], upstream: ["summary", "number"] } })
    })

    it("are the student's alone without a free field, and the fallback's under another schema (P1763)", async () => {
      const { base } = await story()
      const before = upstream.at(base).length
      const { mood, topic } = schema.properties
      const closed = { type: "object", properties: { topic, mood }, required: ["topic", "mood"] }
      const alone = await ask("chat/completions", "desk", 3_000, {}, closed)
      assert.strictEqual(alone.headers.get("x-service-served-by"), "student")
      assert.deepStrictEqual(JSON.parse(wholeText(JSON.parse(alone.text))), { topic: "parcel", mood: "calm" })
      assert.strictEqual(upstream.at(base).length, before)
      const others = [
        { ...schema, properties: { ...schema.properties, city: { type: "string" } } },
        { ...schema, properties: { ...schema.properties, topic: { enum: ["sports", "politics"] } } },
        { ...schema, allOf: [{ required: ["topic"] }] }
      ]
      for (const other of others) {
        const { headers, status } = await ask("chat/completions", "desk", 3_001, {}, other)
        assert.strictEqual(status, 200)
        assert.strictEqual(headers.get("x-service-served-by"), "upstream_fallback")
        assert.strictEqual(headers.get("x-service-fields"), null)
        const { body } = upstream.at(base).at(-1) ?? { body: "{}" }
        assert.deepStrictEqual(schemaOf(JSON.parse(body)), other)
      }
    })

    it("are an error, never half an answer, after a failed fallback (P1764)", async () => {
      for (const alias of ["failing", "wordy"]) {
        for (const stream of [false, true]) {
          const { status, text } = await ask("chat/completions", alias, 4_000, { stream })
          assert.isAtLeast(status, 500, text)
          assert.notInclude(text, topics[0]!)
        }
      }
    })

    it("are compared by their closed fields alone, in shadow and by verifications (P1766)", async () => {
      const { desk, fallback, live } = await story()
      await deployAndWait(live, { ...desk, mode: "shadow", alias: "shadow", fallback })
      const guard = { verify_percent: 100 }
      await deployAndWait(live, { ...desk, alias: "verified", fallback, guard })
      // The upstream gives the first topic and mood to every text, and a summary of its own.
      for (const [alias, verifies] of [
        ["shadow", false],
        ["verified", true]
      ] as const) {
        for (const [index, agrees] of [
          [12_000, true],
          [12_001, false]
        ] as const) {
          const { headers } = await ask("chat/completions", alias, index)
          const id = headers.get("x-service-call-id")
          const { shadow_results: results } = await readUntil(
            () => live.get<Compared>(`/v1/distill/calls/${id}`),
            ({ shadow_results }) => shadow_results.length === 1
          )
          assertHas(results[0], { agrees, verifies, error: null })
        }
      }
    })

    it("need a student of closed fields, a fallback, and a deployment that asks for both (P1765)", async () => {
      const { desk, fallback, live, version } = await story()
      const { fields: _, ...plain } = desk
      assertRefused(await post(live, { ...plain, alias: "whole", fallback }), 409, "conflict_error", "fields")
      assertRefused(await post(live, { ...desk, alias: "lonely" }), 400, "invalid_request_error", "fallback")
      const labelled = await versionOf(
        live,
        Array.from({ length: 80 }, (_, index) => ({ ...rowOf(index), completion: topics[index % 4] }))
      )
      const other = await studentOf(live, builtin, labelled.id)
      const refused = await post(live, { ...desk, student_model: other, alias: "labels", fallback })
      assertRefused(refused, 409, "conflict_error", "fields")
      const body = {
        dataset_version: version,
        recipe: { student_model: "Qwen/Qwen3-0.6B", stages: [stages[0], stages[2]], rewards: [] },
        budget: { max_cost_usd: 5 },
        dry_run: true
      }
      const run = await live.post("/v1/distill/runs", body, { "idempotency-key": "closed-fields" })
      assertRefused(run, 400, "invalid_request_error", "recipe.stages[0].config.fields")
    })
  },
  serving
)
