/** Reads one line as a row, or says why it is none (contract 6, 14.13). Fields that we do not know are kept as they came. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { Limits } from "../Limits.ts"
import { Row } from "./Row.ts"
import { isRow } from "./RowGuard.ts"

export interface ReadRow {
  readonly row: Row
  /** All that was said, also what no field of a row is. */
  readonly json: Schema.Json
}

const decode = Schema.decodeUnknownResult(Row)
const format = SchemaIssue.makeFormatterStandardSchemaV1()

const parse = (text: string): Result.Result<Schema.Json, string> =>
  Result.try({ try: () => JSON.parse(text), catch: () => "Not JSON" })

export const nestsDeeper = (value: Schema.Json, max: number): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (max === 0) return true
  if (Array.isArray(value)) return value.some((item) => nestsDeeper(item, max - 1))
  const members = value as Schema.JsonObject
  for (const key in members) if (nestsDeeper(members[key] ?? null, max - 1)) return true
  return false
}

const step = (key: PropertyKey): string => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)

/** `messages[0].role: Missing key`; never a value of the row. */
const describe = (issue: SchemaIssue.Issue): string => {
  const [first] = format(issue).issues
  const path = (first?.path ?? [])
    .map((part) => step(typeof part === "object" ? part.key : part))
    .join("")
    .replace(/^\./, "")
  const message = first?.message ?? "Not a row"
  return path === "" ? message : `${path}: ${message}`
}

const hasCompletion = (row: Row): boolean => row.completion !== undefined || row.messages.at(-1)?.role === "assistant"

const toRow = (json: Schema.Json): Result.Result<ReadRow, string> => {
  if (nestsDeeper(json, Limits.rowDepthMax)) return Result.fail(`Nests deeper than ${Limits.rowDepthMax} levels`)
  const decoded = isRow(json) ? Result.succeed(json) : decode(json)
  if (Result.isFailure(decoded)) return Result.fail(describe(decoded.failure.issue).slice(0, Limits.lineMessageMax))
  return hasCompletion(decoded.success)
    ? Result.succeed({ row: decoded.success, json })
    : Result.fail("No completion: neither completion nor a last message with role assistant")
}

export const read = (text: string): Result.Result<ReadRow, string> => Result.flatMap(parse(text), toRow)
