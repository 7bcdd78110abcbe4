/**
 * The text of an event stream as its events, by the rules of the HTML standard (9.2.6), and a little beyond: an event that the
 * stream ends within counts, and llama.cpp's `error:` lines are events of that name.
 */

export interface ServerSentEvent {
  /** What `event:` said; else null. */
  readonly name: string | null
  /** One for each `data:` line. */
  readonly data: ReadonlyArray<string>
}

const byteOrderMark = "\ufeff"
const lineFeed = "\n"

/** A line's name and value; one space after the colon does not count. */
const fieldOf = (line: string): readonly [name: string, value: string] => {
  const colon = line.indexOf(":")
  if (colon < 0) return [line, ""]
  return [line.slice(0, colon), line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1)]
}

/** Takes the events of a text out of it, one after another. */
export class Reader {
  /** The whole text, with every end of a line as a line feed. */
  readonly text: string
  #at = 0
  /** Of the event whose lines are being read. */
  #name: string | null = null
  #data: Array<string> = []

  constructor(text: string) {
    const whole = text.startsWith(byteOrderMark) ? text.slice(1) : text
    this.text = whole.includes("\r") ? whole.replace(/\r\n?/g, lineFeed) : whole
  }

  /** How far it has read. */
  get at(): number {
    return this.#at
  }

  /** Goes on from there, where an event begins. */
  skipTo(at: number): void {
    this.#at = at
  }

  /** Undefined behind the last one. */
  next(): ServerSentEvent | undefined {
    while (this.#at < this.text.length) {
      const line = this.#line()
      const event = line === "" ? this.#dispatch() : this.#add(line)
      if (event !== undefined) return event
    }
    return this.#dispatch()
  }

  #line(): string {
    const from = this.#at
    const end = this.text.indexOf(lineFeed, from)
    this.#at = end < 0 ? this.text.length : end + 1
    return this.text.slice(from, end < 0 ? this.#at : end)
  }

  /** Returns the event that is a line alone. */
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

/**
 * The JSON of an event; none where it is none. Several lines are one text; where that is no JSON, each line is tried by
 * itself, because some servers leave out the empty lines between events.
 */
export const valuesOf = ({ data }: ServerSentEvent): ReadonlyArray<unknown> => {
  const whole = parsed(data.length === 1 ? data[0]! : data.join("\n"))
  const values = whole === undefined && data.length > 1 ? data.map(parsed) : [whole]
  return values.filter((value) => value !== undefined)
}
