/**
 * What near-duplicates share: 64 bits of a row's prompt, with case, white space, punctuation and Unicode forms folded. It
 * says which side of the split a row is on, so that no prompt of train comes back in the holdout in other clothes. Digits
 * and symbols count: `ticket 1` and `ticket 2` are different prompts.
 */
import type * as Schema from "effect/Schema"
import { canonicalJson } from "../run/PlanHash.ts"
import type { Row } from "./Row.ts"
import { exampleOf, type Message } from "./RowText.ts"

/** Most prompts need no normal form. */
const beyondAscii = /[^ -~\s]/

/** Words with one space between. */
export const fold = (text: string): string =>
  (beyondAscii.test(text) ? text.normalize("NFKC") : text)
    .toLowerCase()
    .replace(/[\p{P}\p{Z}\p{C}]+/gu, " ")
    .trim()

const isTextPart = (part: Schema.Json): part is { readonly type: "text"; readonly text: string } =>
  typeof part === "object" && part !== null && "text" in part && typeof part.text === "string"

/** Text is folded; images and tool calls count as they are. */
const foldContent = (content: Schema.Json): string => {
  if (typeof content === "string") return fold(content)
  if (!Array.isArray(content)) return content === null ? "" : canonicalJson(content)
  return content.map((part) => (isTextPart(part) ? fold(part.text) : canonicalJson(part))).join("\n")
}

const toolFields = ["tool_calls", "function_call"] as const

const foldMessage = (message: Message): string => {
  const calls = toolFields.map((field) => message[field]).filter((call) => call !== undefined && call !== null)
  return [foldContent(message["content"] ?? null), ...calls.map((call) => canonicalJson(call))].join("\n")
}

/** The prompt as near-duplicates share it; empty where it says nothing. */
export const foldedPrompt = (row: Row): string => {
  const folded = exampleOf(row).prompt.map((message) => [message.role, foldMessage(message).trim()] as const)
  return folded.every(([, text]) => text === "")
    ? ""
    : folded.map(([role, text]) => `${role}\u0000${text}`).join("\u0000")
}

const finish = (hash: number, length: number): number => {
  let mixed = hash ^ length
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** Two multiplicative hashes of 32 bits side by side. Among five million prompts a collision is one in a million. */
const hash64 = (text: string): Uint8Array => {
  let high = 0x9e3779b9
  let low = 0x7f4a7c15
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    high = Math.imul((high << 13) | (high >>> 19), 5) ^ Math.imul(unit + 0x165667b1, 0xcc9e2d51)
    low = Math.imul(low ^ unit, 0x01000193)
    low ^= (low >>> 15) + unit
  }
  const bytes = new Uint8Array(8)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, finish(high ^ (low >>> 7), text.length))
  view.setUint32(4, finish(low ^ (high >>> 11), ~text.length))
  return bytes
}

/** `digest`, that of the row itself, decides where the prompt says nothing. */
export const of = (row: Row, digest: Uint8Array): Uint8Array => {
  const prompt = foldedPrompt(row)
  return prompt === "" ? digest.slice(0, 8) : hash64(prompt)
}
