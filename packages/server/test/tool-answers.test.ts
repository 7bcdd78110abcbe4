/** A student that calls tools: closed tools with closed arguments are learnt, and asked for with stock clients in their dialects. */
import Anthropic from "@anthropic-ai/sdk"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { Report } from "@limbeck/api/ReportsApi"
import * as Deployments from "@limbeck/testing/http/DeploymentSteps"
import { createRun, endedRun, versionOf } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import OpenAI from "openai"
import { expectStatus } from "./support/Client.ts"
import { answering } from "./support/Dialects.ts"
import { type House, onMemory } from "./support/House.ts"
import { planOf } from "./support/LiveRuns.ts"
import { assertHas, callOf } from "./support/Provider.ts"
import { fallbackTo, serving } from "./support/Serving.ts"

const rooms = ["hall", "kitchen", "cellar"]
const parameters = {
  type: "object" as const,
  properties: { room: { type: "string", enum: rooms }, on: { type: "boolean" } },
  required: ["room", "on"]
}
const genres = ["jazz", "folk", "rock"]
const volumes = ["low", "middle", "high"]
const played = {
  type: "object" as const,
  properties: { genre: { type: "string", enum: genres }, volume: { type: "string", enum: volumes } },
  required: ["genre", "volume"]
}
const tools = [
  { type: "function" as const, function: { name: "set_light", description: "Switches a light", parameters } },
  { type: "function" as const, function: { name: "play", description: "Plays music", parameters: played } }
]
const requestOf = (room: number, on: boolean, index: number) =>
  `please ${on ? "switch on the lamp" : "make it dark"} in the ${rooms[room]} for guest ${index}`
const musicOf = (genre: number, volume: number, index: number) =>
  `some ${genres[genre]} with the volume ${volumes[volume]}, listener ${index} said`

/** The request and the call of a row; no row plays rock at the middle volume. */
const askedOf = (index: number) => {
  const at = Math.floor(index / 2)
  if (index % 2 === 0) {
    const [room, on] = [at % 3, at % 2 === 0]
    return { content: requestOf(room, on, index), call: { name: "set_light", args: { room: rooms[room], on } } }
  }
  const [genre, volume] = [at % 3, Math.floor(at / 3) % 3]
  const isLeftOut = genre === 2 && volume === 1
  const [kind, level] = isLeftOut ? [0, 0] : [genre, volume]
  const args = { genre: genres[kind], volume: volumes[level] }
  return { content: musicOf(kind, level, index), call: { name: "play", args } }
}

const rows = Array.from({ length: 300 }, (_, index) => {
  const { call: asked, content } = askedOf(index)
  const call = { name: asked.name, arguments: JSON.stringify(asked.args) }
  return {
    messages: [{ role: "user", content }],
    completion: {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `call_${index}`, type: "function", function: call }]
    },
    tools
  }
})

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const begin = async (house: House) => {
  const { live, liveToken } = await house.workspace()
  const { id: version } = await versionOf(live, rows)
  const student_model = await Deployments.studentOf(live, Deployments.builtin, version)
  const fallback = { ...(await fallbackTo(live, upstream.base(answering))), below_confidence: 0 }
  await Deployments.deployAndWait(live, { alias: "lights", student_model, mode: "active", fallback })
  const openai = new OpenAI({ apiKey: liveToken, baseURL: `${house.origin}/v1/proxy`, maxRetries: 0 })
  const anthropic = new Anthropic({ apiKey: liveToken, baseURL: `${house.origin}/v1/proxy`, maxRetries: 0 })
  return { anthropic, live, openai }
}

const content = requestOf(1, true, 900)
const wanted = { room: "kitchen", on: true }
const model = "svc:lights"

