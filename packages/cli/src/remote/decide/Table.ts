/** The rows of a CSV file as evidence, and the same rows with the answers beside them. */
import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"
import { CommandError } from "../CommandError.ts"
import * as Csv from "../chatLogs/Csv.ts"
import { DecideLimits } from "./Limits.ts"

export interface TableRow {
  /** The first row after the header is 1. */
  readonly number: number
  readonly fields: ReadonlyArray<string>
}

export interface Table {
  readonly header: ReadonlyArray<string>
  readonly rows: number
  /** From the file's beginning. */
  readonly read: () => AsyncGenerator<TableRow, void, void>
  /** The named column's text; without a name that of the only column, or else an object of all. */
  readonly evidenceOf: (row: TableRow) => unknown
}

const recordsOf = (file: string) =>
  Csv.records(createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY }))

async function* rowsOf(file: string, header: ReadonlyArray<string>) {
  let number = 0
  let isHeader = true
  for await (const { fields, line } of recordsOf(file)) {
    if (isHeader) {
      isHeader = false
      continue
    }
    if (fields.length !== header.length) {
      throw new CommandError(`line ${line}: ${fields.length} fields, and the header has ${header.length}`)
    }
    number++
    yield { number, fields }
  }
}

const headerOf = async (file: string): Promise<ReadonlyArray<string>> => {
  for await (const { fields } of recordsOf(file)) {
    // Spreadsheets write a byte order mark first.
    return fields.map((field, at) => (at === 0 ? field.replace(/^\uFEFF/u, "") : field))
  }
  return []
}

const countOf = async (rows: AsyncIterable<unknown>): Promise<number> => {
  let count = 0
  for await (const _ of rows) count++
  return count
}

/** Fails for a file without rows, with a row of another length, or without the column. */
export const open = async (file: string, name: string, column: string | undefined): Promise<Table> => {
  const header = await headerOf(file)
  const at = column === undefined ? (header.length === 1 ? 0 : -1) : header.indexOf(column)
  if (column !== undefined && at < 0) throw new CommandError(`${name} has no column ${column}: ${header.join(", ")}`)
  const rows = await countOf(rowsOf(file, header))
  if (rows === 0) throw new CommandError(`${name} holds no rows: nothing was asked`)
  if (rows > DecideLimits.rowsMax) {
    throw new CommandError(
      `${name} has ${rows} rows, and one command asks about ${DecideLimits.rowsMax} at most: split it`
    )
  }
  return {
    header,
    rows,
    read: () => rowsOf(file, header),
    evidenceOf: ({ fields }) =>
      at >= 0 ? (fields[at] ?? "") : Object.fromEntries(header.map((one, index) => [one, fields[index] ?? ""]))
  }
}

/** A field with a quote, a comma or a line end stands in quotes. */
const fieldOf = (text: string): string => (/[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

export const lineOf = (fields: ReadonlyArray<string>): string => `${fields.map(fieldOf).join(",")}\n`
