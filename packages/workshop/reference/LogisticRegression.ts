/** The reference for the builtin student: plain logistic regression of a public library on the most frequent words. */

import type { Ticket } from "@limbeck/testing/fixtures/Tickets"
// @ts-expect-error The library ships no types; `Classifier` is what we use of it.
import LogisticRegression from "ml-logistic-regression"
import { Matrix } from "ml-matrix"

interface Classifier {
  readonly train: (features: Matrix, target: Matrix) => void
  readonly predict: (features: Matrix) => ReadonlyArray<number>
}

/** More words or steps take longer and, measured on the tickets of the tests, change the accuracy by under half a point. */
const options = { words: 400, numSteps: 80, learningRate: 2e-3 }

const wordsOf = ({ messages }: Ticket): ReadonlyArray<string> =>
  messages
    .at(-1)
    ?.content.toLowerCase()
    .match(/[a-z0-9]+/g) ?? []

const vocabularyOf = (rows: ReadonlyArray<Ticket>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const row of rows) for (const word of new Set(wordsOf(row))) counts.set(word, (counts.get(word) ?? 0) + 1)
  const frequent = [...counts].sort((a, b) => b[1] - a[1]).slice(0, options.words)
  return new Map(frequent.map(([word], index) => [word, index]))
}

type Places = ReadonlyArray<ReadonlyArray<number>>

/** For each column, the rows with a one in it. */
const transposed = (places: Places, columns: number): Places => {
  const rows = Array.from({ length: columns }, (): Array<number> => [])
  for (const [row, ones] of places.entries()) for (const column of ones) rows[column]?.push(row)
  return rows
}

/**
 * A matrix of zeros and ones that multiplies a column in the time of its ones, and is transposed once for all steps of a training.
 * The library's own product visits every zero. Both give the same sums to the last bit: a zero adds nothing.
 */
class BinaryMatrix extends Matrix {
  private readonly places: Places
  private turned: BinaryMatrix | undefined

  /** `places`: for each row, the columns of its ones in ascending order. */
  constructor(places: Places, columns: number) {
    super(places.length, columns)
    this.places = places
    for (const [row, ones] of places.entries()) for (const column of ones) this.set(row, column, 1)
  }

  override mmul(column: Matrix): Matrix {
    return Matrix.columnVector(this.places.map((ones) => ones.reduce((sum, at) => sum + column.get(at, 0), 0)))
  }

  override transpose(): Matrix {
    this.turned ??= new BinaryMatrix(transposed(this.places, this.columns), this.rows)
    return this.turned
  }
}

/** Trains on rows, and returns a function that labels others. */
export const train = (rows: ReadonlyArray<Ticket>): ((others: ReadonlyArray<Ticket>) => ReadonlyArray<string>) => {
  const vocabulary = vocabularyOf(rows)
  const labels = [...new Set(rows.map(({ completion }) => completion))]
  /** A column per word, and a constant 1. */
  const featuresOf = (some: ReadonlyArray<Ticket>): Matrix => {
    const places = some.map((ticket) => {
      const columns = new Set(wordsOf(ticket).flatMap((word) => vocabulary.get(word) ?? []))
      return [...columns, vocabulary.size].toSorted((a, b) => a - b)
    })
    return new BinaryMatrix(places, vocabulary.size + 1)
  }
  const { learningRate, numSteps } = options
  const classifier: Classifier = new LogisticRegression({ numSteps, learningRate })
  classifier.train(featuresOf(rows), Matrix.columnVector(rows.map(({ completion }) => labels.indexOf(completion))))
  return (others) => classifier.predict(featuresOf(others)).map((label) => labels[label] ?? "")
}
