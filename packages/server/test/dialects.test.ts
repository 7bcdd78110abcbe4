// @effect-diagnostics globalFetch:off
/** Dialects of sources: their routes, credentials, errors and model lists (contract 16.1 to 16.4). */
import type { RequestListener } from "node:http"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { create, type SourceView, sources, type VerificationView } from "@limbeck/testing/http/SourceSteps"
import { key, Models } from "@limbeck/testing/upstream/Models"
import { assertInvalid, assertRefused, client, expectStatus } from "./support/Client.ts"
import { type House, onOneStorage } from "./support/House.ts"
import { assertHas, newest } from "./support/Provider.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

interface Failure {
  readonly type?: string
}

const json = { "content-type": "application/json" }
const named = (event: { readonly type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

const message = { model: "claude", max_tokens: 64, messages: [{ role: "user", content: "The capital of France?" }] }
const head = { id: "msg_1", type: "message", role: "assistant", model: "claude" }
const wholeText = `${JSON.stringify({ ...head, content: [], stop_reason: "end_turn" })}  `

/** A stream as Anthropic's API sends it: thinking, a text and a tool's input in pieces. */
const events = [
  {
    type: "message_start",
    message: { ...head, content: [], stop_reason: null, usage: { input_tokens: 11, output_tokens: 1 } }
  },
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "France…" } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "EqQB" } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  { type: "ping" },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Pa" } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "ris" } },
  { type: "content_block_stop", index: 1 },
  {
    type: "content_block_start",
    index: 2,
    content_block: { type: "tool_use", id: "toolu_1", name: "map", input: {} }
  },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"ci' } },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: 'ty":"Paris"}' } },
  { type: "content_block_stop", index: 2 },
  { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 9 } },
  { type: "message_stop" }
].map(named)

const assembled = {
  ...head,
  content: [
    { type: "thinking", thinking: "France…", signature: "EqQB" },
    { type: "text", text: "Paris" },
    { type: "tool_use", id: "toolu_1", name: "map", input: { city: "Paris" } }
  ],
  stop_reason: "tool_use",
  usage: { input_tokens: 11, output_tokens: 9 },
  stop_sequence: null
}

/** A workspace whose default source of test mode speaks Anthropic's dialect and answers like this. */
const anthropic = async (house: House, listener: RequestListener) => {
  const { liveToken, test } = await house.workspace()
  const base_url = upstream.base(listener)
  await create(test, { base_url, dialect: "anthropic", name: "claudes", default: true })
  const token = liveToken.replace("live", "test")
  return { anonymous: client(house.origin, null), base_url, test, token }
}

const chat = { model: "claude", messages: [{ role: "user", content: "The capital of France?" }] }

