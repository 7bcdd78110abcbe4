/** Sets a student's distributions beside the teacher's, question by question (contract 16.27). */
import * as AgreementCurve from "@limbeck/distill/report/AgreementCurve"
import * as DecisionFigures from "@limbeck/distill/report/statistics/DecisionFigures"
import type { Model } from "../Model.ts"
import type { Example } from "./Examples.ts"
import type { QuestionHead } from "./Questions.ts"

export interface DecisionEvaluation {
  readonly add: (example: Example) => void
  /** By question, in the order of the model. */
  readonly figures: () => ReadonlyArray<ReturnType<typeof render>>
}

const share = (count: number, all: number): number | null => (all === 0 ? null : count / all)

const render = (head: QuestionHead, rows: ReadonlyArray<DecisionFigures.JudgedRow>) => {
  const { kind, name, question, threshold } = head
  const figures = DecisionFigures.of(kind, rows)
  const all = { answered: rows.length, agreed: figures?.agreed ?? 0 }
  const alone = threshold === null ? 0 : rows.filter(({ student }) => Math.max(...student) >= threshold).length
  return {
    question,
    name,
    kind,
    rows: rows.length,
    agreement: AgreementCurve.intervalOf(all),
    brier: figures?.brier ?? null,
    log_loss: figures?.logLoss ?? null,
    calibration_error: figures?.calibrationError ?? null,
    auc: figures?.auc ?? null,
    mean_absolute_error: figures?.meanAbsoluteError ?? null,
    ranked_probability_score: figures?.rankedProbabilityScore ?? null,
    threshold,
    coverage: share(alone, rows.length),
    curve: (figures?.curve ?? []).map(({ agreed, answered, threshold }) => ({
      threshold,
      coverage: share(answered, rows.length),
      agreement: share(agreed, answered)
    }))
  }
}

export const make = (model: Model, heads: ReadonlyArray<QuestionHead>): DecisionEvaluation => {
  const judged = heads.map((): Array<DecisionFigures.JudgedRow> => [])
  return {
    add: ({ targets = [], turns }) => {
      if (targets.length === 0) return
      const distribution = model.predict(turns).distribution.map(({ probability }) => probability)
      for (const { head, probabilities } of targets) {
        const { from, to } = heads[head]!
        judged[head]!.push({ student: distribution.slice(from, to), teacher: probabilities })
      }
    },
    figures: () => heads.map((head, at) => render(head, judged[at]!))
  }
}
