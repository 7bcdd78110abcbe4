/** Conversations made from a seed, written in each dialect as its own clients write them. */
import type { Generator } from "@limbeck/testing/random/Generator"

type Json = Readonly<Record<string, unknown>>

interface Call {
  readonly name: string
  readonly args: Json
}

type Part = { readonly text: string } | { readonly url: string } | { readonly data: string }

type Turn =
  | { readonly role: "user"; readonly parts: ReadonlyArray<Part> }
  | { readonly role: "assistant"; readonly text: string | null; readonly calls: ReadonlyArray<Call> }
  | { readonly role: "results"; readonly results: ReadonlyArray<string> }

export interface Talk {
  readonly system: string | null
  readonly turns: ReadonlyArray<Turn>
  readonly tools: ReadonlyArray<{ readonly name: string; readonly parameters: Json }>
  readonly choice: "auto" | "none" | "required" | "named"
  readonly isSerial: boolean
  readonly schema: Json | null
  readonly answer: {
    readonly text: string | null
    readonly refusal: string | null
    readonly calls: ReadonlyArray<Call>
  }
}

export interface ConversationForms {
  readonly request: Json
  readonly answer: Json
}

const words = ["Paris", "Ünï", "", " two\nlines ", '{"a": 1}', "😀"]
const textOf = ({ pick }: Generator) => pick(words)

const callOf = ({ below, pick }: Generator): Call => ({
  name: pick(["map", "mail"]),
  args: pick<Json>([{}, { city: "Köln" }, { list: [1.5, null, "x"], n: below(9), deep: { a: true } }])
})

const partOf = (generator: Generator): Part =>
  generator.pick<Part>([
    { text: generator.pick(["See", "that", "Ünï"]) },
    { url: "https://a.test/i.png" },
    { data: "aGk=" }
  ])

/** A question, and sometimes a call of tools with its results before it. */
const roundOf = (generator: Generator): ReadonlyArray<Turn> => {
  const { below, pick, some } = generator
  const parts = pick<ReadonlyArray<Part>>([
    [{ text: textOf(generator) }],
    [partOf(generator), ...some(3, () => partOf(generator))]
  ])
  const user: Turn = { role: "user", parts }
  const calls = below(2) === 0 ? [] : [callOf(generator), ...some(2, () => callOf(generator))]
  if (calls.length === 0) return [user, { role: "assistant", text: pick(["Yes.", "Ünï"]), calls }]
  const text = pick([null, "Let me see."])
  const results: Turn = { role: "results", results: calls.map(() => textOf(generator)) }
  return [user, { role: "assistant", text, calls }, results, { role: "assistant", text: "Done.", calls: [] }]
}

export const talkOf = (generator: Generator): Talk => {
  const { below, pick, some } = generator
  const turns = some(3, () => roundOf(generator)).flat()
  const calls = pick([[], [callOf(generator), ...some(2, () => callOf(generator))]])
  const refusal = calls.length === 0 && below(4) === 0 ? "I will not." : null
  return {
    system: pick([null, "Be brief."]),
    turns: [...turns, { role: "user", parts: [{ text: "And now?" }] }],
    tools:
      below(2) === 0
        ? []
        : [
            {
              name: "map",
              parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
            },
            { name: "mail", parameters: { type: "object", properties: {} } }
          ],
    choice: pick(["auto", "none", "required", "named"]),
    isSerial: below(2) === 0,
    schema: pick([null, { type: "object", properties: { a: { type: "string" } } }]),
    answer: {
      text: refusal === null ? (calls.length === 0 ? textOf(generator) : pick([null, "So:"])) : null,
      refusal,
      calls
    }
  }
}

/** Ids that only this dialect's provider makes, the same for a call and its result. */
class Ids {
  #made = 0
  #waiting: Array<string> = []
  readonly #prefix: string
  constructor(prefix: string) {
    this.#prefix = prefix
  }
  next = () => {
    const id = `${this.#prefix}${(++this.#made * 7919).toString(36)}`
    this.#waiting.push(id)
    return id
  }
  take = () => this.#waiting.shift() ?? "none"
}

