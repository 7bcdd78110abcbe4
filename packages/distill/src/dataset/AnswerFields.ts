/** Answers that are JSON objects with the same fields, each in a closed set, or lists of labels. Pure. */
import type { Answers, Question } from "./Answers.ts"
import * as JsonFields from "./JsonFields.ts"
import * as LabelLists from "./LabelLists.ts"
import * as LabelRules from "./LabelRules.ts"

interface AnswerCount {
  readonly fields: JsonFields.JsonFields
  readonly count: number
}

const most = (counted: ReadonlyArray<AnswerCount>, keyOf: (fields: JsonFields.JsonFields) => string) => {
  const groups = [...Map.groupBy(counted, ({ fields }) => keyOf(fields)).values()]
  const rowsOf = (group: ReadonlyArray<AnswerCount>) => group.reduce((sum, { count }) => sum + count, 0)
  const ordered = groups.toSorted(
    (a, b) => rowsOf(b) - rowsOf(a) || (keyOf(a[0]!.fields) < keyOf(b[0]!.fields) ? -1 : 1)
  )
  return ordered[0] ?? []
}

const shapeOf = ({ names }: JsonFields.JsonFields): string => JSON.stringify(names.toSorted())
const writingOf = ({ between, names }: JsonFields.JsonFields): string => JSON.stringify([names, between])

/** The fields of an object, or a list as a single field. */
const readAnswer = (text: string): JsonFields.JsonFields | undefined =>
  JsonFields.read(text) ??
  (LabelLists.read(text) === undefined ? undefined : { names: [""], values: [text.trim()], between: ["", ""] })

/** The values of a field as labels; undefined for an open set, or for values too rare to be labels. */
const labelsOf = (alike: ReadonlyArray<AnswerCount>, name: string, by: LabelRules.Bounds) => {
  const seen = new Map<string, number>()
  let rows = 0
  for (const { count, fields } of alike) {
    const value = fields.values[fields.names.indexOf(name)]!
    rows += count
    if (value.length <= by.labelCharactersMax) seen.set(value, (seen.get(value) ?? 0) + count)
  }
  const labels = LabelRules.labelsOf(seen, LabelRules.formOfJson).slice(0, by.labelsMax)
  return LabelRules.isSparse(labels, rows) || labels.length * 2 > rows ? undefined : labels
}

const valueOf = (fields: JsonFields.JsonFields | undefined, name: string): string | undefined =>
  fields?.values[fields.names.indexOf(name)]

/** The forms of a list's labels; undefined for another value, and for one with a label outside of the set. */
const formsIn = (value: string | undefined, known: ReadonlySet<string>): ReadonlySet<string> | undefined => {
  const items = value === undefined ? undefined : LabelLists.read(value)?.items.map(LabelRules.formOfJson)
  return items?.every((item) => known.has(item)) ? new Set(items) : undefined
}

/** Maps a completion to its label per question; undefined outside of the closed set. */
export const numbering = (questions: Answers["questions"]): ((text: string) => ReadonlyArray<number> | undefined) => {
  const numbers = questions.map(
    ({ labels }) => new Map(labels.flatMap(({ writings }, label) => writings.map((text) => [text, label] as const)))
  )
  const known = new Map<string, ReadonlySet<string>>()
  for (const { item, name } of questions) {
    if (item !== undefined && name !== null) known.set(name, new Set([...(known.get(name) ?? []), item]))
  }
  return (text) => {
    const fields = questions[0]?.name === null ? undefined : readAnswer(text)
    const lists = new Map([...known].map(([name, items]) => [name, formsIn(valueOf(fields, name), items)]))
    const found = questions.map(({ item, name }, index) => {
      if (name === null) return numbers[index]!.get(text)
      if (item === undefined) return numbers[index]!.get(valueOf(fields, name) ?? "")
      const present = lists.get(name)?.has(item)
      return present === undefined ? undefined : Number(present)
    })
    return found.every((label) => label !== undefined) ? found : undefined
  }
}

/** The text between the varying fields, with the constant fields' values filled in. */
const joinParts = (writing: JsonFields.JsonFields, constants: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const between = [writing.between[0]!]
  for (const [index, name] of writing.names.entries()) {
    const constant = constants.get(name)
    const behind = writing.between[index + 1]!
    if (constant === undefined) between.push(behind)
    else between.push(between.pop() + constant + behind)
  }
  return between
}

