/** A request of the Responses API as a request for a chat completion. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { present } from "../conversation/ContentRules.ts"
import { type Inexpressible, inexpressible } from "../conversation/Conversation.ts"
import * as ResponsesRequest from "./ResponsesRequest.ts"

type Members = Schema.JsonObject

const logprobs = "message.output_text.logprobs"

/** Members that ask for what the answer of a chat completion cannot give. */
const lostOf = ({ background, include, top_logprobs }: Members): Inexpressible | undefined => {
  if (background === true) return inexpressible("background", "The answer is given at once, not in the background")
  const asksLogprobs = Array.isArray(include) && include.includes(logprobs)
  if (asksLogprobs) return inexpressible("include", `${logprobs} is not told`)
  return typeof top_logprobs === "number" && top_logprobs > 0
    ? inexpressible("top_logprobs", "Probabilities of tokens are not told")
    : undefined
}

const settingsOf = ({ max_output_tokens, reasoning, stream, temperature, top_p }: Members): Members =>
  present({
    max_completion_tokens: max_output_tokens,
    temperature,
    top_p,
    reasoning_effort: isObject(reasoning) ? reasoning["effort"] : undefined,
    ...(stream === true ? { stream, stream_options: { include_usage: true } } : {})
  })

export const request = (body: Schema.Json | undefined): Result.Result<Members, Inexpressible> =>
  Result.flatMap(ResponsesRequest.read(body), ({ form, inexpressible: [first], messages }) => {
    const members: Members = isObject(body) ? body : {}
    const lost = first ?? lostOf(members)
    return lost === undefined ? Result.succeed({ messages, ...form, ...settingsOf(members) }) : Result.fail(lost)
  })
