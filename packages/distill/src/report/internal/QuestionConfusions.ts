/** Pairs of options that teacher and student differ in, by question of decisions. Pure. */
import * as NumberRules from "@limbeck/capture/dialect/decisions/NumberRules"
import type { Option } from "@limbeck/capture/dialect/decisions/Question"
import * as Schema from "effect/Schema"
import type { JudgedRow } from "../statistics/DecisionFigures.ts"
import * as LabelFigures from "./LabelFigures.ts"

/** The most frequent first. */
export const Confusions = Schema.Array(LabelFigures.Confusion)

/** Of rows that both answer. */
export const of = (options: ReadonlyArray<Option>, rows: ReadonlyArray<JudgedRow>): typeof Confusions.Type => {
  const formed = rows.map(({ student, teacher }) => {
    const [own, other] = [NumberRules.mostProbable(student), NumberRules.mostProbable(teacher)]
    return { student: String(own), teacher: String(other), agrees: own === other }
  })
  return LabelFigures.confusionsOf(formed, (position) => String(options[Number(position)]?.value))
}
