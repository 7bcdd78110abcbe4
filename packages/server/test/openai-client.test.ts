/** The stock `openai` client, given our origin and a token of ours, finds what it finds at its provider (contract 7). */
import { once } from "node:events"
import { get } from "node:http"
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { key, Models } from "@limbeck/testing/upstream/Models"
import OpenAI from "openai"
import { expectStatus } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"
import {
  assertError,
  assertHas,
  begin,
  callOf,
  capturedUsage,
  chunk,
  completion,
  type Exchange,
  event,
  failureOf,
  newest,
  question,
  sse,
  usage
} from "./support/Provider.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

describe("the openai client", () => {
  onOneStorage("gets", (house) => {
    it("completions, with our headers beside the provider's answer", async () => {
      const answer = completion({ content: "Paris — naturellement" })
      const { base_url, captured, client } = await begin(house, upstream, ({ json }) => json(200, answer))
      const { data, request_id, response } = await client.chat.completions
        .create(question, { headers: { "X-Service-Tags": "a,b", "X-Service-External-Id": "order 5" } })
        .withResponse()
      assert.deepStrictEqual<object>(data, answer)
      assert.match(request_id ?? "", /^req_/)
      assert.strictEqual(response.headers.get("x-service-served-by"), "upstream")
      assert.strictEqual(upstream.at(base_url)[0]?.headers.authorization, `Bearer ${key}`)
      const call = await callOf(captured, response.headers)
      assertHas(call, {
        outcome: "succeeded",
        request: question,
        response: answer,
        usage: capturedUsage(usage),
        tags: ["a", "b"],
        external_id: "order 5"
      })
    })

    it("answers that are packed, as it asked for them", async () => {
      const answer = completion({ content: "Paris ".repeat(100) })
      const { captured, client } = await begin(house, upstream, ({ request, response }) => {
        assert.include(String(request.headers["accept-encoding"]), "gzip")
        response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
        response.end(gzipSync(JSON.stringify(answer)))
      })
      const { data, response } = await client.chat.completions.create(question).withResponse()
      assert.strictEqual(data.choices[0]?.message.content, "Paris ".repeat(100))
      assertHas(await callOf(captured, response.headers), { response: answer, usage: capturedUsage(usage) })
    })

    it("streams, chunk by chunk, captured as the completion that it makes of them itself (P73)", async () => {
      const chunks = [
        chunk({ role: "assistant", content: "", refusal: null }),
        ...["Pa", "ris", " 😀", " — voilà"].map((content) => chunk({ content })),
        chunk({}, "stop"),
        { ...chunk({}), choices: [], usage }
      ]
      const { captured, client } = await begin(house, upstream, ({ stream }) => stream(chunks))
      const options = { ...question, stream: true as const, stream_options: { include_usage: true } }
      const heard = []
      for await (const one of await client.chat.completions.create(options)) heard.push(one)
      assert.deepStrictEqual<unknown>(heard, chunks)

      const helped = client.chat.completions.stream(options)
      const own = await helped.finalChatCompletion()
      const [call] = await newest(captured, 2)
      assertHas(call, { streamed: true, outcome: "succeeded", usage: capturedUsage(usage) })
      const response = call?.response as OpenAI.ChatCompletion
      assert.strictEqual(own.choices[0]?.message.content, "Paris 😀 — voilà")
      assert.strictEqual(response.choices[0]?.message.content, own.choices[0]?.message.content)
      assert.deepStrictEqual(response.usage, own.usage)
    })

    it("tools, called in a stream and run by itself (P73)", async () => {
      const head = { index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: "" } }
      const pieces = ['{"ci', 'ty":"Zür', 'ich"}'].map((text) =>
        chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] })
      )
      const asking = [
        chunk({ role: "assistant", content: null, tool_calls: [head] }),
        ...pieces,
        chunk({}, "tool_calls")
      ]
      const { captured, client } = await begin(house, upstream, ({ sent, stream }) => {
        const messages = sent["messages"] as ReadonlyArray<{ readonly role: string; readonly content: string }>
        const result = messages.find(({ role }) => role === "tool")
        stream(
          result === undefined
            ? asking
            : [chunk({ role: "assistant", content: `It is ${result.content}` }), chunk({}, "stop")]
        )
      })
      const asked: Array<unknown> = []
      const runner = client.chat.completions.runTools({
        ...question,
        stream: true,
        tools: [
          {
            type: "function",
            function: {
              name: "weather",
              description: "The weather of a city",
              parameters: { type: "object", properties: { city: { type: "string" } } },
              function: (given: string) => {
                asked.push(given)
                return "cold"
              }
            }
          }
        ]
      })
      assert.strictEqual(await runner.finalContent(), "It is cold")
      assert.deepStrictEqual(asked, ['{"city":"Zürich"}'])
      const calls = await newest(captured, 2)
      const first = calls.at(-1)?.response as OpenAI.ChatCompletion
      assert.deepStrictEqual(first.choices[0]?.message.tool_calls, [
        { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Zürich"}' } }
      ])
      assert.strictEqual(first.choices[0]?.finish_reason, "tool_calls")
    })

    it("one model, whose name may hold a slash, and what the provider says where there is none (P265)", async () => {
      const asked: Array<string> = []
      const { client } = await begin(house, upstream, ({ json, path }) => {
        asked.push(path)
        return path === "/models/org%2Fgpt-4.1"
          ? json(200, { id: "org/gpt-4.1", object: "model", created: 1, owned_by: "them" })
          : json(404, { error: { message: "No such model", type: "invalid_request_error", code: "model_not_found" } })
      })
      assertHas(await client.models.retrieve("org/gpt-4.1"), { id: "org/gpt-4.1", owned_by: "them" })
      const none = await failureOf(client.models.retrieve("none"))
      assertHas(assertError(none, OpenAI.NotFoundError), { status: 404, code: "model_not_found" })
      for (const path of [
        "/v1/proxy/models/..",
        "/v1/proxy/models/a%2525b",
        "/v1/proxy%2Fmodels/a",
        "/v1/workspace%2F"
      ]) {
        const [answer] = await once(
          get(`${house.origin}/`, { path, headers: { authorization: `Bearer ${client.apiKey}` } }),
          "response"
        )
        assert.strictEqual(answer.resume().statusCode, 404, path)
      }
      assert.deepStrictEqual(asked, ["/models/org%2Fgpt-4.1", "/models/none"])
    })

    it("legacy completions, as a stream too, captured as what they are (P265)", async () => {
      const answer = {
        id: "cmpl-1",
        object: "text_completion",
        created: 7,
        model: "instruct",
        choices: [
          { text: "Pa ris", index: 0, finish_reason: "stop" },
          { text: "Rome", index: 1, finish_reason: "length" }
        ],
        usage
      }
      const piece = (index: number, text: string, finish_reason: string | null = null) => ({
        ...{ id: "cmpl-1", object: "text_completion", created: 7, model: "instruct" },
        choices: [{ text, index, finish_reason }]
      })
      const chunks = [
        ...[piece(0, "Pa "), piece(1, "Ro"), piece(0, "ris"), piece(1, "me", "length"), piece(0, "", "stop")],
        { ...piece(0, ""), choices: [], usage }
      ]
      const { captured, client } = await begin(house, upstream, ({ json, path, sent, stream }) => {
        assert.strictEqual(path, "/completions")
        return sent["stream"] === true ? stream(chunks) : json(200, answer)
      })
      const ask = { model: "instruct", prompt: "The capital of France" }
      const { data, response } = await client.completions.create(ask).withResponse()
      assert.deepStrictEqual<unknown>(data, answer)
      assertHas(await callOf(captured, response.headers), {
        endpoint: "completions",
        response: answer,
        usage: capturedUsage(usage)
      })
      const heard = []
      for await (const one of await client.completions.create({ ...ask, stream: true })) heard.push(one)
      assert.deepStrictEqual<unknown>(heard, chunks)
      const [call] = await newest(captured, 2)
      assertHas(call, { endpoint: "completions", streamed: true, response: answer, usage: capturedUsage(usage) })
    })

    it("models, embeddings and responses", async () => {
      const models = [{ id: "gpt", object: "model", created: 1, owned_by: "them" }]
      const floats = Float32Array.from([0.25, -1.5, 3])
      const reply = {
        id: "resp_1",
        object: "response",
        status: "completed",
        output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hé" }] }],
        usage: { input_tokens: 4, output_tokens: 2 }
      }
      const { captured, client } = await begin(house, upstream, ({ json, path, response, sent }) => {
        if (path === "/models") return json(200, { object: "list", data: models })
        if (path === "/embeddings") {
          assert.strictEqual(sent["encoding_format"], "base64")
          const embedding = Buffer.from(floats.buffer).toString("base64")
          const data = [{ object: "embedding", index: 0, embedding }]
          return json(200, { object: "list", model: "small", data, usage: { prompt_tokens: 6, total_tokens: 6 } })
        }
        if (sent["stream"] !== true) return json(200, reply)
        response.writeHead(200, sse)
        const events = [
          { type: "response.created", response: { ...reply, status: "in_progress" } },
          { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Hé" },
          { type: "response.completed", response: reply }
        ]
        for (const one of events) response.write(`event: ${one.type}\n${event(one)}`)
        response.end()
      })
      const listed = []
      for await (const model of client.models.list()) listed.push(model)
      const own = { type: "model", display_name: "gpt", created_at: "1970-01-01T00:00:01.000Z" }
      assert.deepStrictEqual<unknown>(
        listed,
        models.map((model) => ({ ...model, ...own }))
      )

      const { data } = await client.embeddings.create({ model: "small", input: "ß" })
      assert.deepStrictEqual(data[0]?.embedding, [...floats])

      const { response } = await client.responses.create({ model: "gpt", input: "Say it" }).withResponse()
      assertHas(await callOf(captured, response.headers), { response: reply })

      const types = []
      for await (const { type } of await client.responses.create({ model: "gpt", input: "Say it", stream: true }))
        types.push(type)
      assert.deepStrictEqual(types, ["response.created", "response.output_text.delta", "response.completed"])

      const calls = await newest(captured, 3)
      assertHas(calls[0], {
        endpoint: "responses",
        response: reply,
        usage: capturedUsage({ prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 })
      })
      assertHas(calls.at(-1), {
        endpoint: "embeddings",
        usage: capturedUsage({ prompt_tokens: 6, completion_tokens: 0, total_tokens: 6 })
      })
    })
  })

  onOneStorage("is told of", (house) => {
    it("the provider's errors, by status and body (P73)", async () => {
      const cases = [
        [400, OpenAI.BadRequestError],
        [401, OpenAI.AuthenticationError],
        [403, OpenAI.PermissionDeniedError],
        [404, OpenAI.NotFoundError],
        [409, OpenAI.ConflictError],
        [422, OpenAI.UnprocessableEntityError],
        [429, OpenAI.RateLimitError],
        [500, OpenAI.InternalServerError],
        [529, OpenAI.InternalServerError]
      ] as const
      const { captured, client } = await begin(house, upstream, ({ json, sent }) => {
        const error = { message: "no, because", type: "theirs", code: "their_code", param: "messages[0]" }
        json(Number(sent["model"]), { error })
      })
      for (const [status, type] of cases) {
        const error = assertError(
          await failureOf(client.chat.completions.create({ ...question, model: String(status) })),
          type
        )
        assertHas(error, { status, code: "their_code", param: "messages[0]", type: "theirs" })
        assert.include(error.message, "no, because")
        assert.match(error.headers?.get("x-service-call-id") ?? "", /^call_/)
      }
      const calls = await newest(captured, cases.length)
      assert.deepStrictEqual(
        calls.map(({ outcome, status_code }) => [outcome, status_code]).reverse(),
        cases.map(([status]) => ["failed", status])
      )
    })

    it("our own refusals, by its own classes", async () => {
      const { captured, client } = await begin(house, upstream, ({ request }) => void request.socket.destroy())
      const ask = (options: ConstructorParameters<typeof OpenAI>[0], model = "gpt") =>
        failureOf(client.withOptions(options ?? {}).chat.completions.create({ ...question, model }))
      const anybody = assertError(await ask({ apiKey: "sk-unknown" }), OpenAI.AuthenticationError)
      assertHas(anybody, { status: 401, code: "authentication_error", type: "authentication_error" })
      const lost = assertError(await ask({ defaultHeaders: { "X-Service-Source": "nowhere" } }), OpenAI.BadRequestError)
      assertHas(lost, { status: 400, code: "invalid_request_error", param: "X-Service-Source" })
      const unserved = assertError(await ask({}, "svc:nobody"), OpenAI.NotFoundError)
      assertHas(unserved, { status: 404, code: "not_found_error" })
      const rude = assertError(await ask({}), OpenAI.InternalServerError)
      assertHas(rude, { status: 502, code: "api_error", type: "api_error" })
      const { secret } = expectStatus(
        await captured.post<{ readonly secret: string }>("/v1/tokens", { name: "a", scopes: ["distill:read"] }),
        201
      )
      const lacking = assertError(await ask({ apiKey: secret }), OpenAI.PermissionDeniedError)
      assertHas(lacking, { status: 403, code: "permission_error" })
      for (const error of [anybody, lost, unserved, rude, lacking]) assert.match(error.requestID ?? "", /^req_/)
    })

    it("an error in the middle of a stream", async () => {
      const { captured, client } = await begin(house, upstream, ({ stream }) =>
        stream([chunk({ role: "assistant", content: "Par" }), { error: { message: "overloaded", code: "529" } }])
      )
      const heard: Array<string> = []
      const listen = async () => {
        for await (const { choices } of await client.chat.completions.create({ ...question, stream: true })) {
          heard.push(choices[0]?.delta.content ?? "")
        }
      }
      const error = assertError(await failureOf(listen()), OpenAI.APIError)
      assert.include(error.message, "overloaded")
      assert.deepStrictEqual(heard, ["Par"])
      const [call] = await newest(captured, 1)
      assertHas(call, { outcome: "failed", status_code: 200 })
      assertHas(call?.response, { error: { message: "overloaded", code: "529" } })
    })
  })

  onOneStorage("goes on as it does elsewhere: it", (house) => {
    it("tries again what failed for now, each time as a call of its own (P73)", async () => {
      const failures = [
        ({ json }: Exchange) => json(429, { error: { message: "slow" } }, { "retry-after-ms": "1" }),
        ({ json }: Exchange) => json(500, { error: { message: "oh" } }, { "retry-after-ms": "1" })
      ]
      const counts: Array<unknown> = []
      const { captured, client } = await begin(house, upstream, (asked) => {
        counts.push(asked.request.headers["x-stainless-retry-count"])
        const fail = failures.shift()
        if (fail === undefined) asked.json(200, completion({ content: "Paris" }))
        else fail(asked)
      })
      const { choices } = await client.chat.completions.create(question, { maxRetries: 2 })
      assert.strictEqual(choices[0]?.message.content, "Paris")
      assert.deepStrictEqual(counts, ["0", "1", "2"])
      const calls = await newest(captured, 3)
      assert.deepStrictEqual(
        calls.map(({ status_code }) => status_code),
        [200, 500, 429]
      )
      assert.strictEqual(new Set(calls.map(({ id }) => id)).size, 3)
    })

    it("does not try again what the provider says not to", async () => {
      let asked = 0
      const { client } = await begin(house, upstream, ({ json }) => {
        asked++
        json(503, { error: { message: "no" } }, { "x-should-retry": "false" })
      })
      assertError(
        await failureOf(client.chat.completions.create(question, { maxRetries: 2 })),
        OpenAI.InternalServerError
      )
      assert.strictEqual(asked, 1)
    })

    it("leaves a stream, which ends the upstream's work, and the call is aborted with what was said (P73)", async () => {
      const closed: Array<Promise<unknown>> = []
      const { captured, client } = await begin(house, upstream, ({ response }) => {
        closed.push(once(response, "close"))
        response.writeHead(200, sse).write(event(chunk({ role: "assistant", content: "Par" })))
      })
      const left = await client.chat.completions.create({ ...question, stream: true })
      for await (const _ of left) left.controller.abort()
      const broken = await client.chat.completions.create({ ...question, stream: true })
      for await (const _ of broken) break
      await Promise.all(closed)
      assert.lengthOf(closed, 2)
      for (const { outcome, response } of await newest(captured, 2)) {
        assert.strictEqual(outcome, "aborted")
        const { choices } = response as OpenAI.ChatCompletion
        assertHas(choices[0], { finish_reason: null })
        assert.strictEqual(choices[0]?.message.content, "Par")
      }
    })

    it("gives up a call that takes too long, which ends the upstream's work too", async () => {
      const closed: Array<Promise<unknown>> = []
      const { captured, client } = await begin(
        house,
        upstream,
        ({ response }) => void closed.push(once(response, "close"))
      )
      // On a busy machine a call may be given up before it reaches anybody.
      do {
        const late = await failureOf(client.chat.completions.create(question, { timeout: 1_500 }))
        assertError(late, OpenAI.APIConnectionTimeoutError)
      } while (closed.length === 0)
      await Promise.all(closed)
      const [call] = await newest(captured, 1)
      assertHas(call, { outcome: "aborted", response: null })
    })
  })
})
