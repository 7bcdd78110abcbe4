/** Stock clients of each dialect, unchanged, before a provider of their dialect: what they read, and the rows of their calls (contract 16.6). */
import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import Anthropic from "@anthropic-ai/sdk"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { create } from "@limbeck/testing/http/SourceSteps"
import { Models } from "@limbeck/testing/upstream/Models"
import { generateText, jsonSchema, type LanguageModel, Output, streamText, type ToolSet, tool } from "ai"
import OpenAI from "openai"
import { versionOfCalls } from "./support/Captured.ts"
import { expectStatus } from "./support/Client.ts"
import { answering, call as weather } from "./support/Dialects.ts"
import { type House, onOneStorage } from "./support/House.ts"
import { assertError, assertHas, failureOf, newest } from "./support/Provider.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const begin = async (house: House) => {
  const { liveToken, test } = await house.workspace()
  await create(test, { base_url: upstream.base(answering), default: true, name: "gpts" })
  await create(test, { base_url: upstream.base(answering), dialect: "anthropic", name: "claudes" })
  const settings = { apiKey: liveToken.replace("live", "test"), baseURL: `${house.origin}/v1/proxy` }
  const headers = { "X-Service-Source": "claudes" }
  const openai = createOpenAI(settings)
  const models: ReadonlyArray<LanguageModel> = [
    openai.responses("gpt"),
    openai.chat("gpt"),
    createAnthropic({ ...settings, headers })("claude")
  ]
  const own = { ...settings, maxRetries: 0 }
  return { models, openai: new OpenAI(own), anthropic: new Anthropic({ ...own, defaultHeaders: headers }), test }
}

const city = jsonSchema<{ city: string }>({
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false
})

const rowsOf = async (house: Awaited<ReturnType<typeof begin>>, calls: number) => {
  await newest(house.test, calls)
  const version = await versionOfCalls(house.test, {})
  const path = `/v1/distill/dataset_versions/${version.id}/rows?limit=100`
  const { data } = expectStatus(
    await house.test.get<{ readonly data: ReadonlyArray<Readonly<Record<string, unknown>>> }>(path),
    200
  )
  return { version, data }
}

onOneStorage("the AI SDK", (house) => {
  it("asks all dialects the same, plain and streamed, and its calls make one row (P1071)", async () => {
    const story = await begin(house)
    const asked = { system: "Be brief.", prompt: "The capital of France?", maxRetries: 0 }
    for (const model of story.models) {
      const whole = await generateText({ ...asked, model })
      assert.strictEqual(whole.text, "Paris")
      assert.strictEqual(whole.usage.inputTokens, 11)
      assert.strictEqual(await streamText({ ...asked, model }).text, "Paris")
    }
    const { data, version } = await rowsOf(story, 6)
    assert.deepInclude(version, { rows: 1, dropped_reasons: {} })
    assert.strictEqual(version.dropped.duplicates, 5)
    assert.deepInclude(data[0], {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "The capital of France?" }
      ],
      completion: "Paris"
    })
  })

  it("calls tools and sends their results in all dialects, and its calls make the same rows (P1071)", async () => {
    const story = await begin(house)
    // The client's own types do not fit each other where optional members are exact.
    const tools = { [weather.name]: tool({ description: "The weather", inputSchema: city }) } as unknown as ToolSet
    for (const model of story.models) {
      // With items that OpenAI stores, the client sends references in place of the conversation.
      const asked = { model, tools, maxRetries: 0, providerOptions: { openai: { store: false } } }
      const first = await generateText({ ...asked, prompt: "The weather?" })
      const [called] = first.toolCalls
      assertHas(called, { toolName: weather.name, input: weather.input })
      const streamed = streamText({ ...asked, prompt: "The weather?" })
      assertHas((await streamed.toolCalls)[0], { toolName: weather.name, input: weather.input })
      const output = { type: "text" as const, value: "Sunny" }
      const result = {
        type: "tool-result" as const,
        toolCallId: called?.toolCallId ?? "",
        toolName: weather.name,
        output
      }
      await generateText({
        ...asked,
        messages: [
          { role: "user", content: "The weather?" },
          ...first.response.messages,
          { role: "tool", content: [result] }
        ]
      })
    }
    const { data, version } = await rowsOf(story, 9)
    assert.deepInclude(version, { rows: 2, dropped_reasons: {} })
    // The call, and the text after its result.
    const completions = data.map((row) => row["completion"])
    const calling = completions.filter((completion) => completion !== "Paris")
    assert.lengthOf(calling, 1)
    assertHas(calling[0], { content: "Paris" })
    assert.match(JSON.stringify(calling), /"arguments":"\{\\"city\\":\\"Paris\\"\}"/)
  })

  it("sends images in all dialects, and its calls make one row (P1071)", async () => {
    const story = await begin(house)
    for (const model of story.models) {
      const image = { type: "image" as const, image: new URL("https://pictures.test/a.png"), mediaType: "image/png" }
      const data = { type: "image" as const, image: "aGk=", mediaType: "image/png" }
      const content = [{ type: "text" as const, text: "See" }, image, data]
      await generateText({ model, maxRetries: 0, messages: [{ role: "user", content }] })
    }
    const { data, version } = await rowsOf(story, 3)
    assert.deepInclude(version, { rows: 1, dropped_reasons: {} })
    assert.deepStrictEqual(data[0]?.["messages"], [
      {
        role: "user",
        content: [
          { type: "text", text: "See" },
          { type: "image_url", image_url: { url: "https://pictures.test/a.png" } },
          { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } }
        ]
      }
    ])
  })

  it("gets an object in all dialects", async () => {
    const story = await begin(house)
    for (const model of story.models) {
      const { output } = await generateText({
        model,
        maxRetries: 0,
        prompt: "Where?",
        output: Output.object({ schema: city })
      })
      assert.deepStrictEqual(output, weather.input)
    }
    const calls = await newest(story.test, 3)
    // For a model of Anthropic that it does not know, the client asks for a tool in place of a format.
    for (const { request } of calls) assert.match(JSON.stringify(request), /"json_schema"|"input_schema"/)
  })
})

onOneStorage("the clients of OpenAI and Anthropic", (house) => {
  it("read the errors of the proxy as errors of their own, and an abort is captured as one", async () => {
    const { anthropic, openai, test } = await begin(house)
    const nobody = { headers: { "X-Service-Source": "nobody" } }
    const refused = await failureOf(openai.responses.create({ model: "gpt", input: "Hi" }, nobody))
    assertHas(assertError(refused, OpenAI.BadRequestError), { status: 400, param: "X-Service-Source" })
    const message = { model: "claude", max_tokens: 9, messages: [{ role: "user" as const, content: "Hi" }] }
    const failure = await failureOf(anthropic.messages.create(message, nobody))
    assert.match(assertError(failure, Anthropic.BadRequestError).message, /nobody/)
    const stream = await openai.responses.create({ model: "gpt", input: "Hi", stream: true })
    for await (const { type } of stream) {
      assert.strictEqual(type, "response.created")
      break
    }
    const whole = await anthropic.messages.create(message)
    assert.strictEqual(whole.id, "msg_upstream")
    const calls = await newest(test, 2)
    assert.sameMembers(
      calls.map(({ outcome }) => outcome).filter((outcome) => outcome !== "aborted"),
      calls.some(({ outcome }) => outcome === "aborted") ? ["succeeded"] : ["succeeded", "succeeded"]
    )
  })
})
