/** Figures per field, for completions that are JSON objects with the same fields, and for tool calls. Pure. */
import * as Schema from "effect/Schema"
import * as JsonFields from "../../dataset/JsonFields.ts"
import * as LabelRules from "../../dataset/LabelRules.ts"
import { callsIn, type NamedCall } from "../../reward/Completion.ts"
import * as Intervals from "../statistics/internal/Intervals.ts"
import * as Labels from "./LabelFigures.ts"
import * as ScoreErrors from "./ScoreErrors.ts"

const Interval = Schema.Struct({ low: Schema.Finite, high: Schema.Finite, method: Schema.String })

export const FieldFigures = Schema.Struct({
  /**
   * A JSON Pointer (RFC 6901) without its first slash. For tool calls: `tool`, the choice of the tool; and behind the name of a tool
   * and a slash each of its arguments, over the rows whose teacher calls this tool.
   */
  field: Schema.String,
  /** Share of the rows with equal values by student and teacher. */
  agreement: Schema.Finite,
  interval: Schema.NullOr(Interval),
  /** What always giving the teacher's most frequent value would reach. */
  most_frequent: Schema.Struct({ answer: Schema.String, share: Schema.Finite }),
  /** As for whole answers; empty if the values are no labels. */
  labels: Schema.Array(Labels.LabelFigures),
  confusions: Schema.Array(Labels.Confusion),
  /** Errors on one scale of numbers or ordered words; null for values without a scale. Absent in older reports. */
  scores: Schema.optionalKey(Schema.NullOr(ScoreErrors.ScoreErrors))
})
type FieldFigures = typeof FieldFigures.Type

interface Texts {
  readonly student: string
  readonly teacher: string
}

/** The values of a field as JSON text; undefined where the answer has none. */
interface FieldValues {
  readonly teacher: string | undefined
  readonly student: string | undefined
}

const fieldsShown = 20
/** Share of the rows whose teacher fills the same fields. */
const nearlyAll = 0.95

const valueOf = (fields: JsonFields.JsonFields | undefined, name: string): string | undefined =>
  fields?.values[fields.names.indexOf(name)]

/** A value for display: a text without its quotes. */
const displayValue = (value: string): string => {
  const parsed: unknown = JSON.parse(value)
  return typeof parsed === "string" ? parsed : value
}

const figuresOf = (rows: ReadonlyArray<FieldValues>, field: string): FieldFigures => {
  const names = new Map<string, string>()
  const formOf = (value: string | undefined): string => {
    if (value === undefined) return ""
    const form = LabelRules.formOfJson(value)
    names.set(form, names.get(form) ?? displayValue(value))
    return form
  }
  const all = rows.map((row) => {
    const [teacher, student] = [formOf(row.teacher), formOf(row.student)]
    return { teacher, student, agrees: teacher === student }
  })
  const nameOf = (form: string): string => names.get(form) ?? form
  const right = all.filter(({ agrees }) => agrees).length
  const [frequent = "", count = 0] = Labels.descending(Labels.countsOf(all.map(({ teacher }) => teacher)))[0] ?? []
  const isLabelled = Labels.areLabels(all)
  return {
    field,
    agreement: right / all.length,
    interval: Intervals.wilson(right, all.length) ?? null,
    most_frequent: { answer: Labels.excerpt(nameOf(frequent)), share: count / all.length },
    labels: isLabelled ? Labels.labelFigures(all, nameOf) : [],
    confusions: isLabelled ? Labels.confusionsOf(all, nameOf) : [],
    scores: ScoreErrors.of(all)
  }
}

/** Figures in the order of the fields; empty unless answers are objects with several fields. */
const objectFigures = (texts: ReadonlyArray<Texts>): ReadonlyArray<FieldFigures> => {
  const read = texts.flatMap(({ student, teacher }) => {
    const fields = JsonFields.read(teacher)
    return fields === undefined ? [] : [{ teacher: fields, student: JsonFields.read(student) }]
  })
  const shapes = Map.groupBy(read, ({ teacher }) => JSON.stringify(teacher.names.toSorted()))
  const rows = [...shapes.values()].toSorted((a, b) => b.length - a.length)[0] ?? []
  const names = rows[0]?.teacher.names ?? []
  if (names.length < 2 || rows.length < texts.length * nearlyAll) return []
  return names.slice(0, fieldsShown).map((name) =>
    figuresOf(
      rows.map(({ student, teacher }) => ({ teacher: valueOf(teacher, name), student: valueOf(student, name) })),
      name
    )
  )
}

/** Calls of a row by `Completion.textAndCalls`; empty for an answer in words. */
interface Calls {
  readonly student: ReadonlyArray<NamedCall>
  readonly teacher: ReadonlyArray<NamedCall>
}

/** Share of the rows from which on calls are the rule. */
const most = 0.5

/** Of the only call of the tool. */
const argumentsOf = (calls: ReadonlyArray<NamedCall>, tool: string): JsonFields.JsonFields | undefined => {
  const [call, ...others] = calls.filter(({ name }) => name === tool)
  return call === undefined || others.length > 0 ? undefined : JsonFields.read(JSON.stringify(call.arguments))
}

/** Over the rows whose teacher calls the tool. */
const argumentFigures = (rows: ReadonlyArray<Calls>, tool: string): ReadonlyArray<FieldFigures> => {
  const read = rows.flatMap(({ student, teacher }) => {
    const fields = argumentsOf(teacher, tool)
    return fields === undefined ? [] : [{ teacher: fields, student: argumentsOf(student, tool) }]
  })
  const names = new Set(read.flatMap(({ teacher }) => teacher.names))
  return [...names].map((name) =>
    figuresOf(
      read.map(({ student, teacher }) => ({ teacher: valueOf(teacher, name), student: valueOf(student, name) })),
      `${tool}/${name}`
    )
  )
}

/** The tools of an answer as one value, in their order. */
const toolsOf = (calls: ReadonlyArray<NamedCall>): string | undefined =>
  calls.length === 0 ? undefined : JSON.stringify(calls.map(({ name }) => name).join(", "))

/** The choice of the tool, then the arguments of the tools by their frequency; empty unless most answers are calls. */
const callFigures = (texts: ReadonlyArray<Texts>): ReadonlyArray<FieldFigures> => {
  const rows = texts.map(({ student, teacher }): Calls => ({ student: callsIn(student), teacher: callsIn(teacher) }))
  const calling = rows.filter(({ teacher }) => teacher.length > 0)
  if (calling.length === 0 || calling.length < most * rows.length) return []
  const counts = Labels.countsOf(calling.flatMap(({ teacher }) => [...new Set(teacher.map(({ name }) => name))]))
  const choice = figuresOf(
    rows.map(({ student, teacher }) => ({ teacher: toolsOf(teacher), student: toolsOf(student) })),
    "tool"
  )
  const given = Labels.descending(counts).flatMap(([tool]) => argumentFigures(calling, tool))
  return [choice, ...given].slice(0, fieldsShown)
}

export const fieldFigures = (texts: ReadonlyArray<Texts>): ReadonlyArray<FieldFigures> => {
  const figures = objectFigures(texts)
  return figures.length > 0 ? figures : callFigures(texts)
}
