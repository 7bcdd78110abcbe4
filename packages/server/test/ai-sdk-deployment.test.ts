/** The AI SDK, unchanged, before a student behind `svc:`, in each of its dialects (contract 16.7). */
import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { Models } from "@limbeck/testing/upstream/Models"
import { APICallError, generateText, jsonSchema, type LanguageModel, Output, streamText, type ToolSet, tool } from "ai"
import { begin, type ClientStory } from "./support/ClientStory.ts"
import { call as weather } from "./support/Dialects.ts"
import { onOneStorage } from "./support/House.ts"
import { assertHas, failureOf, newest } from "./support/Provider.ts"
import { serving } from "./support/Serving.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const city = jsonSchema<{ city: string }>({
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false
})

const endpoints = ["responses", "chat.completions", "messages"]

/** One model of each dialect, in the order of `endpoints`. */
const modelsOf = ({ apiKey, baseURL }: ClientStory, alias = "end"): ReadonlyArray<LanguageModel> => {
  const openai = createOpenAI({ apiKey, baseURL })
  const model = `svc:${alias}`
  return [openai.responses(model), openai.chat(model), createAnthropic({ apiKey, baseURL })(model)]
}

/** The newest calls, each dialect's after that of the one before it. */
const assertServed = async ({ live }: ClientStory, callsEach: number) => {
  const calls = await newest(live, callsEach * endpoints.length)
  const expected = endpoints.flatMap((endpoint) => Array.from({ length: callsEach }, () => endpoint))
  assert.deepStrictEqual(calls.map(({ endpoint }) => endpoint).toReversed(), expected)
  for (const call of calls) assertHas(call, { served_by: "student", outcome: "succeeded", model: "svc:end" })
}

onOneStorage(
  "the AI SDK is served by a student",
  (house) => {
    it("whole and streamed, with its usage, in each dialect (P1536)", async () => {
      const story = await begin(house, upstream)
      const asked = { system: "Be brief.", prompt: "The capital of France?", maxRetries: 0 }
      for (const model of modelsOf(story)) {
        const whole = await generateText({ ...asked, model })
        assert.strictEqual(whole.text, "Paris")
        assert.strictEqual(whole.finishReason, "stop")
        assertHas(whole.usage, { inputTokens: 11, outputTokens: 3 })
        const streamed = streamText({ ...asked, model })
        let text = ""
        for await (const delta of streamed.textStream) text += delta
        assert.strictEqual(text, "Paris")
        assertHas(await streamed.usage, { inputTokens: 11, outputTokens: 3 })
      }
      await assertServed(story, 2)
    })

    it("with tools, whole and streamed, and with their results, in each dialect (P1536)", async () => {
      const story = await begin(house, upstream)
      // The client's own types do not fit each other where optional members are exact.
      const tools = { [weather.name]: tool({ description: "The weather", inputSchema: city }) } as unknown as ToolSet
      for (const model of modelsOf(story)) {
        // With items that OpenAI stores, the client sends references in place of the conversation.
        const asked = { model, tools, maxRetries: 0, providerOptions: { openai: { store: false } } }
        const first = await generateText({ ...asked, prompt: "The weather?" })
        assert.strictEqual(first.finishReason, "tool-calls")
        const [called] = first.toolCalls
        assertHas(called, { toolName: weather.name, input: weather.input })
        const streamed = streamText({ ...asked, prompt: "The weather?" })
        assertHas((await streamed.toolCalls)[0], { toolName: weather.name, input: weather.input })
        const result = {
          type: "tool-result" as const,
          toolCallId: called?.toolCallId ?? "",
          toolName: weather.name,
          output: { type: "text" as const, value: "Sunny" }
        }
        const user = { role: "user" as const, content: "The weather?" }
        const messages = [user, ...first.response.messages, { role: "tool" as const, content: [result] }]
        assert.strictEqual((await generateText({ ...asked, messages })).text, "Paris")
      }
      await assertServed(story, 3)
    })

    it("with objects, whole and streamed, in each dialect (P1536)", async () => {
      const story = await begin(house, upstream)
      for (const model of modelsOf(story)) {
        const asked = { model, maxRetries: 0, prompt: "Where?", output: Output.object({ schema: city }) }
        assert.deepStrictEqual((await generateText(asked)).output, weather.input)
        assert.deepStrictEqual(await streamText(asked).output, weather.input)
      }
      await assertServed(story, 2)
    })

    it("and reads a refusal as an error of its own, in each dialect (P1536)", async () => {
      const story = await begin(house, upstream)
      for (const model of modelsOf(story, "nobody")) {
        const failure = await failureOf(generateText({ model, prompt: "Hi", maxRetries: 0 }))
        assert.isTrue(APICallError.isInstance(failure), String(failure))
        assertHas(failure, { statusCode: 404 })
        assert.match(String(failure), /svc:nobody/)
      }
    })
  },
  serving
)
