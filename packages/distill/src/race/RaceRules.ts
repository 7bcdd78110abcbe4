/** The figures of candidates, and the cheapest way to answer that is good enough (contract 16.14). Pure. */
import type { Candidate } from "../recipe/Recipe.ts"
import * as AgreementCurve from "../report/AgreementCurve.ts"
import type { Evaluation, NamedReward } from "../report/Evaluation.ts"
import { percentiles } from "../report/statistics/internal/Quantiles.ts"
import type { CandidateResult, CheapestAlternative } from "./Race.ts"

/** What a candidate said to one row. */
export interface CandidateItem {
  /** Whether an answer came. */
  readonly isAnswered: boolean
  readonly agrees: boolean
  readonly latencyMillis: number
  /** In micro-dollars; null without a price. */
  readonly costMicros: number | null
  /** In the order of the rewards. */
  readonly scores: ReadonlyArray<number | null>
}

const mean = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

const given = (values: ReadonlyArray<number | null>): ReadonlyArray<number> => values.filter((value) => value !== null)

/** A thousand calls at this mean cost of one, in US dollars. */
const perThousandUsd = (micros: number | null): number | null =>
  micros === null ? null : Math.round(micros * 1_000) / 1e6

const latencyOf = (millis: ReadonlyArray<number>): CandidateResult["latency_ms"] => {
  const found = percentiles(millis, [50, 95])
  return found === undefined ? null : { p50: found[0] ?? 0, p95: found[1] ?? 0 }
}

export const resultOf = (
  { model, source }: Candidate,
  items: ReadonlyArray<CandidateItem>,
  rewards: ReadonlyArray<NamedReward>
): CandidateResult => {
  const answered = items.filter(({ isAnswered }) => isAnswered)
  const agreed = items.filter(({ agrees }) => agrees).length
  return {
    source,
    model,
    agreement: AgreementCurve.intervalOf({ agreed, answered: items.length }),
    rewards: rewards.map((reward, index) => ({
      ...reward,
      score: mean(given(answered.map(({ scores }) => scores[index] ?? null)))
    })),
    cost_per_1000_calls_usd: perThousandUsd(mean(given(answered.map(({ costMicros }) => costMicros)))),
    latency_ms: latencyOf(answered.map(({ latencyMillis }) => latencyMillis)),
    answered: answered.length,
    failed: items.length - answered.length
  }
}

/** Of a rehearsal, which asks nobody. */
export const estimateResult = ({ model, source }: Candidate, costMicros: number | null): CandidateResult => ({
  source,
  model,
  agreement: null,
  rewards: [],
  cost_per_1000_calls_usd: perThousandUsd(costMicros),
  latency_ms: null,
  answered: 0,
  failed: 0
})

/** How many points, as a share, the lower bound may lie below the reference. */
const margin = 0.02
/** What costs at most this much more is tied. */
const tie = 1.01
/** Shares are quotients: equal ones may differ in the last digits. */
const tolerance = 1e-9

interface Entry {
  readonly kind: CheapestAlternative["kind"]
  readonly name: string
  readonly low: number
  readonly costUsd: number | null
}

/** What is known of student and teacher; null: the run evaluates no student. */
export interface Rivals {
  readonly student: { readonly name: string; readonly evaluation: Evaluation } | null
  /** US dollars; null if unknown. */
  readonly teacherCostPer1000Usd: number | null
  /** The teacher's agreement with itself; null if unknown. */
  readonly teacherItself: number | null
}

const studentEntries = ({ student, teacherCostPer1000Usd: teacher }: Rivals): ReadonlyArray<Entry> => {
  if (student === null) return []
  const { evaluation, name } = student
  const own: Entry = {
    kind: "student",
    name,
    low: evaluation.accuracy.interval?.low ?? 0,
    costUsd: evaluation.cost_per_1000_calls_usd.student
  }
  const recommended = evaluation.recommendation
  const saving = recommended?.saving_usd_per_1000
  if (!recommended || !saving || teacher === null) return [own]
  return [own, { kind: "cascade", name, low: recommended.agreement.low, costUsd: teacher - saving.value }]
}

export const cheapest = (results: ReadonlyArray<CandidateResult>, rivals: Rivals): CheapestAlternative | null => {
  const reference = rivals.teacherItself ?? 1
  const entries: ReadonlyArray<Entry> = [
    ...studentEntries(rivals),
    ...results.map(
      ({ agreement, cost_per_1000_calls_usd: costUsd, model, source }): Entry => ({
        kind: "candidate",
        name: `${source}/${model}`,
        low: agreement?.low ?? 0,
        costUsd
      })
    ),
    { kind: "teacher", name: "teacher", low: reference, costUsd: rivals.teacherCostPer1000Usd }
  ]
  const good = entries
    .flatMap(({ costUsd, ...entry }) => (costUsd === null ? [] : [{ ...entry, costUsd }]))
    .filter(({ low }) => reference - low <= margin + tolerance)
    .toSorted((a, b) => a.costUsd - b.costUsd)
  const [first, ...others] = good
  if (first === undefined) return null
  return {
    kind: first.kind,
    name: first.name,
    cost_per_1000_calls_usd: Math.round(first.costUsd * 1e6) / 1e6,
    within_points: reference - first.low,
    tied_with: others.filter(({ costUsd }) => costUsd <= first.costUsd * tie).map(({ name }) => name)
  }
}
