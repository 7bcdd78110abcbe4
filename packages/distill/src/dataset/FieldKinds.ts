/**
 * Classifies the fields of JSON answers by their values: a closed set, a scale, numbers, copies of the request, or free text. Arguments count
 * as fields if all calls name the same tool. Pure.
 */
import * as Schema from "effect/Schema"
import { DistillLimits } from "../Limits.ts"
import * as ScoreErrors from "../report/internal/ScoreErrors.ts"
import * as AnswerFields from "./AnswerFields.ts"
import * as JsonFields from "./JsonFields.ts"
import * as LabelRules from "./LabelRules.ts"
import * as ToolAnswers from "./ToolAnswers.ts"

const FieldKind = Schema.Literals(["closed", "ordered", "number", "span", "free"])

export const ProfiledField = Schema.Struct({
  /** A JSON Pointer (RFC 6901) without its first slash. */
  name: Schema.String,
  kind: FieldKind,
  /** Rows with the field. */
  rows: Schema.Int,
  /** Share of these rows with a value of the kind. */
  share: Schema.Finite
})
export type ProfiledField = typeof ProfiledField.Type

/** Minimum share of numbers or copies among the values of a field. */
const mostly = 0.9
/** Minimum share of rows with JSON objects, and of these objects with a field. */
const alike = 0.5
/** Replaces values too long for a label. */
const cutValue = '"…"'

const number = /^"?-?\d+(?:\.\d+)?"?$/u

interface Field {
  rows: number
  numbers: number
  spans: number
  /** How often each value was seen; empty once there are too many different ones for a closed set. */
  readonly values: Map<string, number>
  isOpen: boolean
}

export interface Observer {
  /** `answer`: the text of an answer, or a call as a label. */
  readonly add: (request: string, answer: string) => void
  /** In any order of the rows. `all`: the number of rows. `taken`: fields with numbers from the request (`TakenNumbers`). */
  readonly fields: (all: number, taken: ReadonlySet<string>) => ReadonlyArray<ProfiledField>
}

const folded = (text: string): string => text.toLowerCase().replace(/\s+/gu, " ").trim()

const wordsOf = (value: string): string | undefined => {
  const json: unknown = JSON.parse(value)
  return typeof json === "string" ? folded(json) : undefined
}

const count = (field: Field, value: string) => {
  if (field.isOpen) return
  const key = value.length > LabelRules.bounds.labelCharactersMax ? cutValue : value
  field.values.set(key, (field.values.get(key) ?? 0) + 1)
  field.isOpen = field.values.size > DistillLimits.fieldValuesMax
  if (field.isOpen) field.values.clear()
}

const kindOf = (name: string, field: Field, taken: ReadonlySet<string>): Pick<ProfiledField, "kind" | "share"> => {
  const { isOpen, numbers, rows, spans, values } = field
  const isLong = (values.get(cutValue) ?? 0) > rows * LabelRules.bounds.outsideMax
  const set = isOpen || isLong || taken.has(name) ? undefined : AnswerFields.closedSet(values, LabelRules.bounds)
  if (set !== undefined) return { kind: ScoreErrors.isScale(set.forms) ? "ordered" : "closed", share: set.share }
  const [asNumbers, asSpans] = [numbers / rows, spans / rows]
  if (asNumbers >= mostly) return { kind: "number", share: asNumbers }
  if (asSpans >= mostly) return { kind: "span", share: asSpans }
  return { kind: "free", share: 1 - Math.max(asNumbers, asSpans) }
}

const prefix = "$tool_call/arguments/"

/** The fields of an object, or the arguments of a call beside the name of its tool. */
const readAnswer = (answer: string) => {
  const read = JsonFields.read(answer)
  const tool = ToolAnswers.callOf(answer)?.name ?? null
  if (read === undefined || tool === null) return read && { ...read, tool }
  const found = read.names.map((name, index) => ({ name, value: read.values[index] ?? "" }))
  const own = found.filter(({ name }) => name.startsWith(prefix))
  return { names: own.map(({ name }) => name.slice(prefix.length)), values: own.map(({ value }) => value), tool }
}

/** Mutable, and held by one. */
export const observer = (): Observer => {
  const fields = new Map<string, Field>()
  const tools = new Set<string | null>()
  let rows = 0
  let isMap = false
  const fieldOf = (name: string): Field => {
    const known = fields.get(name)
    if (known !== undefined) return known
    const fresh: Field = { rows: 0, numbers: 0, spans: 0, values: new Map(), isOpen: false }
    fields.set(name, fresh)
    return fresh
  }
  const note = (field: Field, value: string, request: string) => {
    field.rows++
    const words = wordsOf(value)
    if (number.test(value)) field.numbers++
    else if (words !== undefined && words !== "" && request.includes(words)) field.spans++
    count(field, value)
  }
  return {
    add: (request, answer) => {
      const read = isMap ? undefined : readAnswer(answer)
      if (read === undefined) return
      rows++
      if (tools.size < 2) tools.add(read.tool)
      const within = folded(request)
      for (const [index, name] of read.names.entries()) note(fieldOf(name), read.values[index] ?? "null", within)
      isMap = fields.size > DistillLimits.profiledFieldsMax
      if (isMap) fields.clear()
    },
    fields: (all, taken) =>
      tools.size !== 1 || rows < all * alike
        ? []
        : [...fields]
            .filter(([, field]) => field.rows >= rows * alike)
            .map(([name, field]) => ({ name, rows: field.rows, ...kindOf(name, field, taken) }))
            .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }
}
