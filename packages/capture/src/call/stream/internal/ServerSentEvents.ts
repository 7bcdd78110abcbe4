/**
 * Splits a text into server-sent events by the HTML standard (9.2.6), with extensions: an unterminated last event counts,
 * and llama.cpp's `error:` lines are events of that name.
 */

import * as JsonShape from "@limbeck/core/json/JsonShape"
import type * as Turns from "@limbeck/core/turns/Turns"
import { CaptureLimits } from "../../../Limits.ts"

export interface ServerSentEvent {
  /** What `event:` said; else null. */
  readonly name: string | null
  /** One for each `data:` line. */
  readonly data: ReadonlyArray<string>
}

const byteOrderMark = "\ufeff"
const lineFeed = "\n"
const carriageReturn = "\r"

/** A line's name and value; one space after the colon does not count. */
const fieldOf = (line: string): readonly [name: string, value: string] => {
  const colon = line.indexOf(":")
  if (colon < 0) return [line, ""]
  return [line.slice(0, colon), line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1)]
}

/** Line ends are normalized up to this length, because the search for alike chunks is then faster. */
const replacedLengthMax = 64 * 1024

/** Reads the events of a text one after another. */
export class Reader {
  readonly text: string
  #at = 0
  /** Position of the next line feed at or behind `#at`; the length of the text without one. */
  #lineFeedAt = -1
  #returnAt = -1
  /** The event under construction. */
  #name: string | null = null
  #data: Array<string> = []

  constructor(text: string) {
    const whole = text.startsWith(byteOrderMark) ? text.slice(1) : text
    const isReplaced = whole.length <= replacedLengthMax && whole.includes(carriageReturn)
    this.text = isReplaced ? whole.replace(/\r\n?/g, lineFeed) : whole
  }

  /** How far it has read. */
  get at(): number {
    return this.#at
  }

  /** Continues at `at`, the start of an event. */
  skipTo(at: number): void {
    this.#at = at
  }

  /** Whether all of the text was read, and its last event returned. */
  get isDone(): boolean {
    return this.#at >= this.text.length && this.#data.length === 0
  }

  /** The next event, if it ends before a line that begins at `until` or later. */
  next(until: number): ServerSentEvent | undefined {
    while (this.#at < this.text.length) {
      if (this.#at >= until) return undefined
      const line = this.#line()
      const event = line === "" ? this.#dispatch() : this.#add(line)
      if (event !== undefined) return event
    }
    return this.#dispatch()
  }

  /** Searches for each kind of line end once: a text with only one kind is not searched for the other at every line. */
  #find(end: string, known: number): number {
    if (known >= this.#at) return known
    const found = this.text.indexOf(end, this.#at)
    return found < 0 ? this.text.length : found
  }

  #line(): string {
    this.#lineFeedAt = this.#find(lineFeed, this.#lineFeedAt)
    this.#returnAt = this.#find(carriageReturn, this.#returnAt)
    const from = this.#at
    const end = Math.min(this.#lineFeedAt, this.#returnAt)
    const isPair = end === this.#returnAt && this.#lineFeedAt === end + 1
    this.#at = Math.min(this.text.length, end + (isPair ? 2 : 1))
    return this.text.slice(from, end)
  }

  /** Returns an event that consists of this line alone. */
  #add(line: string): ServerSentEvent | undefined {
    // A comment's name is empty.
    const [field, value] = fieldOf(line)
    if (field === "data") this.#data.push(value)
    else if (field === "event") this.#name = value
    else if (field === "error") return { name: "error", data: [value] }
    return undefined
  }

  #dispatch(): ServerSentEvent | undefined {
    const event = this.#data.length === 0 ? undefined : { name: this.#name, data: this.#data }
    this.#name = null
    this.#data = []
    return event
  }
}

/** Characters of an event that is parsed: an image that a model drew fits. */
const eventLengthMax = 4 * 1024 ** 2
/**
 * Maximum members of an event beyond the length parsed without a check: some milliseconds, and several times that to merge
 * them.
 */
const eventMembersMax = 20_000
/** Cost of rejecting a line other than JSON, in characters read. */
const lineCost = 64

/** Ends nearly every stream: to find out that it is no JSON takes longer than to parse ten chunks. */
const done = "[DONE]"

const parsed = (text: string): unknown => {
  if (text === done) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export interface EventValues {
  readonly values: ReadonlyArray<unknown>
  /** Whether a value too large to parse was left out. */
  readonly isPartial: boolean
}

/** Whether one step cannot parse the text. */
function* isTooLarge(text: string): Turns.Steps<boolean> {
  if (text.length <= CaptureLimits.parsedBytesMax) return false
  if (text.length > eventLengthMax) return true
  return (yield* JsonShape.excessSteps(text, { members: eventMembersMax })) !== undefined
}

function* valueOf(text: string): Turns.Steps<EventValues> {
  if (yield* isTooLarge(text)) return { values: [], isPartial: true }
  const value = parsed(text)
  yield text.length > CaptureLimits.parsedBytesMax ? text.length : 0
  return { values: value === undefined ? [] : [value], isPartial: false }
}

function* valuesOfLines(lines: ReadonlyArray<string>): Turns.Steps<EventValues> {
  const all: Array<unknown> = []
  let isAnyPartial = false
  for (const line of lines) {
    const { isPartial, values } = yield* valueOf(line)
    yield lineCost
    all.push(...values)
    isAnyPartial ||= isPartial
  }
  return { values: all, isPartial: isAnyPartial }
}

const nothing: EventValues = { values: [], isPartial: false }

/** The value of a short event of one line, which needs no check; undefined for any other event. */
export const shortValueOf = ({ data }: ServerSentEvent): EventValues | undefined => {
  const [line = ""] = data
  if (data.length !== 1 || line.length > CaptureLimits.parsedBytesMax) return undefined
  const value = parsed(line)
  return value === undefined ? nothing : { values: [value], isPartial: false }
}

/**
 * The JSON of an event; none where it is none. Several lines are one text; where that is no JSON, each line is tried by
 * itself, because some servers leave out the empty lines between events.
 */
export function* valuesOf({ data }: ServerSentEvent): Turns.Steps<EventValues> {
  if (data.length === 1) return yield* valueOf(data[0]!)
  const whole = yield* valueOf(data.join("\n"))
  if (whole.values.length > 0) return whole
  const lines = yield* valuesOfLines(data)
  return { ...lines, isPartial: lines.isPartial || (whole.isPartial && lines.values.length === 0) }
}
