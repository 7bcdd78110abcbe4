/**
 * JSON of an answer that may be long, made in steps without recursion: neither its length nor its depth holds up others.
 */
import * as JsonPieces from "@limbeck/core/json/JsonPieces"
import type * as Turns from "@limbeck/core/turns/Turns"

/** Cost of a member, in characters read. */
const memberCost = 8
/** Members between two steps. */
const stepMembers = 1_024

type Holder = Record<string, unknown> | Array<unknown>

const isHolder = (value: unknown): value is object => typeof value === "object" && value !== null

const set = (holder: Holder, name: string | number, value: unknown): void => {
  if (name === "__proto__") {
    Object.defineProperty(holder, name, { value, enumerable: true, writable: true, configurable: true })
  } else (holder as Record<string | number, unknown>)[name] = value
}

/** The JSON value that maps and lists stand for. */
export function* plain(root: unknown): Turns.Steps<unknown> {
  const result: { value?: unknown } = {}
  const left: Array<readonly [holder: Holder, name: string | number, source: unknown]> = [[result, "value", root]]
  let count = 0
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [holder, name, source] = next
    const made: Holder = Array.isArray(source) ? [] : {}
    const entries = source instanceof Map || Array.isArray(source) ? source.entries() : undefined
    set(holder, name, entries === undefined ? source : made)
    for (const [inner, value] of entries ?? []) {
      // Inserted now, so that members keep their order.
      set(made, inner, value)
      if (isHolder(value)) left.push([made, inner, value])
      if (++count % stepMembers === 0) yield stepMembers * memberCost
    }
  }
  return result.value
}

/** A part of the text, copied unchanged to the output. */
class Token {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const [comma, closeArray, closeObject] = [",", "]", "}"].map((text) => new Token(text)) as [Token, Token, Token]

/** The tokens of a holder, last first. */
const partsOf = (holder: object): ReadonlyArray<unknown> => {
  if (Array.isArray(holder)) {
    const parts: Array<unknown> = [closeArray]
    for (let at = holder.length - 1; at >= 0; at--) parts.push(holder[at], at === 0 ? new Token("[") : comma)
    return holder.length === 0 ? [new Token("[]")] : parts
  }
  const members = Object.entries(holder)
  const parts: Array<unknown> = [closeObject]
  for (let at = members.length - 1; at >= 0; at--) {
    const [name, value] = members[at]!
    parts.push(value, new Token(`${at === 0 ? "{" : ","}${JSON.stringify(name)}:`))
  }
  return members.length === 0 ? [new Token("{}")] : parts
}

/** Collects a text by pieces: a text that grows by each token would have to be put together in one step at its end. */
class Writer {
  readonly #pieces: Array<string> = []
  #tokens: Array<string> = []
  #length = 0

  write(token: string): void {
    this.#tokens.push(token)
    this.#length += token.length
    if (this.#length >= JsonPieces.pieceLength) this.#flush()
  }

  get text(): string {
    this.#flush()
    return this.#pieces.join("")
  }

  #flush(): void {
    this.#pieces.push(this.#tokens.join(""))
    this.#tokens = []
    this.#length = 0
  }
}

/** As `JSON.stringify` writes a JSON value. */
export function* text(root: unknown): Turns.Steps<string> {
  const writer = new Writer()
  const left: Array<unknown> = [root]
  let cost = 0
  while (left.length > 0) {
    const part = left.pop()
    cost += memberCost
    if (part instanceof Token) writer.write(part.text)
    else if (isHolder(part)) {
      const parts = partsOf(part)
      cost += parts.length
      for (const inner of parts) left.push(inner)
    } else if (typeof part === "string") {
      for (const piece of JsonPieces.ofText(part)) {
        writer.write(piece)
        yield piece.length / 4
      }
    } else writer.write(JSON.stringify(part) ?? "null")
    if (cost >= stepMembers * memberCost) {
      yield cost
      cost = 0
    }
  }
  return writer.text
}
