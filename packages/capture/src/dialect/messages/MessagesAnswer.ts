/** The assistant's message of a whole message of Anthropic. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { UnsupportedReason } from "../conversation/Conversation.ts"
import * as MessagesTurns from "./MessagesTurns.ts"

type Members = Schema.JsonObject

const reasons: Readonly<Record<string, UnsupportedReason>> = {
  max_tokens: "cut_off",
  model_context_window_exceeded: "cut_off",
  pause_turn: "not_finished",
  compaction: "not_finished"
}

/** The text of an answer that the model refused is its refusal. */
const refusing = ({ content, ...said }: Members): Members => ({ ...said, content: null, refusal: content ?? null })

export const read = (message: Schema.Json | undefined): Result.Result<Members, UnsupportedReason> => {
  if (!isObject(message)) return Result.fail("unreadable")
  const { content, stop_reason } = message
  const reason = typeof stop_reason === "string" ? reasons[stop_reason] : undefined
  if (reason !== undefined) return Result.fail(reason)
  if (!Array.isArray(content)) return Result.fail("no_answer")
  return Result.mapBoth(MessagesTurns.assistant(content, "content"), {
    onSuccess: (said) => (stop_reason === "refusal" ? refusing(said) : said),
    onFailure: ({ reason }) => reason
  })
}
