/** What a row says: its prompt, its completion, and their text (contract 14.13). */

import { canonicalJson } from "@limbeck/core/json/CanonicalJson"
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"
import type { Row } from "./Row.ts"

export type Message = Row["messages"][number]

export interface Example {
  readonly prompt: ReadonlyArray<Message>
  readonly completion: Message
}

/** The completion is `completion` or, if absent, the last message; a row of decisions has an empty completion. */
export const exampleOf = ({ completion, messages }: Row): Example => {
  if (completion === undefined) return { prompt: messages.slice(0, -1), completion: messages.at(-1)! }
  return {
    prompt: messages,
    completion:
      typeof completion === "string" || completion === null ? { role: "assistant", content: completion } : completion
  }
}

const isTextPart = (part: Schema.Json): part is { readonly text: string } =>
  typeof part === "object" && part !== null && "text" in part && typeof part.text === "string"

/** The text of a content: itself, or that of its text parts. */
const contentText = (content: Schema.Json | undefined): string => {
  if (typeof content === "string") return content
  return Array.isArray(content)
    ? content
        .filter(isTextPart)
        .map(({ text }) => text)
        .join("\n")
    : ""
}

export const textOf = (message: Message): string => contentText(message["content"])

/** Whether a message has a part that is no text, such as an image, audio or a file. */
export const hasMedia = ({ content }: Message): boolean =>
  Array.isArray(content) && content.some((part) => isObject(part) && part["type"] !== "refusal" && !isTextPart(part))

const toolFields = ["tool_calls", "function_call"] as const

/** Whether a message calls a tool, or answers for one. */
export const usesTools = (message: Message): boolean =>
  message.role === "tool" ||
  message.role === "function" ||
  toolFields.some((field) => message[field] !== undefined && message[field] !== null)

const utf8 = new TextEncoder()
/** Of an estimate that needs no tokenizer. */
export const bytesPerToken = 4

/** Most texts are ASCII, whose characters need not be encoded to be counted. */
const bytesIn = (text: string): number => (/[^\p{ASCII}]/u.test(text) ? utf8.encode(text).length : text.length)

/**
 * An estimate without a tokenizer: a quarter of the UTF-8 bytes, rounded up per message; tool calls count as JSON.
 * Accurate to about 20 % for English text in common vocabularies.
 */
export const tokensOf = (message: Message): number => {
  let text = textOf(message)
  for (const field of toolFields) {
    const calls = message[field]
    if (calls !== undefined && calls !== null) text += canonicalJson(calls)
  }
  return Math.ceil(bytesIn(text) / bytesPerToken)
}
