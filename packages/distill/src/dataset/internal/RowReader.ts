/**
 * Reads a line as a row, or returns the reason why it is none (contract 6, 14.13). Unknown fields are kept unchanged.
 */
import { leafText } from "@limbeck/core/errors/LeafText"
import { isObject } from "@limbeck/core/json/Json"
import * as Turns from "@limbeck/core/turns/Turns"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { DistillLimits } from "../../Limits.ts"
import { ConversationRow } from "../Row.ts"
import * as RowShape from "../RowShape.ts"
import { isRow } from "./RowGuard.ts"

export interface ReadRow {
  readonly row: ConversationRow
  /** The whole parsed value, including unknown fields. */
  readonly json: Schema.Json
}

const decode = Schema.decodeUnknownResult(ConversationRow)
const format = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: leafText })

const parse = (text: string): Result.Result<Schema.Json, string> =>
  Result.try({ try: () => JSON.parse(text), catch: () => "Not JSON" })

const step = (key: PropertyKey): string => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)

/** `messages[0].role: This field is required`; never a value of the row. */
const describe = (issue: SchemaIssue.Issue): string => {
  const [first] = format(issue).issues
  const path = (first?.path ?? [])
    .map((part) => step(typeof part === "object" ? part.key : part))
    .join("")
    .replace(/^\./, "")
  const message = first?.message ?? "Not a row"
  return path === "" ? message : `${path}: ${message}`
}

const hasCompletion = (row: ConversationRow): boolean =>
  row.completion !== undefined || row.messages.at(-1)?.role === "assistant"

const toRow = (json: Schema.Json): Result.Result<ReadRow, string> => {
  const fault = RowShape.faultOfMessages(json)
  if (fault !== undefined) return Result.fail(fault)
  if (isObject(json) && json["decisions"] !== undefined) {
    return Result.fail("decisions: Only uploads of the format decisions_jsonl have decisions")
  }
  const decoded = isRow(json) ? Result.succeed(json) : decode(json)
  if (Result.isFailure(decoded))
    return Result.fail(describe(decoded.failure.issue).slice(0, DistillLimits.lineMessageMax))
  return hasCompletion(decoded.success)
    ? Result.succeed({ row: decoded.success, json })
    : Result.fail("No completion: neither completion nor a last message with role assistant")
}

/** The minimum cost of a line, in characters; creating an error for an invalid line costs the most. */
const lineCost = 200

/** Checks the shape first: a text out of bounds is not parsed. */
export function* reading(text: string): Turns.Steps<Result.Result<ReadRow, string>> {
  yield lineCost
  const fault = yield* RowShape.faultSteps(text)
  if (fault !== undefined) return Result.fail(fault)
  yield text.length / 2
  const json = parse(text)
  yield text.length / 2
  return Result.flatMap(json, toRow)
}

export const read = (text: string): Result.Result<ReadRow, string> => Turns.atOnce(reading(text))
