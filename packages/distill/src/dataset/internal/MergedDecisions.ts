/**
 * The decisions of lines with equal messages as one row: questions united, repeated answers of the teacher averaged, feedback
 * before both (contract 16.20).
 */
import type { QuestionId, RowDecision } from "@limbeck/capture/dialect/decisions/Question"
import type * as Schema from "effect/Schema"
import type { RowOrigin } from "./RowLine.ts"

export interface MergedRow {
  readonly messages: ReadonlyArray<Schema.Json>
  readonly decisions: ReadonlyArray<RowDecision>
  readonly redactions: number
  /** Of the first line. */
  readonly origin: RowOrigin | null
  /** Lines beyond the first. */
  readonly repeats: number
}

interface QuestionAnswers {
  readonly first: RowDecision
  readonly sums: Array<number>
  answers: number
  refusals: number
  truth: RowDecision | undefined
}

/** Without the noise of binary fractions. */
const plain = (value: number): number => Number(value.toFixed(12))

const merged = ({ answers, first, refusals, sums, truth }: QuestionAnswers): RowDecision =>
  truth ?? {
    ...first,
    probabilities: answers === 0 ? null : sums.map((sum) => plain(sum / answers)),
    // Refusals are no label: a question that was answered once has that answer.
    refusal: answers === 0 && refusals > 0
  }

export class MergedDecisions {
  readonly #questions = new Map<QuestionId, QuestionAnswers>()

  /** The first correction of a question stands. */
  add(decisions: ReadonlyArray<RowDecision>): void {
    for (const decision of decisions) {
      const of = this.#of(decision)
      if (decision.source === "feedback") of.truth ??= decision
      else if (decision.probabilities !== null) {
        of.answers++
        for (const [at, probability] of decision.probabilities.entries()) of.sums[at] = (of.sums[at] ?? 0) + probability
      } else if (decision.refusal) of.refusals++
    }
  }

  #of(decision: RowDecision): QuestionAnswers {
    const known = this.#questions.get(decision.question)
    if (known !== undefined) return known
    const made: QuestionAnswers = { first: decision, sums: [], answers: 0, refusals: 0, truth: undefined }
    this.#questions.set(decision.question, made)
    return made
  }

  /** One decision for each question, in the order of the lines. */
  get decisions(): ReadonlyArray<RowDecision> {
    return [...this.#questions.values()].map(merged)
  }
}
