/** Reads the history of a conversation with the assistant. Pure; it reads the encoded form, so that no model library is loaded. */
import type * as Prompt from "effect/ai/Prompt"
import { ChatLimits } from "../Limits.ts"

/** An operation that the model requested. */
export interface RequestedOperation {
  readonly call: string
  /** The id of the approval request, which the approval names. */
  readonly approval: string
  readonly operation: string
  readonly input: unknown
}

interface MessageEntry {
  readonly type: "message"
  readonly role: "user" | "assistant"
  readonly text: string
}

export interface OperationEntry {
  readonly type: "operation"
  readonly request: RequestedOperation
  /** Undefined: pending. */
  readonly result: unknown
}

export type Entry = MessageEntry | OperationEntry

type Part = Exclude<Prompt.MessageEncoded["content"], string>[number]

const messagesOf = (history: string): ReadonlyArray<Prompt.MessageEncoded> =>
  // Written by `Chat.exportJson`.
  (JSON.parse(history) as Prompt.PromptEncoded).content

const partsOf = ({ content }: Prompt.MessageEncoded): ReadonlyArray<Part> =>
  typeof content === "string" ? [{ type: "text", text: content }] : content

const partsOfType = <Type extends Part["type"]>(parts: ReadonlyArray<Part>, type: Type) =>
  parts.filter((part): part is Extract<Part, { readonly type: Type }> => part.type === type)

const isSpeaker = (role: Prompt.MessageEncoded["role"]) => role === "user" || role === "assistant"

/** Messages and operations in order; the result of a pending operation is undefined. */
export const entriesOf = (history: string): ReadonlyArray<Entry> => {
  const messages = messagesOf(history)
  const all = messages.flatMap(partsOf)
  const results = new Map(partsOfType(all, "tool-result").map(({ id, result }) => [id, result]))
  const approvals = new Map(
    partsOfType(all, "tool-approval-request").map(({ approvalId, toolCallId }) => [toolCallId, approvalId])
  )
  const entryOf = (role: "user" | "assistant", part: Part): ReadonlyArray<Entry> => {
    if (part.type === "text") return part.text === "" ? [] : [{ type: "message", role, text: part.text }]
    if (part.type !== "tool-call") return []
    const { id, name, params } = part
    const request = { call: id, approval: approvals.get(id) ?? "", operation: name, input: params }
    return [{ type: "operation", request, result: results.get(id) }]
  }
  return messages.flatMap((message) => {
    const { role } = message
    return isSpeaker(role)
      ? partsOf(message).flatMap((part) => entryOf(role === "user" ? "user" : "assistant", part))
      : []
  })
}

export const pendingOf = (history: string): ReadonlyArray<RequestedOperation> =>
  entriesOf(history).flatMap((entry) =>
    entry.type === "operation" && entry.result === undefined ? [entry.request] : []
  )

/** Whether the model has to answer: the last message is the person's, or the result of an operation. A turn has a most of answers. */
export const awaitsModel = (history: string): boolean => {
  const roles = messagesOf(history).map(({ role }) => role)
  const turn = roles.slice(roles.lastIndexOf("user"))
  const answers = turn.filter((role) => role === "assistant").length
  return turn.at(-1) !== "assistant" && roles.includes("user") && answers < ChatLimits.assistantAnswersMax
}

export const withMessage = (history: string, text: string): string =>
  JSON.stringify({
    content: [...messagesOf(history), { role: "user", content: text }]
  } satisfies Prompt.PromptEncoded)
