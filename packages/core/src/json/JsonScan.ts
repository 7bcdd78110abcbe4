/**
 * Validates JSON text and extracts some members in one pass, without building other values. For texts of many
 * megabytes: parsing blocks the thread for a second and takes several times the memory, while a scan runs in turns.
 */
import * as Turns from "../turns/Turns.ts"

/** The next expected token. */
type Next = "value" | "item" | "member" | "name" | "colon" | "after" | "nothing"

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openObject, openArray, closeObject, closeArray] = [0x7b, 0x5b, 0x7d, 0x5d]
const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** Numbers and literals, matched at their beginning. */
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const escape = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y

const endOf = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : -1
}

/** Compares member names like `JSON.parse`. */
const nameOf = (text: string, from: number, to: number): string => {
  const inside = text.slice(from + 1, to - 1)
  return inside.includes("\\") ? JSON.parse(text.slice(from, to)) : inside
}

/** A top-level member: its name and the text of its value. */
export interface Member {
  readonly name: string
  readonly text: string
}

class Scan {
  readonly text: string
  readonly #isWanted: (name: string) => boolean
  readonly #depthMax: number
  readonly found: Array<Member> = []
  /** The open containers; true for an object. */
  readonly #open: Array<boolean> = []
  #next: Next = "value"
  /** The name of the current top-level member, if it was requested. */
  #name: string | undefined
  #valueAt = 0

  constructor(text: string, isWanted: (name: string) => boolean, depthMax: number) {
    this.text = text
    this.#isWanted = isWanted
    this.#depthMax = depthMax
  }

  get isWhole(): boolean {
    return this.#next === "nothing"
  }

  /** Whether a string may begin here, and a value where it may. */
  begins(at: number): boolean {
    if (this.#next === "value" && this.#open.length === 1 && this.#open[0] === true) this.#valueAt = at
    return this.#next === "value" || this.#next === "item" || this.#next === "member" || this.#next === "name"
  }

  string(from: number, to: number): void {
    if (this.#next === "value" || this.#next === "item") this.#ended(to)
    else {
      if (this.#open.length === 1) this.#name = this.#wanted(nameOf(this.text, from, to))
      this.#next = "colon"
    }
  }

  /** Reads a token other than a string at `at`; returns its end, or -1 if the token is not allowed here. */
  other(at: number): number {
    const code = this.text.charCodeAt(at)
    if (code === closeArray || code === closeObject) return this.#close(code === closeObject, at + 1)
    if (code === comma) return this.#separate(at + 1)
    if (code === colon) return this.#step("colon", "value", at + 1)
    if (this.#next !== "value" && this.#next !== "item") return -1
    this.begins(at)
    if (code === openArray || code === openObject) return this.#descend(code === openObject, at + 1)
    const end = endOf(scalar, this.text, at)
    if (end >= 0) this.#ended(end)
    return end
  }

  #wanted(name: string): string | undefined {
    return this.#isWanted(name) ? name : undefined
  }

  #step(from: Next, to: Next, end: number): number {
    if (this.#next !== from) return -1
    this.#next = to
    return end
  }

  #separate(end: number): number {
    return this.#step("after", this.#open.at(-1) === true ? "name" : "value", end)
  }

  #descend(isObject: boolean, end: number): number {
    if (this.#open.push(isObject) > this.#depthMax) return -1
    this.#next = isObject ? "member" : "item"
    return end
  }

  #close(isObject: boolean, end: number): number {
    const isEmpty = this.#next === (isObject ? "member" : "item")
    if ((!isEmpty && this.#next !== "after") || this.#open.pop() !== isObject) return -1
    this.#ended(end)
    return end
  }

  #ended(end: number): void {
    this.#next = this.#open.length === 0 ? "nothing" : "after"
    if (this.#open.length !== 1 || this.#name === undefined) return
    this.found.push({ name: this.#name, text: this.text.slice(this.#valueAt, end) })
    this.#name = undefined
  }
}

/**
 * The wanted top-level members, in the order of the text; a repeated name is listed each time. Undefined for invalid JSON
 * or deeper nesting.
 */
export function* members(
  text: string,
  isWanted: (name: string) => boolean,
  depthMax: number
): Turns.Steps<ReadonlyArray<Member> | undefined> {
  const scan = new Scan(text, isWanted, depthMax)
  let stringAt = -1
  let nextTurnAt = Turns.turnCost
  for (let at = 0; at < text.length; ) {
    if (at >= nextTurnAt) {
      yield Turns.turnCost
      nextTurnAt = at + Turns.turnCost
    }
    const code = text.charCodeAt(at)
    if (stringAt >= 0) {
      if (code < 0x20) return undefined
      const end = code === backslash ? endOf(escape, text, at) : at + 1
      if (end < 0) return undefined
      if (code === quote) {
        scan.string(stringAt, end)
        stringAt = -1
      }
      at = end
    } else if (isSpace(code)) at++
    else if (code === quote) {
      if (!scan.begins(at)) return undefined
      stringAt = at++
    } else {
      at = scan.other(at)
      if (at < 0) return undefined
    }
  }
  return scan.isWhole ? scan.found : undefined
}

/** The texts of top-level members with one of the names, the last one for repeated names. Otherwise like `members`. */
export function* steps(
  text: string,
  names: ReadonlySet<string>,
  depthMax: number
): Turns.Steps<ReadonlyMap<string, string> | undefined> {
  const found = yield* members(text, (name) => names.has(name), depthMax)
  return found && new Map(found.map(({ name, text }) => [name, text]))
}
