/** Collects what a student of decisions says to the holdout, and what the same requests cost with the teacher. */
import type { CallStore } from "@limbeck/capture/call/CallStore"
import * as Effect from "effect/Effect"
import type { StageContext } from "../../run/Executor.ts"
import type { DecidedRow, SecondAnswer } from "../DecidedRow.ts"
import * as DecisionEvaluation from "../DecisionEvaluation.ts"
import type { TeacherCall } from "../Evaluation.ts"
import * as RequestCosts from "../RequestCosts.ts"
import * as TeacherCalls from "./TeacherCalls.ts"

type KeyedRow = DecidedRow & { readonly key: string }

const endpoints = ["decisions", "systemone"] as const

const meanCostOf = (calls: ReadonlyArray<TeacherCall>): number | null => {
  const costs = calls.flatMap(({ teacherCostUsd }) => teacherCostUsd ?? [])
  return costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0) / costs.length
}

export const make = (calls: CallStore["Service"], context: StageContext) => {
  const rows: Array<KeyedRow> = []
  const secondAnswers = new Map<string, ReadonlyArray<SecondAnswer>>()
  const withSecond = ({ key, ...row }: KeyedRow): DecidedRow => {
    const again = secondAnswers.get(key)
    return again === undefined ? row : { ...row, again }
  }
  return {
    decide: (decided: KeyedRow) => {
      rows.push(decided)
    },
    repeatDecisions: (key: string, answers: ReadonlyArray<SecondAnswer>) => {
      secondAnswers.set(key, answers)
    },
    decisions: Effect.gen(function* () {
      if (rows.length === 0) return null
      const captured = yield* TeacherCalls.find(calls, context, endpoints)
      const costs = RequestCosts.make(meanCostOf(captured), yield* TeacherCalls.requestsForDecisions(calls, context))
      return DecisionEvaluation.summarize(rows.map(withSecond), context.version.questions ?? [], costs)
    })
  }
}