const chatCall =
  (ids: Ids) =>
  ({ args, name }: Call) => ({
    id: ids.next(),
    type: "function",
    function: { name, arguments: JSON.stringify(args, null, 1) }
  })

const chatPart = (part: Part) => {
  if ("text" in part) return { type: "text", text: part.text }
  return { type: "image_url", image_url: { url: "url" in part ? part.url : `data:image/png;base64,${part.data}` } }
}

const isPlain = (parts: ReadonlyArray<Part>) => parts.length === 1 && parts.every((part) => "text" in part)
const plainOf = (parts: ReadonlyArray<Part>) => parts.map((part) => ("text" in part ? part.text : "")).join("")

export const inChat = (talk: Talk, { below }: Generator): ConversationForms => {
  const ids = new Ids("call_")
  const messages = talk.turns.flatMap((turn): ReadonlyArray<Json> => {
    if (turn.role === "user") {
      const isText = isPlain(turn.parts) && below(2) === 0
      return [{ role: "user", content: isText ? plainOf(turn.parts) : turn.parts.map(chatPart) }]
    }
    if (turn.role === "results")
      return turn.results.map((content) => ({ role: "tool", tool_call_id: ids.take(), content }))
    const calls = turn.calls.map(chatCall(ids))
    const marks = { refusal: null, annotations: [], reasoning_content: "Hm." }
    return [{ role: "assistant", content: turn.text, ...(calls.length === 0 ? {} : { tool_calls: calls }), ...marks }]
  })
  const system = talk.system === null ? [] : [{ role: below(2) === 0 ? "system" : "developer", content: talk.system }]
  const tools = talk.tools.map(({ name, parameters }) => ({
    type: "function",
    function: { name, parameters, strict: true }
  }))
  const named = { type: "function", function: { name: "map" } }
  const { calls, refusal, text } = talk.answer
  return {
    request: {
      model: "gpt",
      temperature: 0.2,
      messages: [...system, ...messages],
      ...(tools.length === 0
        ? {}
        : { tools, tool_choice: talk.choice === "named" ? named : talk.choice, parallel_tool_calls: !talk.isSerial }),
      ...(talk.schema === null
        ? {}
        : {
            response_format: {
              type: "json_schema",
              json_schema: { name: "response", strict: true, schema: talk.schema }
            }
          })
    },
    answer: {
      choices: [
        {
          index: 0,
          finish_reason: "stop",
          message: { role: "assistant", content: text, refusal, annotations: [], tool_calls: calls.map(chatCall(ids)) }
        }
      ]
    }
  }
}

const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" }

const responsesCall =
  (ids: Ids, index: number) =>
  ({ args, name }: Call) => ({
    type: "function_call",
    id: `fc_${index}`,
    call_id: ids.next(),
    name,
    arguments: JSON.stringify(args),
    status: "completed"
  })

const responsesPart = (part: Part) => {
  if ("text" in part) return { type: "input_text", text: part.text }
  return {
    type: "input_image",
    detail: "auto",
    image_url: "url" in part ? part.url : `data:image/png;base64,${part.data}`
  }
}

