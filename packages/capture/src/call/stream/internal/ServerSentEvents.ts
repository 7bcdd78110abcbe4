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

const byteOrderMark = /^\ufeff/
const lineEnd = /\r\n|\n|\r/

/** A line's name and value; one space after the colon does not count. */
const fieldOf = (line: string): readonly [name: string, value: string] => {
  const colon = line.indexOf(":")
  if (colon < 0) return [line, ""]
  return [line.slice(0, colon), line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1)]
}

export const read = (text: string): ReadonlyArray<ServerSentEvent> => {
  const events: Array<ServerSentEvent> = []
  let name: string | null = null
  let data: Array<string> = []
  const dispatch = () => {
    if (data.length > 0) events.push({ name, data })
    name = null
    data = []
  }
  for (const line of text.replace(byteOrderMark, "").split(lineEnd)) {
    if (line === "") {
      dispatch()
      continue
    }
    // A comment's name is empty.
    const [field, value] = fieldOf(line)
    if (field === "data") data.push(value)
    else if (field === "event") name = value
    else if (field === "error") events.push({ name: "error", data: [value] })
  }
  dispatch()
  return events
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
