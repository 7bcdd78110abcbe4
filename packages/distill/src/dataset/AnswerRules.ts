/**
 * The questions of a classifier (contract 5): one label of a closed set or, for completions that are JSON objects with the
 * same fields, one value per varying field, each with its own closed set. Separate fields allow combinations absent from
 * the rows, and keep the number of labels small.
 */
import * as Result from "effect/Result"
import * as JsonFields from "./JsonFields.ts"
import * as LabelRules from "./LabelRules.ts"

interface Question {
  /** Of the field; null: the completion as a whole. */
  readonly name: string | null
  readonly labels: ReadonlyArray<LabelRules.Label>
}

export interface Answers {
  readonly questions: ReadonlyArray<Question>
  /** What an answer says before the label of each question, and behind the last. */
  readonly between: ReadonlyArray<string>
  /** Rows outside of the closed set. */
  readonly odd: number
}

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

/** Maps a completion to its label per question; undefined outside of the closed set. */
export const numbering = ({
  questions
}: Pick<Answers, "questions">): ((text: string) => ReadonlyArray<number> | undefined) => {
  const numbers = questions.map(
    ({ labels }) => new Map(labels.flatMap(({ writings }, label) => writings.map((text) => [text, label] as const)))
  )
  return (text) => {
    const fields = questions[0]?.name === null ? undefined : JsonFields.read(text)
    const found = questions.map(({ name }, index) => {
      const value = name === null ? text : fields?.values[fields.names.indexOf(name)]
      return value === undefined ? undefined : numbers[index]!.get(value)
    })
    return found.every((label) => label !== undefined) ? found : undefined
  }
}

/** The text between the varying fields, with the constant fields' values filled in. */
const joined = (writing: JsonFields.JsonFields, constants: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const between = [writing.between[0]!]
  for (const [index, name] of writing.names.entries()) {
    const constant = constants.get(name)
    const behind = writing.between[index + 1]!
    if (constant === undefined) between.push(behind)
    else between.push(between.pop() + constant + behind)
  }
  return between
}

/** Undefined unless the completions are objects with the same fields, of which several vary, each in a closed set. */
const closeFields = (seen: LabelRules.LabelCounts, by: LabelRules.Bounds): Answers | undefined => {
  const counted: Array<AnswerCount> = []
  let rows = 0
  for (const [text, count] of seen) {
    rows += count
    const fields = text === null ? undefined : JsonFields.read(text)
    if (fields !== undefined) counted.push({ fields, count })
  }
  const alike = most(counted, shapeOf)
  const writing = most(alike, writingOf)[0]?.fields
  if (writing === undefined) return undefined
  const all = writing.names.flatMap((name) => {
    const labels = labelsOf(alike, name, by)
    return labels === undefined ? [] : [{ name, labels }]
  })
  if (all.length < writing.names.length) return undefined
  const questions = all.filter(({ labels }) => labels.length > 1)
  const numbersOf = numbering({ questions: all })
  let known = 0
  for (const [text, count] of seen) if (text !== null && numbersOf(text) !== undefined) known += count
  if (questions.length < 2 || rows - known > rows * by.outsideMax) return undefined
  const constants = new Map(
    all.flatMap(({ labels, name }) => (labels.length === 1 ? [[name, labels[0]!.text] as const] : []))
  )
  return { questions, between: joined(writing, constants), odd: rows - known }
}

const noFields: ReadonlySet<string> = new Set()

/**
 * The questions that these completions answer. A failure reports how far the completions are from a closed set. `taken`: the fields
 * with numbers from the request (`TakenNumbers`), which close no set.
 */
export const close = (
  seen: LabelRules.LabelCounts,
  by: LabelRules.Bounds = LabelRules.bounds,
  taken = noFields
): Result.Result<Answers, LabelRules.OpenSet> => {
  if (taken.size > 0) {
    const outside = [...seen.values()].reduce((sum, count) => sum + count, 0)
    return Result.fail({ outside, different: seen.size, taken: [...taken].sort() })
  }
  const fields = closeFields(seen, by)
  if (fields !== undefined) return Result.succeed(fields)
  return Result.map(LabelRules.close(seen, by), ({ labels, odd }) => ({
    questions: [{ name: null, labels }],
    between: ["", ""],
    odd
  }))
}

/** Labels of all questions, and their writings beside the usual ones. */
export const countOf = ({
  questions
}: Pick<Answers, "questions">): { readonly labels: number; readonly variants: number } => {
  const all = questions.flatMap(({ labels }) => labels)
  return { labels: all.length, variants: all.reduce((sum, { writings }) => sum + writings.length - 1, 0) }
}
