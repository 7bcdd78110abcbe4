/**
 * The key of near-duplicates: 64 bits of a row's prompt, with case, white space, punctuation and Unicode forms folded. The key decides the
 * side of the split, so that no train prompt returns in the holdout in another spelling. Digits and symbols count: `ticket 1` and
 * `ticket 2` are different prompts.
 */

import { canonicalJson } from "@limbeck/core/json/CanonicalJson"
import type * as Turns from "@limbeck/core/turns/Turns"
import type * as Schema from "effect/Schema"
import type { Row } from "../Row.ts"
import { exampleOf, type Message } from "../RowText.ts"

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

/** Characters folded at a time; folding may turn one character into eighteen. */
const pieceMax = 8_192
const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** The end of a piece that begins at `from`: after its last space, if any. */
const endOfPiece = (text: string, from: number): number => {
  const most = from + pieceMax
  if (text.length <= most) return text.length
  const behindSpace = text.lastIndexOf(" ", most - 1) + 1
  if (behindSpace > from) return behindSpace
  return isHighSurrogate(text.charCodeAt(most - 1)) ? most - 1 : most
}

/**
 * Pieces of the text that fold independently; `isWhole` if a piece ends with a word. A word of thousands of characters
 * is cut.
 */
function* pieces(text: string) {
  for (let from = 0; from < text.length; ) {
    const end = endOfPiece(text, from)
    yield { piece: text.slice(from, end), isWhole: text.charCodeAt(end - 1) === space }
    from = end
  }
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

  /** Folds like `fold`, without building the text if it is ASCII, else piece by piece. */
  *folding(text: string): Turns.Steps<void> {
    yield text.length
    if (!/[^\p{ASCII}]/u.test(text)) return this.#ascii(text)
    const before = this.#length
    let isSeparated = false
    for (const { piece, isWhole } of pieces(text)) {
      const folded = fold(piece)
      yield piece.length + folded.length
      if (isSeparated && folded !== "") this.unit(space)
      this.text(folded)
      isSeparated = isWhole && this.#length > before
    }
  }

  #ascii(text: string): void {
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

function* addParts(hash: PromptHash, parts: ReadonlyArray<Schema.Json>): Turns.Steps<void> {
  for (const [index, part] of parts.entries()) {
    if (index > 0) hash.unit(between)
    if (isTextPart(part)) yield* hash.folding(part.text)
    else hash.text(canonicalJson(part))
  }
}

/** Text is folded; images and tool calls are hashed unchanged. */
function* addContent(hash: PromptHash, content: Schema.Json): Turns.Steps<void> {
  if (typeof content === "string") yield* hash.folding(content)
  else if (Array.isArray(content)) yield* addParts(hash, content)
  else if (content !== null) hash.text(canonicalJson(content))
}

const toolFields = ["tool_calls", "function_call"] as const

/** Whether the message says anything. */
function* addMessage(hash: PromptHash, message: Message): Turns.Steps<boolean> {
  hash.unit(0)
  hash.text(message.role)
  hash.unit(0)
  const before = hash.length
  yield* addContent(hash, message["content"] ?? null)
  for (const field of toolFields) {
    const calls = message[field]
    if (calls === undefined || calls === null) continue
    hash.unit(between)
    hash.text(canonicalJson(calls))
  }
  return hash.length > before
}

/** `own`, 8 bytes of the row itself, decide for an empty prompt. */
export function* keySteps(row: Row, own: () => Uint8Array): Turns.Steps<Uint8Array> {
  const hash = new PromptHash()
  let saysSomething = false
  for (const message of exampleOf(row).prompt) saysSomething = (yield* addMessage(hash, message)) || saysSomething
  return saysSomething ? hash.bytes() : own()
}