onMemory(
  "a student of closed tools",
  (house) => {
    let begun: ReturnType<typeof begin> | undefined
    const story = () => {
      begun ??= begin(house)
      return begun
    }
    const messages = [{ role: "user" as const, content }]

    it("answers a chat completion with a call, whole and streamed (P1531)", async () => {
      const { live, openai } = await story()
      const { data, response } = await openai.chat.completions.create({ model, messages, tools }).withResponse()
      const [choice] = data.choices
      const [call] = choice?.message.tool_calls ?? []
      assert.strictEqual(choice?.finish_reason, "tool_calls")
      assert.isNull(choice?.message.content)
      assert.strictEqual(call?.type, "function")
      assertHas(call?.type === "function" ? call.function : {}, { name: "set_light" })
      assert.deepStrictEqual(JSON.parse(call?.type === "function" ? call.function.arguments : "null"), wanted)
      assertHas(await callOf(live, response.headers), { served_by: "student", outcome: "succeeded" })
      const streamed = await openai.chat.completions.stream({ model, messages, tools }).finalChatCompletion()
      const [same] = streamed.choices[0]?.message.tool_calls ?? []
      assert.deepStrictEqual(JSON.parse(same?.type === "function" ? same.function.arguments : "null"), wanted)
      assert.strictEqual(streamed.choices[0]?.finish_reason, "tool_calls")
    })

    it("answers messages and responses with the call of their dialect (P1531)", async () => {
      const { anthropic, openai } = await story()
      const own = [
        { name: "set_light", description: "Another text", input_schema: parameters },
        { name: "play", input_schema: played }
      ]
      const message = await anthropic.messages.create({ model, max_tokens: 64, messages, tools: own })
      assert.strictEqual(message.stop_reason, "tool_use")
      const [block] = message.content
      assertHas(block ?? {}, { type: "tool_use", name: "set_light", input: wanted })
      const flat = [
        { type: "function" as const, name: "set_light", parameters, strict: false },
        { type: "function" as const, name: "play", parameters: played, strict: false }
      ]
      const { output } = await openai.responses.create({ model, input: content, tools: flat })
      const call = output.find(({ type }) => type === "function_call")
      assertHas(call ?? {}, { name: "set_light" })
      assert.deepStrictEqual(JSON.parse(call?.type === "function_call" ? call.arguments : "null"), wanted)
    })

    it("answers in each dialect with a combination of the other tool's arguments that no row has (P1702)", async () => {
      const { anthropic, live, openai } = await story()
      const [music, wanted] = [musicOf(2, 1, 901), { genre: "rock", volume: "middle" }]
      const asked = [{ role: "user" as const, content: music }]
      const { data, response } = await openai.chat.completions.create({ model, messages: asked, tools }).withResponse()
      const [call] = data.choices[0]?.message.tool_calls ?? []
      assert.strictEqual(call?.type === "function" ? call.function.name : "", "play")
      assert.deepStrictEqual(JSON.parse(call?.type === "function" ? call.function.arguments : "null"), wanted)
      assertHas(await callOf(live, response.headers), { served_by: "student", outcome: "succeeded" })
      const own = [
        { name: "play", input_schema: played },
        { name: "set_light", input_schema: parameters }
      ]
      const message = await anthropic.messages.create({ model, max_tokens: 64, messages: asked, tools: own })
      assertHas(message.content[0] ?? {}, { type: "tool_use", name: "play", input: wanted })
      const flat = own.map(({ input_schema, name }) => ({
        type: "function" as const,
        name,
        parameters: input_schema,
        strict: false
      }))
      const { output } = await openai.responses.create({ model, input: music, tools: flat })
      const answered = output.find(({ type }) => type === "function_call")
      assertHas(answered ?? {}, { name: "play" })
      assert.deepStrictEqual(JSON.parse(answered?.type === "function_call" ? answered.arguments : "null"), wanted)
    })

    it("is evaluated by the choice of the tool and by each argument of each tool (P1709)", async () => {
      const { live } = await house.workspace()
      const { id } = await versionOf(live, rows, { holdout_fraction: 0.3 })
      const run = await endedRun(live, expectStatus(await createRun(live, { ...planOf(id), dry_run: false }), 201).id)
      const report = expectStatus(await live.get<typeof Report.Type>(`/v1/distill/reports/${run.report}`), 200)
      const figures = report.advice?.fields ?? []
      assert.sameMembers(
        figures.map(({ field }) => field),
        ["tool", "set_light/room", "set_light/on", "play/genre", "play/volume"]
      )
      assert.strictEqual(figures[0]?.field, "tool")
      assert.sameMembers(figures[0]?.labels.map(({ label }) => label) ?? [], ["set_light", "play"])
      for (const { agreement, field } of figures) assert.isAbove(agreement, 0.9, field)
    })

    const other = { ...tools[0]!, function: { ...tools[0]!.function, name: "set_heating" } }
    const wider = {
      ...parameters,
      properties: { ...parameters.properties, room: { type: "string", enum: [...rooms, "attic"] } }
    }
    it.each([
      { asked: "no tools", fields: {} },
      { asked: "no call", fields: { tools, tool_choice: "none" as const } },
      { asked: "another tool as well", fields: { tools: [...tools, other] } },
      {
        asked: "another room as well",
        fields: { tools: [{ ...tools[0]!, function: { ...tools[0]!.function, parameters: wider } }, tools[1]!] }
      },
      {
        asked: "a call of another tool",
        fields: { tools, tool_choice: { type: "function" as const, function: { name: "other" } } }
      }
    ])("leaves a request for $asked to the fallback as unsupported (P1531)", async ({ fields }) => {
      const { live, openai } = await story()
      const { response } = await openai.chat.completions.create({ model, messages, ...fields }).withResponse()
      assertHas(await callOf(live, response.headers), {
        served_by: "upstream_fallback",
        fallback_reason: "unsupported"
      })
    })

    it.each(["auto", "required", { type: "function", function: { name: "set_light" } }] as const)(
      "answers a request with the tool choice %j (P1531)",
      async (tool_choice) => {
        const { live, openai } = await story()
        const { response } = await openai.chat.completions
          .create({ model, messages, tools, tool_choice })
          .withResponse()
        assertHas(await callOf(live, response.headers), { served_by: "student", fallback_reason: null })
      }
    )
  },
  serving
)
