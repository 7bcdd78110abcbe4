/**
 * What near-duplicates share: 64 bits of a row's prompt, with case, white space, punctuation and Unicode forms folded. It
 * says which side of the split a row is on, so that no prompt of train comes back in the holdout in other clothes. Digits
 * and symbols count: `ticket 1` and `ticket 2` are different prompts.
 */
import type * as Schema from "effect/Schema"
import { canonicalJson } from "../run/PlanHash.ts"
import type { Row } from "./Row.ts"
import { exampleOf, type Message } from "./RowText.ts"

/** What separates words, and counts for nothing itself. */
const separators = /[\p{P}\p{Z}\p{C}]+/gu

/** Words with one space between. */
export const fold = (text: string): string => text.normalize("NFKC").toLowerCase().replace(separators, " ").trim()

/** What each ASCII character folds to; 0: a separator. Most prompts need no more. */
const ascii = Uint8Array.from({ length: 128 }, (_, code) => fold(String.fromCharCode(code)).charCodeAt(0) || 0)
const space = 0x20
const between = 0x0a

/** The 32-bit finalizer of MurmurHash3. */
const finish = (hash: number, length: number): number => {
  let mixed = hash ^ length
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** Two multiplicative hashes of 32 bits side by side. Among five million prompts a collision is one in a million. */
class PromptHash {
  #high = 0x9e3779b9
  #low = 0x7f4a7c15
  #length = 0

  get length(): number {
    return this.#length
  }

  unit(unit: number): void {
    this.#high = Math.imul((this.#high << 13) | (this.#high >>> 19), 5) ^ Math.imul(unit + 0x165667b1, 0xcc9e2d51)
    this.#low = Math.imul(this.#low ^ unit, 0x01000193)
    this.#low ^= (this.#low >>> 15) + unit
    this.#length++
  }

  text(text: string): void {
    for (let index = 0; index < text.length; index++) this.unit(text.charCodeAt(index))
  }

  /** The text as `fold` writes it, without writing it where it is ASCII. */
  folded(text: string): void {
    if (/[^\p{ASCII}]/u.test(text)) {
      this.text(fold(text))
      return
    }
    const before = this.#length
    let isSeparated = false
    for (let index = 0; index < text.length; index++) {
      const unit = ascii[text.charCodeAt(index)]!
      if (unit !== 0) {
        if (isSeparated && this.#length > before) this.unit(space)
        this.unit(unit)
      }
      isSeparated = unit === 0
    }
  }

  bytes(): Uint8Array {
    const bytes = new Uint8Array(8)
    const view = new DataView(bytes.buffer)
    view.setUint32(0, finish(this.#high ^ (this.#low >>> 7), this.#length))
    view.setUint32(4, finish(this.#low ^ (this.#high >>> 11), ~this.#length))
    return bytes
  }
}

const isTextPart = (part: Schema.Json): part is { readonly text: string } =>
  typeof part === "object" && part !== null && "text" in part && typeof part.text === "string"

const addParts = (hash: PromptHash, parts: ReadonlyArray<Schema.Json>): void => {
  for (const [index, part] of parts.entries()) {
    if (index > 0) hash.unit(between)
    if (isTextPart(part)) hash.folded(part.text)
    else hash.text(canonicalJson(part))
  }
}

/** Text is folded; images and tool calls count as they are. */
const addContent = (hash: PromptHash, content: Schema.Json): void => {
  if (typeof content === "string") hash.folded(content)
  else if (Array.isArray(content)) addParts(hash, content)
  else if (content !== null) hash.text(canonicalJson(content))
}

const toolFields = ["tool_calls", "function_call"] as const

/** Whether the message says anything. */
const addMessage = (hash: PromptHash, message: Message): boolean => {
  hash.unit(0)
  hash.text(message.role)
  hash.unit(0)
  const before = hash.length
  addContent(hash, message["content"] ?? null)
  for (const field of toolFields) {
    const calls = message[field]
    if (calls === undefined || calls === null) continue
    hash.unit(between)
    hash.text(canonicalJson(calls))
  }
  return hash.length > before
}

/** `own`, 8 bytes that are the row's alone, decide where the prompt says nothing. */
export const of = (row: Row, own: () => Uint8Array): Uint8Array => {
  const hash = new PromptHash()
  let saysSomething = false
  for (const message of exampleOf(row).prompt) saysSomething = addMessage(hash, message) || saysSomething
  return saysSomething ? hash.bytes() : own()
}
