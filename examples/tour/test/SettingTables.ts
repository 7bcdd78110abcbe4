/** The tables of docs/configuration.md, printed from the rows that the program and the library read their settings by. */
import { settingTable } from "@limbeck/server/Settings"
import { rows } from "../../../packages/cli/src/serve/SettingTable.ts"

type Row = ReadonlyArray<string>

const code = (text: string): string => `\`${text}\``

const mebibyte = 1024 * 1024

/** As a program would write it. */
const literal = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`
  if (typeof value !== "object" || value === null) return String(value)
  const members = Object.entries(value).map(([name, member]) => `${name}: ${literal(member)}`)
  return `{ ${members.join(", ")} }`
}

const inUnit = (value: unknown, unit: string | undefined): Row =>
  unit === "bytes" && Number(value) % mebibyte === 0
    ? [code(String(Number(value) / mebibyte)), "MiB"]
    : [code(literal(value)), unit ?? ""]

const variables = rows.map(
  ({ initial, meaning, name, notation, shown, unit }): Row => [
    code(name),
    shown ?? notation.show(initial),
    unit ?? "",
    meaning
  ]
)

const options = Object.entries(settingTable).map(
  ([name, { initial, meaning, shown, unit, ...row }]): Row => [
    code(name),
    ...(shown === undefined ? inUnit(initial, unit) : [shown, ""]),
    "variable" in row && row.variable !== undefined ? code(row.variable.name) : "",
    meaning
  ]
)

const tableOf = (head: Row, body: ReadonlyArray<Row>): string => {
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((row) => row[column]?.length ?? 0)))
  const line = (row: Row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n")
}

const tables: ReadonlyArray<readonly [name: string, text: string]> = [
  ["variables", tableOf(["variable", "default", "unit", "meaning"], variables)],
  ["options", tableOf(["setting", "default", "unit", "variable", "meaning"], options)]
]

export const page = "docs/configuration.md"

/** The page with both tables as the rows print them, between the marks `<!-- settings: name -->` and `<!-- end -->`. */
export const withTables = (text: string): string =>
  tables.reduce((page, [name, table]) => {
    const mark = `<!-- settings: ${name} -->`
    const [before, after = ""] = page.split(mark)
    return `${before}${mark}\n\n${table}\n\n${after.slice(after.indexOf("<!-- end -->"))}`
  }, text)
