/**
 * The questions of a classifier (contract 5): one label of a closed set or, for completions that are JSON objects with the
 * same fields, one value per varying field, each with its own closed set. A list of labels is a question for each label: whether
 * it is present. Calls of several tools are a question for the tool, and questions for the arguments of each. Separate questions
 * allow combinations absent from the rows, and keep the number of labels small.
 */
import * as Result from "effect/Result"
import * as AnswerFields from "./AnswerFields.ts"
import type { Answers, AnswerWriting, CallVariant, Question, WrittenVariant } from "./Answers.ts"
import * as CallVariants from "./CallVariants.ts"
import * as JsonFields from "./JsonFields.ts"
import * as LabelLists from "./LabelLists.ts"
import * as LabelRules from "./LabelRules.ts"

/** In place of a label, for a question that a row does not answer. */
export const unasked = 0xffff

/** The text of an answer with these labels, one for each question. */
export const write = ({ between, slots, variants }: AnswerWriting, labels: ReadonlyArray<string>): string => {
  if (variants !== undefined) {
    const [first = ""] = labels
    const variant = variants.find(({ label }) => label === first)
    return variant === undefined ? first : write(variant, labels.slice(variant.from, variant.to))
  }
  if (slots === undefined) return JsonFields.write(between, labels)
  let at = 0
  const values = slots.map(({ list, questions }) => {
    const own = labels.slice(at, at + questions)
    at += questions
    return list === null
      ? own.join("")
      : LabelLists.write(
          list,
          own.filter((label) => label !== "")
        )
  })
  return JsonFields.write(between, values)
}

/** Maps a completion to its label per question, `unasked` for those of other tools; undefined outside of the closed set. */
export const numbering = ({
  calls,
  questions
}: Pick<Answers, "calls" | "questions">): ((text: string) => ReadonlyArray<number> | undefined) =>
  calls === undefined ? AnswerFields.numbering(questions) : numberingOfCalls(questions, calls)

const numberingOfCalls = (questions: Answers["questions"], calls: ReadonlyArray<CallVariant>) => {
  const labels = questions[0]?.labels ?? []
  const numbers = new Map(labels.flatMap(({ writings }, label) => writings.map((key) => [key, label] as const)))
  const byLabel = new Map(
    calls.map(({ answers, label }) => [
      labels.findIndex(({ text }) => text === label),
      AnswerFields.numbering(answers.questions)
    ])
  )
  return (text: string): ReadonlyArray<number> | undefined => {
    const label = numbers.get(CallVariants.keyOf(text))
    if (label === undefined) return undefined
    const own = byLabel.get(label)?.(text) ?? (byLabel.has(label) ? undefined : [])
    if (own === undefined) return undefined
    const left = own.values()
    return [label, ...questions.slice(1).map(({ when }) => (when === label ? (left.next().value ?? 0) : unasked))]
  }
}

/** Undefined unless the completions have fields, and answer more than one question. */
const closeFields = (seen: LabelRules.LabelCounts, by: LabelRules.Bounds): Answers | undefined => {
  const closed = AnswerFields.close(seen, by)
  return closed === undefined || closed.questions.length < 2 ? undefined : closed
}

/** The field of a call that a person reads: of its tool, or of the tool with these arguments. */
const argumentName = (key: string, keys: ReadonlyArray<string>, name: string): string => {
  const { names, tool } = CallVariants.readKey(key)
  const isOnly = keys.filter((one) => CallVariants.readKey(one).tool === tool).length === 1
  return `${tool}${isOnly ? "" : `(${names.join(",")})`}/${name.split("/").slice(2).join("/")}`
}

/** Undefined unless the completions are calls of several tools with arguments from closed sets. */
const closeCalls = (seen: LabelRules.LabelCounts, by: LabelRules.Bounds): Answers | undefined => {
  const closed = CallVariants.close(seen, by, (calls) => AnswerFields.close(calls, by))
  if (closed === undefined) return undefined
  const { labels, variants: calls } = closed
  const keys = calls.map(({ label }) => label)
  const questions: Array<Question> = [{ name: "$tool_call/name", labels }]
  const variants = calls.map(({ answers, label }): WrittenVariant => {
    const { between, slots } = answers
    const when = labels.findIndex(({ text }) => text === label)
    const from = questions.length
    for (const question of answers.questions) {
      questions.push({ ...question, name: argumentName(label, keys, question.name ?? ""), when })
    }
    return { label, from, to: questions.length, between, ...(slots === undefined ? {} : { slots }) }
  })
  const numbersOf = numbering({ questions, calls })
  let [rows, known] = [0, 0]
  for (const [text, count] of seen) {
    rows += count
    if (text !== null && numbersOf(text) !== undefined) known += count
  }
  if (rows - known > rows * by.outsideMax) return undefined
  return { questions, between: [], variants, calls, odd: rows - known }
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
  const fields = closeFields(seen, by) ?? closeCalls(seen, by)
  if (fields !== undefined) return Result.succeed(fields)
  return Result.map(LabelRules.close(seen, by), ({ labels, odd }) => ({
    questions: [{ name: null, labels }],
    between: ["", ""],
    odd
  }))
}

/** For a person: of a label of a list its field and itself. */
export const nameOf = ({ item, labels, name }: Question): string =>
  item === undefined ? (name ?? "") : `${name ?? ""}[${labels.at(-1)?.text ?? item}]`

/** Labels of all questions, and their writings beside the usual ones. */
export const countOf = ({
  questions
}: Pick<Answers, "questions">): { readonly labels: number; readonly variants: number } => {
  const all = questions.flatMap(({ labels }) => labels)
  return { labels: all.length, variants: all.reduce((sum, { writings }) => sum + writings.length - 1, 0) }
}
