/** What the builtin student says to the questions of a holdout row. */
import type { Row } from "@limbeck/distill/dataset/Row"
import type { DecidedRow, StudentAnswer } from "@limbeck/distill/report/DecidedRow"
import type { Prediction } from "../Model.ts"
import { exampleOf } from "../RowReading.ts"
import type { QuestionHead } from "./Questions.ts"
import type { Turn } from "./Text.ts"

interface DecidingModel {
  readonly predict: (turns: ReadonlyArray<Turn>) => Pick<Prediction, "distribution" | "isNew">
}

export const of = (model: DecidingModel, heads: ReadonlyArray<QuestionHead>, row: Row): DecidedRow => {
  const asked = new Set<string>(row.decisions?.map(({ question }) => question))
  const { distribution, isNew } = model.predict(exampleOf(row).turns)
  const answers = heads
    .filter(({ question }) => asked.has(question))
    .map(
      ({ from, question, threshold, to }): StudentAnswer => ({
        question,
        threshold,
        probabilities: distribution.slice(from, to).map(({ probability }) => probability)
      })
    )
  return { row, answers, isNew }
}
