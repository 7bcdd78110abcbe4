/** The OpenAI Agents SDK and LangChain, unchanged, before a provider of each dialect and before a student behind `svc:`. */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { ChatAnthropic } from "@langchain/anthropic"
import { type AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages"
import { ChatOpenAI } from "@langchain/openai"
import { Models } from "@limbeck/testing/upstream/Models"
import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents"
import OpenAI from "openai"
import { begin, type ClientStory, rowsOf } from "./support/ClientStory.ts"
import { call as weather } from "./support/Dialects.ts"
import { onOneStorage } from "./support/House.ts"
import { assertHas, failureOf, newest } from "./support/Provider.ts"
import { serving } from "./support/Serving.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const city = {
  type: "object" as const,
  properties: { city: { type: "string" as const } },
  required: ["city" as const],
  additionalProperties: false as const
}

/** One model in each dialect, of a source that is named after the one that answers. */
const langchain = ({ apiKey, baseURL }: ClientStory, sourceOf = (own: string) => own, svc?: string) => {
  const named = (own: string) => (svc === undefined ? { "X-Service-Source": sourceOf(own) } : {})
  const openai = (useResponsesApi: boolean) =>
    new ChatOpenAI({
      model: svc ?? "gpt",
      apiKey,
      maxRetries: 0,
      useResponsesApi,
      configuration: { baseURL, defaultHeaders: named("gpts") }
    })
  return [
    openai(false),
    openai(true),
    new ChatAnthropic({
      model: svc ?? "claude",
      apiKey,
      maxRetries: 0,
      maxTokens: 64,
      anthropicApiUrl: baseURL,
      clientOptions: { defaultHeaders: named("claudes") }
    })
  ] as const
}

const runners = ({ apiKey, baseURL }: ClientStory, source?: string) => {
  const headers = source === undefined ? {} : { "X-Service-Source": source }
  const openAIClient = new OpenAI({ apiKey, baseURL, maxRetries: 0, defaultHeaders: headers })
  return [false, true].map(
    (useResponses) =>
      new Runner({
        modelProvider: new OpenAIProvider({ openAIClient, useResponses }),
        tracingDisabled: true,
        traceIncludeSensitiveData: false
      })
  )
}

/** Aborts a call that its provider does not answer. */
const aborts = async ({ live, silent }: ClientStory, call: (signal: AbortSignal) => Promise<unknown>) => {
  const before = upstream.at(silent).length
  const controller = new AbortController()
  const failure = failureOf(call(controller.signal))
  await upstream.changes.until("the provider is asked", () => upstream.at(silent).length > before)
  controller.abort()
  assert.match(String(await failure), /abort/i)
  const [newestCall] = await newest(live, upstream.at(silent).length)
  assertHas(newestCall, { outcome: "aborted" })
}

onOneStorage(
  "LangChain",
  (house) => {
    const briefly = [new SystemMessage("Be brief."), new HumanMessage("The capital of France?")]

    it("asks all dialects the same, plain and streamed, and its calls make one row (P1395)", async () => {
      const story = await begin(house, upstream)
      for (const model of langchain(story)) {
        const whole = await model.invoke(briefly)
        assert.strictEqual(whole.text, "Paris")
        assertHas(whole.usage_metadata, { input_tokens: 11, output_tokens: 3 })
        let streamed = ""
        for await (const chunk of await model.stream(briefly)) streamed += chunk.text
        assert.strictEqual(streamed, "Paris")
      }
      const { data, version } = await rowsOf(story, 6)
      assert.deepInclude(version, { rows: 1, dropped_reasons: {} })
      assert.deepInclude(data[0], {
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "The capital of France?" }
        ],
        completion: "Paris"
      })
    })

    it("calls tools, sends their results, and gets objects and images across in all dialects (P1395)", async () => {
      const story = await begin(house, upstream)
      const tools = [
        { type: "function" as const, function: { name: weather.name, description: "The weather", parameters: city } }
      ]
      for (const model of langchain(story)) {
        const bound = model.bindTools(tools)
        const asked = new HumanMessage("The weather?")
        const called: AIMessage = await bound.invoke([asked])
        assertHas(called.tool_calls?.[0], { id: weather.id, name: weather.name, args: weather.input })
        const result = new ToolMessage({ content: "Sunny", tool_call_id: weather.id, name: weather.name })
        assert.strictEqual((await bound.invoke([asked, called, result])).text, "Paris")
        const structured = model.withStructuredOutput(city, { name: "place" })
        assert.deepStrictEqual(await structured.invoke("Where?"), weather.input)
        const image = { type: "image_url" as const, image_url: { url: "data:image/png;base64,aGk=" } }
        const seen = new HumanMessage({ content: [{ type: "text", text: "See" }, image] })
        assert.strictEqual((await model.invoke([seen])).text, "Paris")
      }
      const { data, version } = await rowsOf(story, 12)
      assert.deepInclude(version, { dropped_reasons: {} })
      const texts = data.map((row) => JSON.stringify(row))
      for (const part of ["Sunny", "aGk=", '\\"city\\":\\"Paris\\"', "Where?"]) {
        assert.isTrue(
          texts.some((text) => text.includes(part)),
          part
        )
      }
    })

    it("is answered by a student behind svc: in each dialect, whole, streamed and with tools (P1395)", async () => {
      const story = await begin(house, upstream)
      const tools = [{ type: "function" as const, function: { name: weather.name, parameters: city } }]
      for (const model of langchain(story, undefined, "svc:end")) {
        assert.strictEqual((await model.invoke(briefly)).text, "Paris")
        let streamed = ""
        for await (const chunk of await model.stream(briefly)) streamed += chunk.text
        assert.strictEqual(streamed, "Paris")
        const called: AIMessage = await model.bindTools(tools).invoke("The weather?")
        assertHas(called.tool_calls?.[0], { name: weather.name, args: weather.input })
      }
      const calls = await newest(story.live, 9)
      for (const call of calls) assertHas(call, { served_by: "student", outcome: "succeeded" })
    })

    it("reads the proxy's errors in each dialect, and an abort ends the call (P1395)", async () => {
      const story = await begin(house, upstream)
      for (const model of langchain(story, () => "nobody")) {
        assert.match(String(await failureOf(model.invoke("Hi"))), /nobody/)
      }
      for (const model of langchain(story, (own) => `silent-${own}`)) {
        await aborts(story, (signal) => model.invoke("Hi", { signal }))
      }
    })
  },
  serving
)

