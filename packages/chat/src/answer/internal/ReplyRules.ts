/** What a model's completion means for the message: an answer, a hand-over, or neither. Pure. */
import type { Completion } from "@limbeck/capture/source/Completion"
import { isObject } from "@limbeck/core/json/Json"
import type { Agent } from "../../agent/Agent.ts"
import type { MessageEvent } from "../../message/MessageMachine.ts"
import { handOffTool } from "./PromptRules.ts"

export type Reply = Exclude<MessageEvent, { readonly _tag: "Broke" | "Resumed" }>

/** The model's message to the person who takes over; empty for unreadable arguments. */
const reasonOf = (args: string): string => {
  try {
    const parsed: unknown = JSON.parse(args)
    const reason = isObject(parsed) ? parsed["reason"] : undefined
    return typeof reason === "string" ? reason : ""
  } catch {
    return ""
  }
}

/** Says which conversation it is. */
const placeOf = (url: string, conversation: string): string => {
  const place = new URL(url)
  place.searchParams.set("conversation", conversation)
  return place.href
}

/** Undefined for a completion without readable text. */
export const replyOf = (
  { refusal, text, toolCalls }: Completion,
  {
    agent,
    call,
    conversation
  }: { readonly agent: Agent | null; readonly call: string | null; readonly conversation: string }
): Reply | undefined => {
  const handedOff = toolCalls.find(({ name }) => name === handOffTool)
  if (handedOff !== undefined && agent !== null && agent.handoffUrl !== null) {
    const said = text === null || text === "" ? reasonOf(handedOff.arguments) : text
    return { _tag: "HandedOff", text: said, call, url: placeOf(agent.handoffUrl, conversation) }
  }
  const answer = text ?? refusal
  return answer === null ? undefined : { _tag: "Answered", text: answer, call }
}
