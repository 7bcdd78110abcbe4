/** A request of Anthropic's messages as a request for a chat completion. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { present } from "../conversation/ContentRules.ts"
import { type Inexpressible, inexpressible } from "../conversation/Conversation.ts"
import * as MessagesRequest from "./MessagesRequest.ts"

type Json = Schema.Json
type Members = Schema.JsonObject

const isUsed = (value: Json | undefined): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null

/** Members that a chat completion has no place for. Thinking, metadata, tiers and cache marks pass over. */
const lostOf = (members: Members): Inexpressible | undefined => {
  const name = ["mcp_servers", "container", "context_management"].find((name) => isUsed(members[name]))
  if (name !== undefined) return inexpressible(name, "Only the provider can do this", "provider_tool")
  const { top_k } = members
  return typeof top_k === "number" && top_k > 0
    ? inexpressible("top_k", "A chat completion has no such member")
    : undefined
}

const settingsOf = ({ max_tokens, stop_sequences, stream, temperature, top_p }: Members): Members =>
  present({
    max_completion_tokens: max_tokens,
    temperature,
    top_p,
    stop: Array.isArray(stop_sequences) && stop_sequences.length > 0 ? stop_sequences : undefined,
    ...(stream === true ? { stream, stream_options: { include_usage: true } } : {})
  })

export const request = (body: Json | undefined): Result.Result<Members, Inexpressible> =>
  Result.flatMap(MessagesRequest.read(body), ({ form, inexpressible: [first], messages }) => {
    const members: Members = isObject(body) ? body : {}
    const lost = first ?? lostOf(members)
    return lost === undefined ? Result.succeed({ messages, ...form, ...settingsOf(members) }) : Result.fail(lost)
  })
