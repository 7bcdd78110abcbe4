/**
 * The parts of decision rows that are held back in turn. A part takes equally many rows of each answer, at most one of a rare one.
 * Random parts would leave less to learn of just the answers that are held back: with two rows of each answer, a model of one
 * of them is asked for it beside answers with two, and its confidence says nothing about a student of all rows.
 */
import type { Settings } from "../Settings.ts"
import type { Head, Targets } from "./Targets.ts"

/** The questions of a training set, and by row the distributions of its answers. */
interface AnsweredRows {
  readonly heads: ReadonlyArray<Head>
  readonly targets: ReadonlyArray<Targets>
}

/** Rows to learn from, and rows to judge by. */
interface Split {
  readonly training: Uint32Array
  readonly validation: Uint32Array
}

type Bounds = Pick<Settings, "validationFraction" | "validationMax">

/** The place among all options of the row's answer: the most probable option of its question with the most options. */
const answerOf = ({ heads }: Pick<AnsweredRows, "heads">, targets: Targets): number => {
  const sizeOf = (head: number) => heads[head]!.to - heads[head]!.from
  const [first, ...others] = targets
  if (first === undefined) return -1
  const { head, probabilities } = others.reduce(
    (widest, target) => (sizeOf(target.head) > sizeOf(widest.head) ? target : widest),
    first
  )
  return heads[head]!.from + probabilities.indexOf(Math.max(...probabilities))
}

/** By row its part. -1: the only row of its answer, from which the student always learns. */
const partOfRows = (questions: AnsweredRows, parts: number): Int32Array => {
  const answers = questions.targets.map((targets) => answerOf(questions, targets))
  const counts = new Map<number, number>()
  const ranks = answers.map((answer) => {
    const rank = counts.get(answer) ?? 0
    counts.set(answer, rank + 1)
    return rank
  })
  return Int32Array.from(ranks, (rank, row) => (counts.get(answers[row]!) === 1 ? -1 : rank % parts))
}

const partsMax = (rows: number, { validationFraction, validationMax }: Bounds): number =>
  Math.max(Math.floor(1 / validationFraction), Math.ceil(rows / validationMax))

/** Parts with rows. */
export const count = (questions: AnsweredRows, bounds: Bounds): number =>
  Math.max(0, ...new Set(partOfRows(questions, partsMax(questions.targets.length, bounds)))) + 1

export const carve = (questions: AnsweredRows, bounds: Bounds, part: number): Split => {
  const parts = partOfRows(questions, partsMax(questions.targets.length, bounds))
  const rows = Uint32Array.from(parts, (_, row) => row)
  return { training: rows.filter((row) => parts[row] !== part), validation: rows.filter((row) => parts[row] === part) }
}
