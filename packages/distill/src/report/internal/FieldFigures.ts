/** Figures per field, for completions that are JSON objects with the same fields, and for tool calls. Pure. */
import * as Schema from "effect/Schema"
import * as JsonFields from "../../dataset/JsonFields.ts"
import * as LabelRules from "../../dataset/LabelRules.ts"
import * as ToolAnswers from "../../dataset/ToolAnswers.ts"
import * as Intervals from "../statistics/internal/Intervals.ts"
import * as Labels from "./LabelFigures.ts"
import * as ScoreErrors from "./ScoreErrors.ts"

const Interval = Schema.Struct({ low: Schema.Finite, high: Schema.Finite, method: Schema.String })

export const FieldFigures = Schema.Struct({
  /**
   * A JSON Pointer (RFC 6901) without its first slash. With several tools: `tool`, the choice of the tool; and behind the name of a
   * tool and a slash each of its arguments, over the rows whose teacher calls this tool.
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

interface Calls {
  readonly student: ToolAnswers.ToolCall | undefined
  readonly teacher: ToolAnswers.ToolCall | undefined
}

/** Share of the rows from which an answer without a call is the exception. */
const most = 0.5

const argumentsOf = (call: ToolAnswers.ToolCall | undefined): JsonFields.JsonFields | undefined =>
  call === undefined ? undefined : JsonFields.read(JSON.stringify(call.arguments))

/** Of the rows whose teacher calls the tool. A student that calls another tool has no values. */
const argumentFigures = (rows: ReadonlyArray<Calls>, tool: string): ReadonlyArray<FieldFigures> => {
  const read = rows.map(({ student, teacher }) => ({
    teacher: argumentsOf(teacher),
    student: student?.name === tool ? argumentsOf(student) : undefined
  }))
  const names = new Set(read.flatMap(({ teacher }) => teacher?.names ?? []))
  return [...names].map((name) =>
    figuresOf(
      read.map(({ student, teacher }) => ({ teacher: valueOf(teacher, name), student: valueOf(student, name) })),
      `${tool}/${name}`
    )
  )
}

const toolOf = (call: ToolAnswers.ToolCall | undefined): string | undefined =>
  call === undefined ? undefined : JSON.stringify(call.name)

/** The choice of the tool, then the arguments by descending frequency of their tools; empty unless most answers are calls. */
const callFigures = (texts: ReadonlyArray<Texts>): ReadonlyArray<FieldFigures> => {
  const rows = texts.map(
    ({ student, teacher }): Calls => ({ student: ToolAnswers.callOf(student), teacher: ToolAnswers.callOf(teacher) })
  )
  const calls = rows.filter(({ teacher }) => teacher !== undefined)
  if (calls.length === 0 || calls.length < most * rows.length) return []
  const tools = [...Map.groupBy(calls, ({ teacher }) => teacher?.name ?? "")].toSorted(
    ([, one], [, other]) => other.length - one.length
  )
  const choice = figuresOf(
    rows.map(({ student, teacher }) => ({ teacher: toolOf(teacher), student: toolOf(student) })),
    "tool"
  )
  return [choice, ...tools.flatMap(([tool, own]) => argumentFigures(own, tool))].slice(0, fieldsShown)
}

export const fieldFigures = (texts: ReadonlyArray<Texts>): ReadonlyArray<FieldFigures> => {
  const figures = objectFigures(texts)
  return figures.length > 0 ? figures : callFigures(texts)
}
