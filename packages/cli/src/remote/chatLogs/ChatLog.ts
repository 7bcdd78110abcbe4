/** Reads a log of chats from a file, entry by entry. */
import { createReadStream } from "node:fs"
import { readFile } from "node:fs/promises"
import { createInterface } from "node:readline"
import * as Csv from "./Csv.ts"
import { csvColumns, NoRow, ofJson, type Row } from "./LoggedRow.ts"

export type LogFormat = "json" | "csv"

export type Entry = { readonly row: Row } | { readonly problem: string }

export const formatOf = (file: string): LogFormat => (file.toLowerCase().endsWith(".csv") ? "csv" : "json")

const entryOf = (place: string, read: () => Row): Entry => {
  try {
    return { row: read() }
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: `${place}: it is not JSON` }
    if (error instanceof NoRow) return { problem: `${place}: ${error.message}` }
    throw error
  }
}

const linesOf = (file: string) =>
  createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })

async function* ofLines(file: string): AsyncGenerator<Entry, void, void> {
  let number = 0
  for await (const line of linesOf(file)) {
    number++
    if (line.trim() !== "") yield entryOf(`line ${number}`, () => ofJson(JSON.parse(line)))
  }
}

async function* ofCsv(file: string): AsyncGenerator<Entry, void, void> {
  let read: ((fields: ReadonlyArray<string>) => Row) | undefined
  for await (const { fields, line } of Csv.records(linesOf(file))) {
    if (read === undefined) read = csvColumns(fields)
    else {
      const rowOf = read
      yield entryOf(`line ${line}`, () => rowOf(fields))
    }
  }
}

/** One JSON value: an array, or a list as the provider pages it. Undefined: it is JSON Lines. */
const wholeOf = async (file: string): Promise<ReadonlyArray<unknown> | undefined> => {
  for await (const line of linesOf(file)) {
    if (line.trim() === "") continue
    try {
      const { data, object } = Object(JSON.parse(line))
      if (object !== "list" || !Array.isArray(data)) return undefined
    } catch {
      // A value that continues in the next line.
    }
    break
  }
  try {
    const whole = JSON.parse(await readFile(file, "utf8"))
    return Array.isArray(whole) ? whole : Array.isArray(whole?.data) ? whole.data : undefined
  } catch {
    return undefined
  }
}

export async function* entries(file: string, format: LogFormat): AsyncGenerator<Entry, void, void> {
  if (format === "csv") return yield* ofCsv(file)
  const whole = await wholeOf(file)
  if (whole === undefined) return yield* ofLines(file)
  for (const [index, entry] of whole.entries()) yield entryOf(`entry ${index + 1}`, () => ofJson(entry))
}
