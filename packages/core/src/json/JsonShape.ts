/**
 * Measures the depth and size of JSON text in one pass without building values, so that a bound applies before parsing.
 * For invalid JSON the result is arbitrary, and takes no longer.
 */

import * as Turns from "../turns/Turns.ts"

export interface ShapeMax {
  /** Lists and objects inside one another. */
  readonly depth?: number
  /** Members and items in total. */
  readonly members?: number
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openObject, openArray, closeObject, closeArray] = [0x7b, 0x5b, 0x7d, 0x5d]
/** Space, tab, newline, carriage return. */
const isSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d)

const isHolder = (value: unknown): value is object => typeof value === "object" && value !== null

/** Members and items of a parsed value at all depths. */
export const membersOf = (value: unknown): number => {
  let count = 0
  for (const left = [value]; left.length > 0; ) {
    const holder = left.pop()
    if (!isHolder(holder)) continue
    for (const member of Object.values(holder)) {
      count++
      if (isHolder(member)) left.push(member)
    }
  }
  return count
}

interface Excess {
  readonly of: keyof ShapeMax
  /** The offset of the excess in the text. */
  readonly at: number
}

/** The first exceeded bound and its offset; undefined within bounds. Long texts are read in steps, one turn each. */
function* firstExcess(
  json: string,
  { depth = Infinity, members = Infinity }: ShapeMax
): Turns.Steps<Excess | undefined> {
  let levels = 0
  let count = 0
  /** The next token is the first of a list or an object, or its end. */
  let isOpened = false
  let isInString = false
  let nextTurnAt = Turns.turnCost
  for (let at = 0; at < json.length; at++) {
    if (at >= nextTurnAt) {
      yield Turns.turnCost
      nextTurnAt += Turns.turnCost
    }
    const code = json.charCodeAt(at)
    if (isInString) {
      if (code === backslash) at++
      else isInString = code !== quote
      continue
    }
    if (isSpace(code)) continue
    const isClosing = code === closeObject || code === closeArray
    if (code === comma || (isOpened && !isClosing)) {
      if (++count > members) return { of: "members", at }
    }
    isOpened = code === openObject || code === openArray
    if (isOpened && ++levels > depth) return { of: "depth", at }
    if (isClosing) levels--
    isInString = code === quote
  }
  return undefined
}

/** The first exceeded bound; undefined within bounds. */
export function* excessSteps(json: string, max: ShapeMax): Turns.Steps<keyof ShapeMax | undefined> {
  return (yield* firstExcess(json, max))?.of
}

/** The raw name of the top-level member at offset `to`; null without one. */
const topMemberAt = (json: string, to: number): string | null => {
  let levels = 0
  let name: string | null = null
  let text = ""
  for (let at = 0; at < to; at++) {
    const code = json.charCodeAt(at)
    if (code === quote) {
      const from = at + 1
      for (at = from; at < to && json.charCodeAt(at) !== quote; at++) if (json.charCodeAt(at) === backslash) at++
      text = levels === 1 ? json.slice(from, at) : text
    } else if (code === colon && levels === 1) name = text
    else if (code === openObject || code === openArray) levels++
    else if (code === closeObject || code === closeArray) levels--
  }
  return name
}

/**
 * The top-level member in which a text exceeds `members` members and items, null for a text other than an object; undefined
 * within the bound. The text may be invalid JSON.
 */
export const memberBeyond = (json: string, members: number): string | null | undefined => {
  const excess = Turns.atOnce(firstExcess(json, { members }))
  return excess === undefined ? undefined : topMemberAt(json, excess.at)
}
