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

/** Trains on rows, and returns a function that labels others. */
export const train = (rows: ReadonlyArray<Ticket>): ((others: ReadonlyArray<Ticket>) => ReadonlyArray<string>) => {
  const vocabulary = vocabularyOf(rows)
  const labels = [...new Set(rows.map(({ completion }) => completion))]
  /** A column per word, and a constant 1. */
  const featuresOf = (some: ReadonlyArray<Ticket>): Matrix => {
    const features = Matrix.zeros(some.length, vocabulary.size + 1)
    for (const [row, ticket] of some.entries()) {
      features.set(row, vocabulary.size, 1)
      for (const word of wordsOf(ticket)) {
        const column = vocabulary.get(word)
        if (column !== undefined) features.set(row, column, 1)
      }
    }
    return features
  }
  const { learningRate, numSteps } = options
  const classifier: Classifier = new LogisticRegression({ numSteps, learningRate })
  classifier.train(featuresOf(rows), Matrix.columnVector(rows.map(({ completion }) => labels.indexOf(completion))))
  return (others) => classifier.predict(featuresOf(others)).map((label) => labels[label] ?? "")
}