/** A field with its questions, and how they are written. */
interface ClosedField {
  readonly name: string
  readonly questions: ReadonlyArray<Question>
  readonly list: LabelLists.ListWriting | null
}

const absent = (count: number): LabelRules.Label => ({ text: "", count, writings: [""] })

/** A field with label lists as values. */
const listField = (alike: ReadonlyArray<AnswerCount>, name: string, by: LabelRules.Bounds): ClosedField | undefined => {
  const texts = alike.map(({ count, fields }) => ({ count, text: valueOf(fields, name) ?? "" }))
  const closed = LabelLists.close(texts, by)
  if (closed === undefined) return undefined
  const rows = texts.reduce((sum, { count }) => sum + count, 0)
  const questions = closed.items.map((label) => ({
    name,
    item: LabelRules.formOfJson(label.text),
    labels: [absent(rows - label.count), label]
  }))
  return { name, questions, list: closed.writing }
}

const closeField = (
  alike: ReadonlyArray<AnswerCount>,
  name: string,
  by: LabelRules.Bounds
): ClosedField | undefined => {
  const list = listField(alike, name, by)
  if (list !== undefined) return list
  const labels = labelsOf(alike, name, by)
  return labels === undefined ? undefined : { name, questions: [{ name, labels }], list: null }
}

/** The closed set of labels or label lists in the counted values of a field; undefined for an open set. */
export const closedSet = (
  seen: ReadonlyMap<string, number>,
  by: LabelRules.Bounds
): { readonly forms: ReadonlyArray<string>; readonly share: number } | undefined => {
  const alike = [...seen].map(([value, count]) => ({
    count,
    fields: { names: [""], values: [value], between: ["", ""] }
  }))
  const rows = alike.reduce((sum, { count }) => sum + count, 0)
  const field = closeField(alike, "", by)
  if (field === undefined) return undefined
  if (field.list !== null) return { forms: [], share: 1 }
  const labels = field.questions[0]?.labels ?? []
  const known = labels.reduce((sum, { count }) => sum + count, 0)
  if (rows - known > rows * by.outsideMax) return undefined
  return { forms: labels.map(({ text }) => LabelRules.formOfJson(text)), share: known / rows }
}

/** Whether the counted values of a field form a closed set of labels or label lists. */
export const isClosedField = (seen: ReadonlyMap<string, number>, by: LabelRules.Bounds): boolean =>
  closedSet(seen, by) !== undefined

const isConstant = ({ questions: [first], list }: ClosedField): boolean => list === null && first?.labels.length === 1

/** Completions with fields; `rows`: all of them. */
const readAll = (seen: LabelRules.LabelCounts) => {
  const counted: Array<AnswerCount> = []
  let rows = 0
  for (const [text, count] of seen) {
    rows += count
    const fields = text === null ? undefined : readAnswer(text)
    if (fields !== undefined) counted.push({ fields, count })
  }
  return { counted, rows }
}

/** Undefined unless the completions are objects with the same fields, each in a closed set, or lists of labels. */
export const close = (seen: LabelRules.LabelCounts, by: LabelRules.Bounds): Answers | undefined => {
  const { counted, rows } = readAll(seen)
  const alike = most(counted, shapeOf)
  const writing = most(alike, writingOf)[0]?.fields
  if (writing === undefined) return undefined
  const all = writing.names.flatMap((name) => closeField(alike, name, by) ?? [])
  if (all.length < writing.names.length) return undefined
  const varying = all.filter((field) => !isConstant(field))
  const questions = varying.flatMap((field) => field.questions)
  const numbersOf = numbering(all.flatMap((field) => field.questions))
  let known = 0
  for (const [text, count] of seen) if (text !== null && numbersOf(text) !== undefined) known += count
  if (rows - known > rows * by.outsideMax) return undefined
  const constants = new Map(
    all.filter(isConstant).map(({ name, questions: [first] }) => [name, first?.labels[0]?.text ?? ""] as const)
  )
  const slots = varying.map(({ list, questions }) => ({ questions: questions.length, list }))
  return {
    questions,
    between: joinParts(writing, constants),
    ...(slots.some(({ list }) => list !== null) ? { slots } : {}),
    odd: rows - known
  }
}