describe("a dialect", () => {
  onOneStorage("of a source", (house) => {
    it("is openai by default, is shown and changed, and has the routes and the credential of its API (P1060)", async () => {
      const { test } = await house.workspace()
      assert.strictEqual((await create(test)).dialect, "openai")
      const base_url = upstream.base((_, response) => {
        response.writeHead(200, { "content-type": "application/json" }).end('{"data":[{"id":"claude"}]}')
      })
      const { dialect, id } = await create(test, { base_url, dialect: "anthropic" })
      assert.strictEqual(dialect, "anthropic")
      const headers = { "x-service-source": id }
      for (const route of ["chat/completions", "completions", "responses", "embeddings"]) {
        assertInvalid(await test.post(`/v1/proxy/${route}`, chat, headers), "X-Service-Source")
      }
      assert.deepStrictEqual(upstream.at(base_url), [])
      assert.isTrue(expectStatus(await test.post<VerificationView>(`${sources}/${id}/verify`, {}), 200).ok)
      const [listing] = upstream.at(base_url)
      assert.deepInclude(listing?.headers, { "x-api-key": key, "anthropic-version": "2023-06-01" })
      assert.notProperty(listing?.headers, "authorization")
      const changed = expectStatus(await test.patch<SourceView>(`${sources}/${id}`, { dialect: "openai" }), 200)
      assert.strictEqual(changed.dialect, "openai")
      assertInvalid(await test.patch(`${sources}/${id}`, { dialect: "gemini" }), "dialect")
    })

    it("anthropic passes messages byte for byte at both paths, with a token as x-api-key, and captures them (P1061)", async () => {
      const { anonymous, base_url, test, token } = await anthropic(house, (request, response) => {
        const { sent } = request as typeof request & { readonly sent: string } // The server of models has read it.
        if (request.url?.endsWith("/count_tokens"))
          return void response.writeHead(200, json).end('{"input_tokens":  5}')
        if (!sent.includes('"stream":true')) return void response.writeHead(200, json).end(wholeText)
        response.writeHead(200, { "content-type": "text/event-stream" })
        for (const event of events) response.write(event)
        response.end()
      })
      const keyed = { "x-api-key": token, "content-type": "application/json", "anthropic-version": "2023-06-02" }
      for (const route of ["/v1/proxy/messages", "/v1/proxy/v1/messages"]) {
        const answer = await anonymous.post(route, message, keyed)
        assert.deepStrictEqual([answer.status, answer.text], [200, wholeText])
      }
      const streamed = await anonymous.post("/v1/proxy/v1/messages", { ...message, stream: true }, keyed)
      assert.strictEqual(streamed.text, events.join(""))
      const counted = await anonymous.post("/v1/proxy/v1/messages/count_tokens", message, keyed)
      assert.strictEqual(counted.text, '{"input_tokens":  5}')
      const again = await anonymous.post("/v1/proxy/messages/count_tokens", message, keyed)
      assert.strictEqual(again.status, 200)
      const sent = upstream.at(base_url)
      const paths = sent.map(({ path }) => path.replace(/^\/\d+\/v1/, ""))
      const count = "/messages/count_tokens"
      assert.deepStrictEqual(paths, ["/messages", "/messages", "/messages", count, count])
      for (const { headers } of sent)
        assert.deepInclude(headers, { "x-api-key": key, "anthropic-version": "2023-06-02" })
      const [newestCall, ...others] = await newest(test, 3)
      assert.lengthOf(others, 2)
      assertHas(newestCall, { endpoint: "messages", streamed: true, outcome: "succeeded" })
      assert.deepStrictEqual(newestCall?.response, assembled)
      assertHas(others[0], { endpoint: "messages", response: JSON.parse(wholeText) })
      // `Authorization` wins over the other header.
      const both = await anonymous.post("/v1/proxy/messages", message, { ...keyed, authorization: "Bearer nobody" })
      assertRefused(both, 401, "authentication_error")
    })

    it("anthropic fails a call whose stream holds an error event, and reads errors of the proxy (P1062)", async () => {
      const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }
      const refusal = '{"type":"error",  "error":{"type":"not_found_error","message":"model: none"}}'
      const { base_url, test, token } = await anthropic(house, (request, response) => {
        const { sent } = request as typeof request & { readonly sent: string } // The server of models has read it.
        if (!sent.includes('"stream":true')) return void response.writeHead(404, json).end(refusal)
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.end([...events.slice(0, 3), named(overloaded)].join(""))
      })
      expectStatus(await test.post("/v1/proxy/messages", { ...message, stream: true }), 200)
      const passed = await fetch(`${house.origin}/v1/proxy/messages`, {
        method: "POST",
        headers: { ...json, "x-api-key": token },
        body: JSON.stringify(message)
      })
      assert.deepStrictEqual([passed.status, await passed.text()], [404, refusal])
      const failed = (await newest(test, 2)).find(({ streamed }) => streamed)
      assertHas(failed, { outcome: "failed", status_code: 200 })
      assertHas(failed?.response, { error: overloaded.error, role: "assistant" })
      for (const route of ["messages", "v1/messages", "messages/count_tokens", "v1/messages/count_tokens"]) {
        const refused = await test.post<Failure>(`/v1/proxy/${route}`, message, { "x-service-source": "nobody" })
        assertInvalid(refused, "X-Service-Source")
        assert.strictEqual(refused.body.type, "error")
      }
      const elsewhere = await test.post<Failure>("/v1/proxy/chat/completions", chat, { "x-service-source": "nobody" })
      assert.notProperty(elsewhere.body, "type")
      assertInvalid(await test.post("/v1/proxy/messages/count_tokens", { ...message, model: "svc:a" }), "model")
      assert.lengthOf(upstream.at(base_url), 2)
    })

    it("has model lists in one form for the clients of all dialects (P1063)", async () => {
      const created_at = "2025-02-19T00:00:00Z"
      const { base_url, test } = await anthropic(house, (_, response) => {
        const data = [{ type: "model", id: "claude", display_name: "Claude", created_at }]
        response
          .writeHead(200, json)
          .end(JSON.stringify({ data, has_more: true, first_id: "claude", last_id: "claude" }))
      })
      const claude = { id: "claude", object: "model", created: 1_739_923_200, owned_by: "claudes", type: "model" }
      for (const route of ["/v1/proxy/models", "/v1/proxy/v1/models?limit=1"]) {
        assert.deepStrictEqual<unknown>(expectStatus(await test.get(route), 200), {
          object: "list",
          data: [{ ...claude, display_name: "Claude", created_at }],
          models: [{ name: "claude", description: "Claude", release_date: "2025-02-19" }],
          has_more: false,
          first_id: "claude",
          last_id: "claude"
        })
      }
      const listings = upstream.at(base_url).map(({ path }) => path.replace(/^\/\d+\/v1/, ""))
      assert.deepStrictEqual(listings, ["/models?limit=1000", "/models?limit=1000"])
    })
  })
})
