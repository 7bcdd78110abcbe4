/** Students and fallbacks that are asked in a dialect other than theirs, with stock clients (contract 16.7). */
import Anthropic from "@anthropic-ai/sdk"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { deployAndWait } from "@limbeck/testing/http/DeploymentSteps"
import { create } from "@limbeck/testing/http/SourceSteps"
import { readUntil } from "@limbeck/testing/http/Steps"
import { key, Models } from "@limbeck/testing/upstream/Models"
import OpenAI from "openai"
import { assertInvalid } from "./support/Client.ts"
import { answering, call as weather } from "./support/Dialects.ts"
import { type House, onOneStorage } from "./support/House.ts"
import { assertError, assertHas, callOf, failureOf } from "./support/Provider.ts"
import { aboutMoney, fallbackTo, serving, students } from "./support/Serving.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

interface Shadowed {
  readonly shadow_results: ReadonlyArray<object>
}

const label = "refund_request"
const user = [{ role: "user" as const, content: aboutMoney }]
const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }

const begin = async (house: House) => {
  const { live, liveToken } = await house.workspace()
  const { calm, llm } = await students(live)
  const openaiBase = upstream.base(answering)
  const anthropicBase = upstream.base(answering)
  const studentBase = upstream.base(answering)
  const openaiFallback = await fallbackTo(live, openaiBase, { default: true })
  const claudes = await create(live, { base_url: anthropicBase, dialect: "anthropic", name: "claudes" })
  const anthropicFallback = { source: claudes.name, model: "claude" }
  const desk = { student_model: calm, mode: "active" }
  await deployAndWait(live, { ...desk, alias: "desk" })
  await deployAndWait(live, { ...desk, alias: "doubt", fallback: { ...openaiFallback, below_confidence: 1 } })
  await deployAndWait(live, { ...desk, alias: "claude", fallback: { ...anthropicFallback, below_confidence: 1 } })
  const endpoint = { base_url: studentBase, model: "student-1", api_key: key }
  await deployAndWait(live, { alias: "end", student_model: llm, mode: "active", endpoint })
  await deployAndWait(live, {
    alias: "both",
    student_model: llm,
    mode: "active",
    endpoint,
    fallback: anthropicFallback
  })
  await deployAndWait(live, { ...desk, alias: "listening", mode: "shadow", fallback: anthropicFallback })
  const openai = new OpenAI({ apiKey: liveToken, baseURL: `${house.origin}/v1/proxy`, maxRetries: 0 })
  const anthropic = new Anthropic({ apiKey: liveToken, baseURL: `${house.origin}/v1/proxy`, maxRetries: 0 })
  return { anthropic, anthropicBase, live, openai, openaiBase, studentBase }
}

const bodiesAt = (base: string) =>
  upstream.at(base).map(({ body, path }) => ({ path: path.replace(/^\/\d+\/v1/, ""), body: JSON.parse(body) }))

