// @effect-diagnostics globalFetch:off
/** Requests for decisions through the proxy, in OpenAI's form and System One's (contract 16.1 to 16.4, 16.17). */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { create } from "@limbeck/testing/http/SourceSteps"
import { key, Models } from "@limbeck/testing/upstream/Models"
import { noul, TypeSafeClient } from "@typesafe-ai/sdk"
import { assertInvalid, expectStatus } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"
import { assertHas, begin, newest } from "./support/Provider.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const json = { "content-type": "application/json" }

const openAi = {
  model: "gpt-6-luna",
  input: "My card was charged twice.",
  questions: [
    { type: "predicate" as const, name: "angry", instructions: "The customer is angry." },
    {
      type: "choice" as const,
      name: "team",
      instructions: "Which team?",
      choices: [{ value: "billing" }, { value: false }]
    }
  ]
}

/** With spaces that a parser would lose. */
const openAiText = `{"model":  ${JSON.stringify(openAi.model)}, "answers": [
  {"type": "predicate", "name": "angry", "probability": 0.31},
  {"type": "choice", "name": "team", "choice": "billing", "confidence": 0.9,
   "probabilities": [{"value": "billing", "probability": 0.95}, {"value": false, "probability": 0.05}]}],
  "usage": {"input_tokens": 141, "output_tokens": 0, "total_tokens": 141}}`

const systemOne = {
  model: "jev-1.14.0",
  state: { message: "My card was charged twice." },
  questions: { angry: { type: "noul", instructions: "The customer is angry." } }
}
const systemOneText = `{"model": "jev-1.14.0",  "answers": {"angry": {"type": "noul", "noul": 0.31}},
  "usage": {"input_tokens": 97, "output_tokens": 0}}`

const refusal =
  '{"error":  {"message": "No such model", "type": "invalid_request_error", "param": "model", "code": null}}'

describe("a request for decisions", () => {
  onOneStorage("through the proxy", (house) => {
    it("passes byte for byte on every route to the path of the source's dialect, whatever the form of its body (P1200)", async () => {
      const { liveToken, test } = await house.workspace()
      const base_url = upstream.base((request, response) => {
        const { sent } = request as typeof request & { readonly sent: string } // The server of models has read it.
        if (sent.includes('"none"')) return void response.writeHead(404, json).end(refusal)
        response.writeHead(200, json).end(sent.includes('"state"') ? systemOneText : openAiText)
      })
      const models = [{ id: "gpt-6-luna", input_per_million: 0.1, output_per_million: 9 }]
      await create(test, { base_url, default: true, models })
      await create(test, { base_url, dialect: "systemone", name: "jev" })
      for (const route of ["decisions", "systemone", "v1/systemone", "api/alpha/decisions"]) {
        for (const [body, text] of [
          [openAi, openAiText],
          [systemOne, systemOneText]
        ] as const) {
          const answer = await test.post(`/v1/proxy/${route}?a=b`, body)
          assert.deepStrictEqual([answer.status, answer.text], [200, text])
          const other = await test.post(`/v1/proxy/${route}`, body, { "x-service-source": "jev" })
          assert.deepStrictEqual([other.status, other.text], [200, text])
        }
      }
      const failed = await fetch(`${house.origin}/v1/proxy/decisions`, {
        method: "POST",
        headers: { ...json, authorization: `Bearer ${liveToken.replace("live", "test")}` },
        body: JSON.stringify({ ...openAi, model: "none" })
      })
      assert.deepStrictEqual([failed.status, await failed.text()], [404, refusal])
      const sent = upstream.at(base_url)
      const paths = new Set(sent.map(({ path }) => path.replace(/^\/\d+\/v1/, "")))
      assert.deepStrictEqual(paths, new Set(["/decisions?a=b", "/systemone", "/decisions"]))
      assert.deepStrictEqual(JSON.parse(sent[0]?.body ?? ""), openAi)
      assert.isTrue(sent.every(({ headers }) => headers.authorization === `Bearer ${key}`))
      const calls = await newest(test, 17)
      assertHas(calls[0], { endpoint: "decisions", outcome: "failed", status_code: 404 })
      assert.lengthOf(
        calls.filter((call) => Object(call).endpoint === "systemone"),
        8
      )
      // 141 tokens at a tenth of a dollar per million; the output costs nothing, because there is none.
      const priced = calls.find((call) => Object(call).endpoint === "decisions" && Object(call).cost_usd !== null)
      assertHas(priced, { cost_usd: 0.000014, outcome: "succeeded" })
      assertHas(priced?.usage, { prompt_tokens: 141, completion_tokens: 0 })
      assert.deepStrictEqual(priced?.request, openAi)
      assert.deepStrictEqual(priced?.response, JSON.parse(openAiText))
    })

    it("without questions, or for a stream, is refused after it was captured, and never sent (P1201)", async () => {
      const { test } = await house.workspace()
      const base_url = upstream.base((_, response) => void response.writeHead(200, json).end(openAiText))
      await create(test, { base_url, default: true })
      const { questions: _, ...bare } = openAi
      for (const body of [bare, { ...openAi, questions: null }, { ...openAi, questions: "angry" }]) {
        assertInvalid(await test.post("/v1/proxy/decisions", body), "questions")
      }
      assertInvalid(await test.post("/v1/proxy/systemone", { ...systemOne, stream: true }), "stream")
      assertInvalid(await test.post("/v1/proxy/decisions", { ...openAi, stream: true }), "stream")
      expectStatus(await test.post("/v1/proxy/decisions", { ...openAi, stream: false }), 200)
      const calls = await newest(test, 6)
      assert.lengthOf(
        calls.filter(({ outcome, status_code }) => outcome === "failed" && status_code === 400),
        5
      )
      assert.deepStrictEqual(calls.at(-1)?.request, bare)
      assert.lengthOf(upstream.at(base_url), 1)
    })

    it("by the stock clients of OpenAI and TypeSafe is answered and captured (P1202)", async () => {
      const { captured, client } = await begin(house, upstream, ({ json: answer, sent }) =>
        answer(200, JSON.parse("state" in sent ? systemOneText : openAiText))
      )
      const decision = await client.decisions.create(openAi)
      assert.deepStrictEqual<unknown>(decision.answers, JSON.parse(openAiText).answers)
      const typesafe = new TypeSafeClient({ apiKey: String(client.apiKey), baseURL: client.baseURL })
      const { answers } = await typesafe.systemOne({
        model: "jev-1.14.0",
        state: { message: "My card was charged twice." },
        questions: { angry: noul("The customer is angry.") }
      })
      assert.strictEqual(answers.angry.noul, 0.31)
      const [second, first] = await newest(captured, 2)
      assertHas(first, { endpoint: "decisions", outcome: "succeeded" })
      assertHas(second, { endpoint: "systemone", outcome: "succeeded" })
    })
  })
})
