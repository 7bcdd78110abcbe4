/** The parts of a chat completion request used by a student in this process. */
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import { isObject } from "@limbeck/core/json/Json"
import * as Turns from "@limbeck/core/turns/Turns"
import * as RowText from "@limbeck/distill/dataset/RowText"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { ServingLimits } from "../../Limits.ts"
import * as RequestBody from "./RequestBody.ts"
import type { ChatMessage } from "./Student.ts"

interface OfferedTools {
  /** Undefined for functions of the form before tools, which no student knows. */
  readonly tools: ReadonlyArray<Schema.Json> | undefined
  /** `required`: one of them has to be called; `{name}`: this one; null: nobody knows which. */
  readonly choice: "auto" | "required" | { readonly name: string } | null
}

export interface ChatRequest {
  readonly messages: ReadonlyArray<ChatMessage>
  readonly stream: boolean
  /** Whether the stream ends with its usage. */
  readonly includesUsage: boolean
  /** How many choices are wanted. */
  readonly choices: number
  /** Tools that the answer may call; null: none. */
  readonly tools: OfferedTools | null
  /** Whether the answer has to be JSON. */
  readonly wantsJson: boolean
  /** Whether a message has an image, audio or a file beside its text. */
  readonly hasMedia: boolean
  /** How many alternatives the client wants with their probabilities; null: it asks for no `logprobs`. */
  readonly topLogprobs: number | null
}

const refuse = (param: string | null, message: string): Result.Result<never, InvalidInput> =>
  Result.fail(invalid(param, message))

const isMessage = (value: unknown): value is ChatMessage =>
  isObject(value) && typeof value["role"] === "string" && value["role"] !== ""

const messagesOf = (messages: unknown): Result.Result<ReadonlyArray<ChatMessage>, InvalidInput> => {
  if (!Array.isArray(messages) || messages.length === 0) return refuse("messages", "messages is a list of at least one")
  const odd = messages.findIndex((message) => !isMessage(message))
  if (odd === -1) return Result.succeed(messages)
  return isObject(messages[odd])
    ? refuse(`messages[${odd}].role`, "A message has a role")
    : refuse(`messages[${odd}]`, "A message is an object")
}

const choicesOf = (n: unknown): Result.Result<number, InvalidInput> => {
  if (n === undefined || n === null) return Result.succeed(1)
  const isWithin = Number.isInteger(n) && Number(n) >= 1 && Number(n) <= ServingLimits.studentChoicesMax
  return isWithin
    ? Result.succeed(Number(n))
    : refuse("n", `n is a whole number from 1 to ${ServingLimits.studentChoicesMax}`)
}

const logprobsOf = (logprobs: unknown, top: unknown): Result.Result<number | null, InvalidInput> => {
  const isWanted = logprobs ?? false
  const count = top ?? 0
  if (typeof isWanted !== "boolean") return refuse("logprobs", "logprobs is true or false")
  if (!Number.isInteger(count) || Number(count) < 0 || Number(count) > ServingLimits.topLogprobsMax) {
    return refuse("top_logprobs", `top_logprobs is a whole number from 0 to ${ServingLimits.topLogprobsMax}`)
  }
  if (Number(count) > 0 && !isWanted) return refuse("top_logprobs", "top_logprobs requires logprobs: true")
  return Result.succeed(isWanted ? Number(count) : null)
}

const isOffered = (tools: unknown): tools is ReadonlyArray<Schema.Json> => Array.isArray(tools) && tools.length > 0

const choiceOf = (choice: unknown): OfferedTools["choice"] => {
  if (choice === undefined || choice === null || choice === "auto") return "auto"
  if (choice === "required") return choice
  const called: unknown = isObject(choice) ? choice["function"] : undefined
  return isObject(called) && typeof called["name"] === "string" ? { name: called["name"] } : null
}

const toolsOf = (request: Readonly<Record<string, unknown>>): OfferedTools | null => {
  const { function_call, functions, tool_choice, tools } = request
  if (isOffered(functions) && function_call !== "none") return { tools: undefined, choice: null }
  return isOffered(tools) && tool_choice !== "none" ? { tools, choice: choiceOf(tool_choice) } : null
}

/** Members that say how a model samples are passed over: there is nothing to sample. */
const requestOf = (request: unknown): Result.Result<ChatRequest, InvalidInput> => {
  if (!isObject(request)) return refuse(null, "The body is no JSON object")
  const { logprobs, n, response_format, stream, stream_options } = request
  if (stream !== undefined && stream !== null && typeof stream !== "boolean") {
    return refuse("stream", "stream is true or false")
  }
  return Result.gen(function* () {
    const messages = yield* messagesOf(request["messages"])
    return {
      messages,
      stream: stream === true,
      includesUsage: isObject(stream_options) && stream_options["include_usage"] === true,
      choices: yield* choicesOf(n),
      tools: toolsOf(request),
      wantsJson: isObject(response_format) && response_format["type"] !== "text",
      hasMedia: messages.some(RowText.hasMedia),
      topLogprobs: yield* logprobsOf(logprobs, request["top_logprobs"])
    }
  })
}

function* reading(body: Uint8Array | null): Turns.Steps<Result.Result<ChatRequest, InvalidInput>> {
  return Result.flatMap(yield* RequestBody.reading(body), requestOf)
}

export const read = (body: Uint8Array | null): Effect.Effect<ChatRequest, InvalidInput> =>
  Effect.flatMapEager(Turns.run(reading(body)), Effect.fromResult)