export const inResponses = (talk: Talk, { below }: Generator): ConversationForms => {
  const ids = new Ids("call_r")
  const said = (part: Json) => ({
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [part]
  })
  const text = (value: string) => said({ type: "output_text", text: value, annotations: [] })
  const input = talk.turns.flatMap((turn): ReadonlyArray<Json> => {
    if (turn.role === "user") {
      const isText = isPlain(turn.parts) && below(2) === 0
      return [{ role: "user", content: isText ? plainOf(turn.parts) : turn.parts.map(responsesPart) }]
    }
    if (turn.role === "results")
      return turn.results.map((output) => ({ type: "function_call_output", call_id: ids.take(), output }))
    const calls = turn.calls.map(responsesCall(ids, 1))
    return [reasoning, ...(turn.text === null ? [] : [text(turn.text)]), ...calls]
  })
  const isInstruction = below(2) === 0
  const system = talk.system === null || isInstruction ? [] : [{ role: "developer", content: talk.system }]
  const tools = talk.tools.map(({ name, parameters }) => ({ type: "function", name, parameters, strict: false }))
  const { answer } = talk
  return {
    request: {
      model: "gpt",
      store: false,
      ...(talk.system !== null && isInstruction ? { instructions: talk.system } : {}),
      input: [...system, ...input],
      ...(tools.length === 0
        ? {}
        : {
            tools,
            tool_choice: talk.choice === "named" ? { type: "function", name: "map" } : talk.choice,
            parallel_tool_calls: !talk.isSerial
          }),
      ...(talk.schema === null
        ? {}
        : {
            text: {
              format: { type: "json_schema", name: "response", strict: true, schema: talk.schema },
              verbosity: "low"
            }
          })
    },
    answer: {
      object: "response",
      status: "completed",
      output: [
        reasoning,
        ...(answer.text === null ? [] : [text(answer.text)]),
        ...(answer.refusal === null ? [] : [said({ type: "refusal", refusal: answer.refusal })]),
        ...answer.calls.map(responsesCall(ids, 2))
      ]
    }
  }
}

const mark = { cache_control: { type: "ephemeral" } }
const thinking = { type: "thinking", thinking: "Hm.", signature: "EqQB" }

const messagesCall =
  (ids: Ids) =>
  ({ args, name }: Call) => ({ type: "tool_use", id: ids.next(), name, input: args })

const messagesPart = (part: Part) => {
  if ("text" in part) return { type: "text", text: part.text, ...mark }
  const source =
    "url" in part ? { type: "url", url: part.url } : { type: "base64", media_type: "image/png", data: part.data }
  return { type: "image", source }
}

const choices = {
  auto: { type: "auto" },
  none: { type: "none" },
  required: { type: "any" },
  named: { type: "tool", name: "map" }
}

export const inMessages = (talk: Talk, { below }: Generator): ConversationForms => {
  const ids = new Ids("toolu_")
  const messages = talk.turns.map((turn): Json => {
    if (turn.role === "user") {
      const isText = isPlain(turn.parts) && below(2) === 0
      return { role: "user", content: isText ? plainOf(turn.parts) : turn.parts.map(messagesPart) }
    }
    if (turn.role === "results") {
      const resultOf = (text: string) => ({
        type: "tool_result",
        tool_use_id: ids.take(),
        content: below(2) === 0 ? text : [{ type: "text", text }],
        ...mark
      })
      return { role: "user", content: turn.results.map(resultOf) }
    }
    const text = turn.text === null ? [] : [{ type: "text", text: turn.text }]
    return { role: "assistant", content: [thinking, ...text, ...turn.calls.map(messagesCall(ids))] }
  })
  const tools = talk.tools.map(({ name, parameters }) => ({ name, input_schema: parameters, ...mark }))
  const { answer, system } = talk
  const said = answer.refusal ?? answer.text
  const tool_choice = { ...choices[talk.choice], disable_parallel_tool_use: talk.isSerial }
  return {
    request: {
      model: "claude",
      max_tokens: 64,
      ...(system === null ? {} : { system: below(2) === 0 ? system : [{ type: "text", text: system, ...mark }] }),
      messages,
      ...(tools.length === 0 ? {} : { tools, tool_choice }),
      ...(talk.schema === null ? {} : { output_config: { format: { type: "json_schema", schema: talk.schema } } })
    },
    answer: {
      type: "message",
      role: "assistant",
      stop_reason: answer.refusal === null ? "end_turn" : "refusal",
      content: [
        thinking,
        ...(said === null ? [] : [{ type: "text", text: said }]),
        ...answer.calls.map(messagesCall(ids))
      ]
    }
  }
}
