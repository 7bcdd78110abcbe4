/**
 * Closed fields in JSON answers with free fields, such as a category beside a summary. Each top-level property is a field. A closed field
 * contains values from closed sets only; free fields contain texts, and spans or numbers copied from the request. Pure.
 */
import { isObject } from "@limbeck/core/json/Json"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as AnswerFields from "./AnswerFields.ts"
import * as AnswerRules from "./AnswerRules.ts"
import type { Answers } from "./Answers.ts"
import * as JsonFields from "./JsonFields.ts"
import * as LabelRules from "./LabelRules.ts"

export interface PartialAnswers extends Answers {
  /** Free properties, sorted; no question covers them. */
  readonly free: ReadonlyArray<string>
}

/** Formats of the files of builtin students with closed fields only. */
export const studentFormat = "limbeck-text-classifier/8"
export const embeddingStudentFormat = "limbeck-embedding-classifier/2"
/** Whether the student of a file of this format answers closed fields only. */
export const isPartial = (format: string | undefined): boolean =>
  format === studentFormat || format === embeddingStudentFormat

/** Placeholder for a value too long for a label; keeps answers short in memory. */
const cutValue = '"…"'

const objectOf = (text: string): Schema.JsonObject | undefined => {
  const json = LabelRules.structureOf(text)
  return isObject(json) ? json : undefined
}

/** Replaces long values of a JSON answer by a placeholder; returns other texts unchanged. */
export const shorten = (text: string, labelCharactersMax: number): string => {
  const fields = JsonFields.read(text)
  if (fields === undefined) return text
  return JsonFields.write(
    fields.between,
    fields.values.map((value) => (value.length > labelCharactersMax ? cutValue : value))
  )
}

const filter = (text: string, isKept: (name: string) => boolean): string | undefined => {
  const json = objectOf(text)
  return json && JSON.stringify(Object.fromEntries(Object.entries(json).filter(([name]) => isKept(name))))
}

/** Removes properties from an answer; undefined for a text other than a JSON object. */
export const without = (text: string, free: ReadonlyArray<string>): string | undefined =>
  filter(text, (name) => !free.includes(name))

/** Keeps only these properties of an answer; undefined for a text other than a JSON object. */
export const only = (text: string, closed: ReadonlyArray<string>): string | undefined =>
  filter(text, (name) => closed.includes(name))

/** The first segment of a JSON Pointer without its first slash. */
const propertyOf = (pointer: string): string =>
  (pointer.split("/")[0] ?? "").replaceAll("~1", "/").replaceAll("~0", "~")

interface ReadAnswer {
  readonly fields: JsonFields.JsonFields
  readonly count: number
}

/** The answers with the most frequent set of fields. */
const alikeOf = (seen: LabelRules.LabelCounts): ReadonlyArray<ReadAnswer> => {
  const read = [...seen].flatMap(([text, count]): ReadonlyArray<ReadAnswer> => {
    const fields = text === null ? undefined : JsonFields.read(text)
    return fields === undefined ? [] : [{ fields, count }]
  })
  const shapes = Map.groupBy(read, ({ fields }) => JSON.stringify(fields.names.toSorted()))
  const rowsOf = (group: ReadonlyArray<ReadAnswer>) => group.reduce((sum, { count }) => sum + count, 0)
  const ordered = [...shapes].toSorted(([a, one], [b, other]) => rowsOf(other) - rowsOf(one) || (a < b ? -1 : 1))
  return ordered[0]?.[1] ?? []
}

/** Whether a closed set covers nearly all values of a field. */
const isClosed = (alike: ReadonlyArray<ReadAnswer>, name: string, by: LabelRules.Bounds): boolean => {
  const values = new Map<string, number>()
  for (const { count, fields } of alike) {
    const value = fields.values[fields.names.indexOf(name)] ?? ""
    values.set(value, (values.get(value) ?? 0) + count)
  }
  const rows = [...values.values()].reduce((sum, count) => sum + count, 0)
  if ((values.get(cutValue) ?? 0) > rows * by.outsideMax) return false
  return AnswerFields.isClosedField(values, by)
}

/**
 * The questions of the closed fields. Fails without a closed field, with too many combinations outside the closed sets, and without a free
 * field. `taken`: fields with numbers from the request; always free.
 */
export const close = (
  seen: LabelRules.LabelCounts,
  by: LabelRules.Bounds,
  taken: ReadonlySet<string>
): Result.Result<PartialAnswers, LabelRules.OpenSet> => {
  const alike = alikeOf(seen)
  const names = alike[0]?.fields.names ?? []
  const open = names.filter((name) => taken.has(name) || !isClosed(alike, name, by))
  const free = [...new Set(open.map(propertyOf))].sort()
  const properties = new Set(names.map(propertyOf))
  const rows = [...seen.values()].reduce((sum, count) => sum + count, 0)
  if (free.length === 0 || free.length === properties.size) {
    return Result.fail({ outside: rows, different: seen.size, ...(taken.size > 0 ? { taken: [...taken].sort() } : {}) })
  }
  const counts = new Map<string | null, number>()
  for (const [text, count] of seen) {
    const rest = text === null ? null : (without(text, free) ?? text)
    counts.set(rest, (counts.get(rest) ?? 0) + count)
  }
  return Result.map(AnswerRules.close(counts, by), (answers) => ({ ...answers, free }))
}
