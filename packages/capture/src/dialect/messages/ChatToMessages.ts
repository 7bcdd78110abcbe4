/** A request for a chat completion as a request of Anthropic's messages. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { present } from "../conversation/ContentRules.ts"
import { type Inexpressible, inexpressible } from "../conversation/Conversation.ts"
import * as MessagesForChat from "./MessagesForChat.ts"

type Json = Schema.Json
type Members = Schema.JsonObject

/** What an answer may have where the client does not say, because Anthropic requires a bound (contract 16.7). */
const maxTokensDefault = 4_096
/** Anthropic's scale of temperatures ends here; that of chat completions goes on to 2. */
const temperatureMax = 1

/** Members with the values that ask for nothing. */
const defaults: Readonly<Record<string, ReadonlyArray<Json>>> = {
  n: [1],
  logprobs: [false],
  top_logprobs: [0],
  frequency_penalty: [0],
  presence_penalty: [0],
  seed: [],
  audio: [],
  functions: [],
  web_search_options: []
}

const isDefault = (value: Json | undefined, allowed: ReadonlyArray<Json>): boolean =>
  value === undefined || value === null || allowed.includes(value) || (Array.isArray(value) && value.length === 0)

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0)

const lostOf = (request: Members): Inexpressible | undefined => {
  const name = Object.keys(defaults).find((name) => !isDefault(request[name], defaults[name] ?? []))
  if (name !== undefined) return inexpressible(name, "A message of Anthropic has no such member")
  if (!isEmpty(request["logit_bias"])) return inexpressible("logit_bias", "A message of Anthropic has no such member")
  const { modalities, temperature } = request
  if (Array.isArray(modalities) && modalities.some((modality) => modality !== "text")) {
    return inexpressible("modalities", "A message of Anthropic is text")
  }
  return typeof temperature === "number" && temperature > temperatureMax
    ? inexpressible("temperature", `A temperature of Anthropic is at most ${temperatureMax}`)
    : undefined
}

const toolOf = (tool: Json, index: number): Result.Result<Members, Inexpressible> => {
  const described = isObject(tool) && tool["type"] === "function" ? tool["function"] : undefined
  if (!isObject(described)) return Result.fail(inexpressible(`tools[${index}]`, "A tool of Anthropic is a function"))
  const { description, name, parameters, strict } = described
  return Result.succeed(
    present({
      name,
      description,
      input_schema: parameters ?? { type: "object", properties: {} },
      strict: strict === true ? strict : undefined
    })
  )
}

const choices: Readonly<Record<string, string>> = { auto: "auto", required: "any", none: "none" }

const choiceOf = (choice: Json | undefined, isSerial: boolean): Result.Result<Members | undefined, Inexpressible> => {
  const serial = isSerial ? { disable_parallel_tool_use: true } : {}
  if (choice === undefined || choice === null) {
    return Result.succeed(isSerial ? { type: "auto", ...serial } : undefined)
  }
  if (typeof choice === "string" && choices[choice] !== undefined) {
    return Result.succeed({ type: choices[choice] ?? "auto", ...(choice === "none" ? {} : serial) })
  }
  const named = isObject(choice) && choice["type"] === "function" ? choice["function"] : undefined
  return isObject(named) && typeof named["name"] === "string"
    ? Result.succeed({ type: "tool", name: named["name"], ...serial })
    : Result.fail(inexpressible("tool_choice", "Anthropic has no such choice of tools"))
}

const formatOf = (format: Json | undefined): Result.Result<Members | undefined, Inexpressible> => {
  if (!isObject(format) || format["type"] === "text") return Result.succeed(undefined)
  const described = format["json_schema"]
  return isObject(described) && isObject(described["schema"])
    ? Result.succeed({ format: { type: "json_schema", schema: described["schema"] } })
    : Result.fail(inexpressible("response_format", "Anthropic's format of an answer is a JSON Schema"))
}

const stopOf = (stop: Json | undefined): Json | undefined => (typeof stop === "string" ? [stop] : stop)

const settingsOf = ({ max_completion_tokens, max_tokens, stop, stream, temperature, top_p }: Members): Members =>
  present({
    max_tokens: max_completion_tokens ?? max_tokens ?? maxTokensDefault,
    temperature,
    top_p,
    stop_sequences: stopOf(stop),
    stream: stream === true ? stream : undefined
  })

export const request = (chat: Members): Result.Result<Members, Inexpressible> =>
  Result.gen(function* () {
    const lost = lostOf(chat)
    if (lost !== undefined) return yield* Result.fail(lost)
    const tools: ReadonlyArray<Json> = Array.isArray(chat["tools"]) ? chat["tools"] : []
    const described = yield* Result.all(tools.map(toolOf))
    const choice = yield* choiceOf(chat["tool_choice"], chat["parallel_tool_calls"] === false)
    const output_config = yield* formatOf(chat["response_format"])
    const conversation = yield* MessagesForChat.of(chat["messages"])
    return {
      ...settingsOf(chat),
      ...conversation,
      ...present({ output_config }),
      ...(described.length === 0 ? {} : present({ tools: described, tool_choice: choice }))
    }
  })
