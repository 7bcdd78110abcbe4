/** `list` and `show` of a noun: a table on a terminal, rows with tabs in a pipe, and with `--json` values. */
import type { Calls, OperationId } from "@limbeck/client/operations"
import type { Output } from "../../Output.ts"
import * as Cells from "../../terminal/Cells.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Command } from "../Remote.ts"
import { WatchLimits } from "./Limits.ts"
import type { Columns, Noun } from "./NounTable.ts"
import { pause, type Watching } from "./Watching.ts"

/** Any API resource. */
export type Resource = Readonly<Record<string, unknown>>

type AnyMethod = (...given: ReadonlyArray<unknown>) => unknown

/** The client method for an operation chosen at run time. */
const methodOf = (operations: Calls, id: OperationId): AnyMethod =>
  // The program gives the arguments of the operation's path; the server checks the query and the body.
  operations(id) as unknown as AnyMethod

export const oneOf = (operations: Calls, id: OperationId, ...given: ReadonlyArray<unknown>): Promise<Resource> =>
  // `NounTable` names operations that return a resource.
  methodOf(operations, id)(...given) as Promise<Resource>

export interface ListOptions {
  /** Ids of the path. */
  readonly ids: ReadonlyArray<string>
  /** Filters of the list; the server rejects unknown ones. */
  readonly where: Readonly<Record<string, string>>
  readonly limit: number
}

/** The newest items, at most `limit`. */
export const itemsOf = async (operations: Calls, { list }: Noun, { ids, limit, where }: ListOptions) => {
  const items: Array<Resource> = []
  const query = { ...where, limit: Math.min(limit, WatchLimits.pageMax) }
  // `NounTable` names operations that return a list.
  for await (const item of methodOf(operations, list)(...ids, query) as AsyncIterable<Resource>) {
    items.push(item)
    if (items.length >= limit) break
  }
  return items
}

const cellsOf = (columns: Columns): ReadonlyArray<string> => Object.values(columns).map(Cells.cellOf)

/** Titles and rows on a terminal. */
const tableOf = (rows: ReadonlyArray<Columns>, width: number): ReadonlyArray<string> => {
  const titles = Object.keys(rows[0] ?? {}).map((title) => title.toUpperCase())
  return Cells.linesOf([titles, ...rows.map(cellsOf)], width)
}

const fieldsOf = (resource: Resource, width: number): ReadonlyArray<string> =>
  Cells.linesOf(
    Object.entries(resource).map(([name, value]) => [name, Cells.cellOf(value)]),
    width
  )

/** Shows the items, the newest first. */
export const showItems = (output: Output, { columns }: Noun, items: ReadonlyArray<Resource>): void => {
  const width = Terminal.width()
  if (output.isJson) for (const item of items) Terminal.json(item)
  else if (width === null) for (const item of items) Terminal.row(cellsOf(columns(item)))
  else if (items.length === 0) Terminal.line("none")
  else for (const line of tableOf(items.map(columns), width)) Terminal.line(line)
}

export const showOne = (output: Output, resource: Resource): void => {
  const width = Terminal.width()
  if (output.isJson) Terminal.json(resource)
  else if (width !== null) for (const line of fieldsOf(resource, width)) Terminal.line(line)
  else for (const [name, value] of Object.entries(resource)) Terminal.row([name, Cells.cellOf(value)])
}

/** On a terminal the whole table or resource, in place of the last one; elsewhere what is new or has changed. */
export const watch = async (
  output: Output,
  read: () => Promise<ReadonlyArray<Resource>>,
  { isSingle, noun, watching }: { readonly isSingle: boolean; readonly noun: Noun; readonly watching: Watching }
): Promise<number> => {
  let shown = new Map<unknown, string>()
  const board = Terminal.width() === null || output.isJson ? undefined : Terminal.board()
  while (!watching.signal.aborted) {
    const items = await read()
    const texts = new Map(items.map((item) => [item["id"], JSON.stringify(item)]))
    const changed = items.filter(({ id }) => shown.get(id) !== texts.get(id))
    shown = texts
    const width = Terminal.width() ?? 0
    if (board !== undefined)
      board.draw(isSingle ? fieldsOf(items[0] ?? {}, width) : tableOf(items.map(noun.columns), width))
    else if (isSingle) for (const item of changed) showOne(output, item)
    else showItems(output, noun, changed.toReversed())
    await pause(watching)
  }
  return 0
}

export const list =
  (noun: Noun, options: ListOptions, watching: Watching | undefined): Command =>
  async (_, output, operations) => {
    const read = () => itemsOf(operations, noun, options)
    if (watching !== undefined) return watch(output, read, { isSingle: false, noun, watching })
    showItems(output, noun, await read())
    return 0
  }