onOneStorage(
  "a deployment asked in any dialect",
  (house) => {
    let begun: ReturnType<typeof begin> | undefined
    const story = () => {
      begun ??= begin(house)
      return begun
    }

    it("answers responses with its student, whole and streamed, as the openai client reads them (P1067)", async () => {
      const { live, openai } = await story()
      const { data, response } = await openai.responses.create({ model: "svc:desk", input: aboutMoney }).withResponse()
      assert.strictEqual(data.output_text, label)
      assertHas(data, { model: "svc:desk", status: "completed", object: "response" })
      assert.strictEqual(response.headers.get("x-service-served-by"), "student")
      const call = await callOf(live, response.headers)
      assertHas(call, { endpoint: "responses", served_by: "student", outcome: "succeeded", model: "svc:desk" })
      const { input_tokens: prompt_tokens, output_tokens: completion_tokens } = data.usage ?? {}
      assertHas(call.usage, { prompt_tokens, completion_tokens })

      const types: Array<string> = []
      let sequence = 0
      const stream = openai.responses.stream({ model: "svc:desk", input: user })
      for await (const event of stream) {
        types.push(event.type)
        assert.strictEqual(event.sequence_number, sequence++)
      }
      assert.deepStrictEqual(types, [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed"
      ])
      assert.strictEqual((await stream.finalResponse()).output_text, label)
    })

    it("answers messages with its student, whole and streamed, as Anthropic's client reads them (P1067)", async () => {
      const { anthropic, live } = await story()
      const asked = { model: "svc:desk", max_tokens: 64, messages: user, system: "You sort tickets." }
      const { data, response } = await anthropic.messages.create(asked).withResponse()
      assert.deepInclude(data.content, { type: "text", text: label } as never)
      assertHas(data, { model: "svc:desk", role: "assistant", stop_reason: "end_turn", type: "message" })
      assertHas(await callOf(live, response.headers), {
        endpoint: "messages",
        served_by: "student",
        outcome: "succeeded"
      })
      const stream = anthropic.messages.stream(asked)
      const types: Array<string> = []
      for await (const event of stream) {
        types.push(event.type)
        // Clients read the input tokens of the first event, as they do from Anthropic.
        if (event.type === "message_start") {
          assert.strictEqual(event.message.usage.input_tokens, data.usage.input_tokens)
        }
      }
      assert.deepStrictEqual(types, [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop"
      ])
      assert.strictEqual(await stream.finalText(), label)
    })

    it("asks a fallback in its own dialect, and passes an answer in the client's dialect byte for byte (P1068)", async () => {
      const { anthropic, anthropicBase, openai, openaiBase } = await story()
      const native = await openai.responses.create({ model: "svc:doubt", input: "Hi" }).withResponse()
      assert.strictEqual(native.response.headers.get("x-service-served-by"), "upstream_fallback")
      assert.strictEqual(native.data.id, "resp_upstream")
      assertHas(bodiesAt(openaiBase).at(-1), { path: "/responses", body: { model: "gpt", input: "Hi" } })
      const message = await anthropic.messages.create({ model: "svc:claude", max_tokens: 9, messages: user })
      assert.strictEqual(message.id, "msg_upstream")
      assertHas(bodiesAt(anthropicBase).at(-1)?.body, { model: "claude", max_tokens: 9, messages: user })

      const translated = await openai.responses.create({ model: "svc:claude", instructions: "Be brief.", input: "Hi" })
      assertHas(translated, { model: "svc:claude", status: "completed" })
      assert.strictEqual(translated.output_text, "Paris")
      assert.deepStrictEqual(bodiesAt(anthropicBase).at(-1), {
        path: "/messages",
        body: {
          model: "claude",
          max_tokens: 4_096,
          system: [{ type: "text", text: "Be brief." }],
          messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }]
        }
      })
      const back = await anthropic.messages.create({
        model: "svc:doubt",
        max_tokens: 9,
        messages: user,
        stop_sequences: ["END"],
        temperature: 0.5
      } as Anthropic.MessageCreateParamsNonStreaming)
      assertHas(back, { model: "svc:doubt", stop_reason: "end_turn" })
      assertHas(back.usage, { input_tokens: 7, cache_read_input_tokens: 4, output_tokens: 3 })
      assert.deepStrictEqual(bodiesAt(openaiBase).at(-1), {
        path: "/chat/completions",
        body: { model: "gpt", messages: user, max_completion_tokens: 9, temperature: 0.5, stop: ["END"] }
      })
    })

    it("streams a fallback's answer and its calls of tools in the client's dialect (P1068)", async () => {
      const { anthropic, live, openai } = await story()
      const tools = [{ type: "function" as const, name: weather.name, parameters: schema, strict: false }]
      const stream = openai.responses.stream({ model: "svc:claude", input: "The weather?", tools })
      const final = await stream.finalResponse()
      assert.strictEqual(final.output_text, "Paris")
      assertHas(
        final.output.find(({ type }) => type === "function_call"),
        {
          name: weather.name,
          arguments: JSON.stringify(weather.input),
          status: "completed"
        }
      )
      assertHas(final.usage, { input_tokens: 11, output_tokens: 3 })
      const own = [{ name: weather.name, input_schema: { ...schema, type: "object" as const } }]
      const messages = anthropic.messages.stream({ model: "svc:doubt", max_tokens: 9, messages: user, tools: own })
      const message = await messages.finalMessage()
      assertHas(message, { stop_reason: "tool_use" })
      assertHas(
        message.content.find(({ type }) => type === "tool_use"),
        { name: weather.name, input: weather.input }
      )
      const chat = openai.chat.completions.stream({
        model: "svc:claude",
        messages: user,
        stream_options: { include_usage: true },
        tools: [{ type: "function", function: { name: weather.name, parameters: schema } }]
      })
      const completion = await chat.finalChatCompletion()
      assertHas(completion.choices[0], { finish_reason: "tool_calls" })
      assertHas(completion.choices[0]?.message.tool_calls?.[0], {
        function: { name: weather.name, arguments: JSON.stringify(weather.input) }
      })
      assertHas(completion.usage, { prompt_tokens: 11, completion_tokens: 3 })
      // Calls are stored a moment after their answers.
      const { data } = await readUntil(
        () => live.get<{ data: ReadonlyArray<{ id: string; model: string; endpoint: string }> }>("/v1/distill/calls"),
        ({ data: [newest] }) => newest?.model === "svc:claude" && newest.endpoint === "chat.completions"
      )
      assertHas(data[0], { served_by: "upstream_fallback", outcome: "succeeded" })
    })

    it("asks a student at its endpoint for a chat completion, whatever it was asked itself (P1067)", async () => {
      const { anthropic, openai, studentBase } = await story()
      const image = {
        type: "image" as const,
        source: { type: "base64" as const, media_type: "image/png" as const, data: "aGk=" }
      }
      const asked = { model: "svc:end", max_tokens: 9, messages: [{ role: "user" as const, content: [image] }] }
      const { data, response } = await anthropic.messages.create(asked).withResponse()
      assert.strictEqual(response.headers.get("x-service-served-by"), "student")
      assert.deepInclude(data.content, { type: "text", text: "Paris" } as never)
      assert.deepStrictEqual(bodiesAt(studentBase).at(-1), {
        path: "/chat/completions",
        body: {
          model: "student-1",
          messages: [
            { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } }] }
          ],
          max_tokens: 9
        }
      })
      const format = { type: "json_schema" as const, name: "place", schema, strict: true }
      await openai.responses.create({ model: "svc:end", input: "Hi", text: { format } })
      assertHas(bodiesAt(studentBase).at(-1)?.body, {
        response_format: { type: "json_schema", json_schema: { name: "place", schema, strict: true } }
      })
    })

    it("refuses what a student or its fallback cannot be asked, before anything is sent (P1069)", async () => {
      const { anthropicBase, live, openai, studentBase } = await story()
      const before = [anthropicBase, studentBase].map((base) => upstream.at(base).length)
      const responses = (fields: object) =>
        live.post("/v1/proxy/responses", { model: "svc:end", input: "Hi", ...fields })
      const chat = (fields: object) =>
        live.post("/v1/proxy/chat/completions", { model: "svc:both", messages: user, ...fields })
      const messages = (fields: object) =>
        live.post("/v1/proxy/messages", { model: "svc:end", max_tokens: 9, messages: user, ...fields })
      const cases = [
        [responses({ previous_response_id: "resp_1" }), "previous_response_id"],
        [responses({ conversation: "conv_1" }), "conversation"],
        [responses({ background: true }), "background"],
        [responses({ tools: [{ type: "web_search" }] }), "tools[0]"],
        [responses({ input: [{ type: "item_reference", id: "a" }] }), "input[0]"],
        [responses({ top_logprobs: 2 }), "top_logprobs"],
        [messages({ top_k: 4 }), "top_k"],
        [messages({ mcp_servers: [{}] }), "mcp_servers"],
        [messages({ messages: [{ role: "user", content: [{ type: "search_result" }] }] }), "messages[0].content[0]"],
        [chat({ n: 2 }), "n"],
        [chat({ logit_bias: { 5: 1 } }), "logit_bias"],
        [chat({ temperature: 1.5 }), "temperature"],
        [chat({ response_format: { type: "json_object" } }), "response_format"],
        [chat({ messages: [{ role: "user", content: [{ type: "input_audio" }] }] }), "messages[0].content[0]"]
      ] as const
      for (const [refused, param] of cases) assertInvalid(await refused, param)
      const failure = await failureOf(openai.responses.create({ model: "svc:end", input: "Hi", background: true }))
      assertHas(assertError(failure, OpenAI.BadRequestError), { status: 400, param: "background" })
      assert.deepStrictEqual(
        [anthropicBase, studentBase].map((base) => upstream.at(base).length),
        before
      )
    })

    it("gives a student in shadow a copy, and compares it with an answer in another dialect (P1070)", async () => {
      const { anthropic, live } = await story()
      const { data, response } = await anthropic.messages
        .create({ model: "svc:listening", max_tokens: 9, messages: user })
        .withResponse()
      assert.strictEqual(data.id, "msg_upstream")
      assert.strictEqual(response.headers.get("x-service-served-by"), "shadow")
      const path = `/v1/distill/calls/${response.headers.get("x-service-call-id")}`
      const {
        shadow_results: [shadow]
      } = await readUntil(
        () => live.get<Shadowed>(path),
        ({ shadow_results }) => shadow_results.length > 0
      )
      assertHas(shadow, { agrees: false, message: { role: "assistant", content: label } })
    })
  },
  serving
)
