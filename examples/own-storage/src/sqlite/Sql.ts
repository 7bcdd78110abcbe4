/**
 * SQL as a value: a text with bound values for its question marks. Values nest, so that conditions compose without quoting.
 */
import type { SQLInputValue } from "node:sqlite"

export class Sql {
  readonly text: string
  readonly values: ReadonlyArray<SQLInputValue>

  constructor(text: string, values: ReadonlyArray<SQLInputValue>) {
    this.text = text
    this.values = values
  }
}

type Part = Sql | SQLInputValue | boolean

const bound = (part: Part): Sql => {
  if (part instanceof Sql) return part
  return new Sql("?", [typeof part === "boolean" ? Number(part) : part])
}

/**
 * @example
 * sql`SELECT body FROM events WHERE partition = ${partition.key} AND ${when(type, (type) => sql`type = ${type}`)}`
 */
export const sql = (texts: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Sql => {
  const all = parts.map(bound)
  const text = texts.reduce((before, after, index) => `${before}${all[index - 1]?.text}${after}`)
  return new Sql(
    text,
    all.flatMap(({ values }) => values)
  )
}

/** A condition on a value that may be absent, and then filters nothing. */
export const ifPresent = <A>(value: A | null | undefined, condition: (value: A) => Sql): Sql =>
  value === null || value === undefined ? sql`TRUE` : condition(value)

export const and = (conditions: ReadonlyArray<Sql>): Sql =>
  conditions.reduce((before, condition) => sql`${before} AND ${condition}`, sql`TRUE`)

/** The text behind IN: a list of any length is one parameter, so its statement is prepared once. */
export const list = (values: Iterable<string>): Sql =>
  sql`(SELECT value FROM json_each(${JSON.stringify([...values])}))`