onOneStorage(
  "the OpenAI Agents SDK",
  (house) => {
    const asksWeather = (model: string) =>
      new Agent({
        name: "desk",
        instructions: "Be brief.",
        model,
        tools: [
          tool({
            name: weather.name,
            description: "The weather",
            parameters: city,
            strict: true,
            execute: () => "Sunny"
          })
        ]
      })
    const plain = (model: string) => new Agent({ name: "desk", instructions: "Be brief.", model })
    const typed = (model: string) =>
      new Agent({
        name: "desk",
        instructions: "Be brief.",
        model,
        outputType: { type: "json_schema", name: "place", strict: true, schema: city }
      })

    const streamed = async (runner: Runner, agent: ReturnType<typeof plain>) => {
      const run = await runner.run(agent, "The capital of France?", { stream: true })
      let text = ""
      for await (const event of run) {
        if (event.type === "raw_model_stream_event" && event.data.type === "output_text_delta") text += event.data.delta
      }
      await run.completed
      return text
    }

    for (const [model, what] of [
      ["gpt", "a provider"],
      ["svc:end", "a student"]
    ] as const) {
      it(`runs agents with tools, streams, objects and images by both APIs before ${what} (P1395)`, async () => {
        const story = await begin(house, upstream)
        for (const runner of runners(story)) {
          const { finalOutput } = await runner.run(plain(model), "The capital of France?")
          assert.strictEqual(finalOutput, "Paris")
          assert.strictEqual(await streamed(runner, plain(model)), "Paris")
          // The agent calls the tool, sends its result, and ends with the text.
          assert.strictEqual((await runner.run(asksWeather(model), "The weather?")).finalOutput, "Paris")
          assert.deepStrictEqual((await runner.run(typed(model), "Where?")).finalOutput, weather.input)
          const content = [
            { type: "input_text" as const, text: "See" },
            { type: "input_image" as const, image: "data:image/png;base64,aGk=" }
          ]
          const seen = await runner.run(plain(model), [{ role: "user", content }])
          assert.strictEqual(seen.finalOutput, "Paris")
        }
        const served = model === "gpt" ? "upstream" : "student"
        const calls = await newest(story.live, 12)
        assert.lengthOf(calls, 12)
        for (const call of calls) assertHas(call, { served_by: served, outcome: "succeeded" })
        if (model !== "gpt") return
        const { data, version } = await rowsOf(story, 12)
        assert.deepInclude(version, { dropped_reasons: {} })
        const capitals = data.filter((row) => JSON.stringify(row).includes("The capital of France?"))
        assert.lengthOf(capitals, 1)
        assert.isTrue(data.some((row) => JSON.stringify(row).includes("Sunny")))
      })
    }

    it("reads the proxy's errors by both APIs, and an abort ends the call (P1395)", async () => {
      const story = await begin(house, upstream)
      for (const runner of runners(story, "nobody")) {
        assert.match(String(await failureOf(runner.run(plain("gpt"), "Hi"))), /nobody/)
      }
      for (const runner of runners(story, "silent-gpts")) {
        await aborts(story, (signal) => runner.run(plain("gpt"), "Hi", { signal }))
      }
    })
  },
  serving
)
