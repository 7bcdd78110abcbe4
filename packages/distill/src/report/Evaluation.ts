/** What an evaluation found on the holdout: quality per reward, agreement, calibration, latency and cost. Pure. */
import * as Schema from "effect/Schema"
import type { Run } from "../run/Run.ts"
import * as Advice from "./Advice.ts"
import * as AgreementCurve from "./AgreementCurve.ts"
import * as FeedbackQuality from "./FeedbackQuality.ts"
import * as HeldOutAnswers from "./HeldOutAnswers.ts"
import * as Recommendation from "./Recommendation.ts"
import * as ConfidenceMap from "./statistics/ConfidenceMap.ts"
import * as Calibration from "./statistics/internal/Calibration.ts"
import * as Comparison from "./statistics/internal/Comparison.ts"
import { perThousandCalls } from "./statistics/internal/Costs.ts"
import * as Intervals from "./statistics/internal/Intervals.ts"
import { summarize } from "./statistics/internal/Quantiles.ts"
import * as Weights from "./statistics/Weights.ts"
import * as TemplateFigures from "./TemplateFigures.ts"

/** A 95 % interval; `method` names its statistical method. */
const Interval = Schema.Struct({ low: Schema.Finite, high: Schema.Finite, method: Schema.String })

const Score = Schema.NullOr(Schema.Finite)

const RewardScore = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  kind: Schema.String,
  /** Mean scores, from 0 to 1, of the student's answers and of the rows' completions; null without scores. */
  student: Score,
  teacher: Score,
  /** Interval of the student's mean. */
  interval: Schema.NullOr(Interval),
  teacher_interval: Schema.NullOr(Interval),
  /** Of the mean of student less teacher, row by row. */
  difference: Score,
  difference_interval: Schema.NullOr(Interval),
  wins: Schema.Int,
  ties: Schema.Int,
  losses: Schema.Int,
  /** Student answers without a score, excluded from the figures above. */
  unscored: Schema.Int
})
type RewardScore = typeof RewardScore.Type

const Latency = Schema.Struct({
  count: Schema.Int,
  mean: Schema.Finite,
  p50: Schema.Finite,
  p90: Schema.Finite,
  p95: Schema.Finite,
  p99: Schema.Finite,
  max: Schema.Finite
})

const Bin = Schema.Struct({
  from: Schema.Finite,
  to: Schema.Finite,
  count: Schema.Int,
  confidence: Score,
  accuracy: Score
})

const Worst = Schema.Struct({
  /** The row's key in its version. */
  row: Schema.String,
  prompt: Schema.String,
  student: Schema.String,
  teacher: Schema.String,
  confidence: Score,
  /** The student's, by the reward's id. */
  scores: Schema.Record(Schema.String, Score)
})

/** How the confidence that a student tells is read. */
export const ToldConfidence = Schema.Struct({
  ...ConfidenceMap.ConfidenceMap.fields,
  /** Null: a trainer told it, not an endpoint. */
  from: Schema.NullOr(Schema.Literals(["service", "tokens"]))
})
export type ToldConfidence = typeof ToldConfidence.Type

export const Evaluation = Schema.Struct({
  rows: Schema.Int,
  /** How many rows of equal weight tell as much. Absent in older evaluations. */
  effective_rows: Schema.optionalKey(Schema.Finite),
  rewards: Schema.Array(RewardScore),
  /** Share of answers in agreement with the row's completion, by weight; `correct` is a count of rows. */
  accuracy: Schema.Struct({ value: Schema.Finite, interval: Schema.NullOr(Interval), correct: Schema.Int }),
  /** Quality by reviewers' feedback, beside the agreement; null without feedback. Absent in older evaluations. */
  reviewed: Schema.optionalKey(Schema.NullOr(FeedbackQuality.FeedbackQuality)),
  /** Effective rows with the most frequent completion: the score of a constant answer. Absent in older evaluations. */
  mostFrequent: Schema.optionalKey(Schema.Int),
  /** Calibration of the confidence; null for a student without confidence. */
  calibration: Schema.NullOr(Schema.Struct({ expected_error: Schema.Finite, bins: Schema.Array(Bin) })),
  /**
   * Milliseconds. The teacher's latency comes from `metadata.latency_ms` of the rows, else from similar captured calls.
   */
  latency_ms: Schema.Struct({ student: Schema.NullOr(Latency), teacher: Schema.NullOr(Latency) }),
  /** US dollars. The student's is its latency at the run's price, or what its endpoint costs; the teacher's is what rows say in `metadata.cost_usd`, else likewise. */
  cost_per_1000_calls_usd: Schema.Struct({ student: Score, teacher: Score }),
  worst_examples: Schema.Array(Worst),
  /**
   * How the confidence is read: the map from the told to the calibrated one that the figures use, and how an endpoint tells
   * it. Null: no answer told one. Absent for a student whose own confidence is calibrated, and in older evaluations.
   */
  told_confidence: Schema.optionalKey(Schema.NullOr(ToldConfidence)),
  /** Absent in older evaluations. */
  agreement_at: Schema.optionalKey(AgreementCurve.AgreementCurve),
  /** Absent in older evaluations. */
  held_out: Schema.optionalKey(HeldOutAnswers.HeldOutAnswers),
  /** By system prompt; absent for a student that knows none, and in older evaluations. */
  templates: Schema.optionalKey(Schema.Array(TemplateFigures.TemplateFigures)),
  /** These three are absent in older evaluations. */
  teacher_itself: Schema.optionalKey(Schema.NullOr(Recommendation.TeacherItself)),
  recommendation: Schema.optionalKey(Schema.NullOr(Recommendation.Recommendation)),
  recommendation_reason: Schema.optionalKey(Schema.String),
  /** Whether the student pays. Absent in older evaluations. */
  advice: Schema.optionalKey(Advice.Advice)
})
export type Evaluation = typeof Evaluation.Type

/** One answer, scored. */
export interface Item extends Weights.WeightedRow {
  readonly row: string
  readonly prompt: string
  readonly student: string
  readonly teacher: string
  readonly agrees: boolean
  readonly latencyMillis: number
  readonly confidence: number | null
  /** How an endpoint told it; absent otherwise. */
  readonly confidenceFrom?: NonNullable<ToldConfidence["from"]>
  /** Cost of a student behind an endpoint; null if unknown. */
  readonly studentCostMicros?: number | null
  /** The key of the prompt in comparisons with other students; absent for a row without a prompt. */
  readonly heldOutKey?: string | undefined
  /** The id of its system prompt, as far as the student knows it. */
  readonly template?: string
  /** A key per distinct prompt; absent if the version drops equal rows. */
  readonly promptKey?: string | null
  /** The teacher's answer when it was asked again; absent if it was not. */
  readonly again?: string
  /** The reviewers' verdict; null or absent without feedback. */
  readonly verdict?: FeedbackQuality.Verdict | null
  /** In the order of the rewards. */
  readonly scores: ReadonlyArray<Comparison.Pair>
  readonly teacherLatencyMillis: number | null
  readonly teacherCostUsd: number | null
}

/** Latency and cost of a teacher's call; null if unknown. */
export type TeacherCall = Pick<Item, "teacherLatencyMillis" | "teacherCostUsd">

export interface NamedReward {
  readonly id: string
  readonly name: string
  readonly kind: string
}

const worstMax = 10
const excerptMax = 500

const excerpt = (text: string): string => (text.length > excerptMax ? `${text.slice(0, excerptMax)}…` : text)

const given = <A>(values: ReadonlyArray<A | null>): ReadonlyArray<A> => values.filter((value) => value !== null)

const rewardScore = (reward: NamedReward, pairs: ReadonlyArray<Comparison.Pair>, seed: number): RewardScore => {
  const students = given(pairs.map(({ student }) => student))
  const teachers = given(pairs.map(({ teacher }) => teacher))
  const { difference, interval, losses, ties, wins } = Comparison.compare(pairs, seed)
  const mean = (scores: ReadonlyArray<number>) =>
    scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length
  return {
    ...reward,
    student: mean(students),
    teacher: mean(teachers),
    interval: Intervals.ofScores(students, seed) ?? null,
    teacher_interval: Intervals.ofScores(teachers, seed) ?? null,
    difference,
    difference_interval: interval,
    wins,
    ties,
    losses,
    unscored: pairs.length - students.length
  }
}

/** Examples by ascending score; ties by descending confidence. */
const worstOf = (items: ReadonlyArray<Item>, rewards: ReadonlyArray<NamedReward>): Evaluation["worst_examples"] => {
  const quality = ({ agrees, scores }: Item) => {
    const known = given(scores.map(({ student }) => student))
    return known.length === 0 ? Number(agrees) : known.reduce((sum, score) => sum + score, 0) / known.length
  }
  return items
    .filter((item) => quality(item) < 1)
    .toSorted((a, b) => quality(a) - quality(b) || (b.confidence ?? 0) - (a.confidence ?? 0))
    .slice(0, worstMax)
    .map(({ confidence, prompt, row, scores, student, teacher }) => ({
      row,
      prompt: excerpt(prompt),
      student: excerpt(student),
      teacher: excerpt(teacher),
      confidence,
      scores: Object.fromEntries(rewards.map(({ id }, index) => [id, scores[index]?.student ?? null]))
    }))
}

const accuracyOf = (items: ReadonlyArray<Item>): Evaluation["accuracy"] => {
  const { successes, trials } = Weights.countsOf(items, ({ agrees }) => agrees)
  return {
    value: trials === 0 ? 0 : successes / trials,
    interval: Intervals.wilson(successes, trials) ?? null,
    correct: items.filter(({ agrees }) => agrees).length
  }
}

const mostFrequentOf = (items: ReadonlyArray<Item>): number => {
  const weights = new Map<string, number>()
  for (const item of items) weights.set(item.teacher, (weights.get(item.teacher) ?? 0) + Weights.weightOf(item))
  const most = [...weights.values()].reduce((most, weight) => Math.max(most, weight), 0)
  return Math.round(most * Weights.evidenceOf(Weights.sumsOf(items)))
}

const calibrationOf = (items: ReadonlyArray<Item>): Evaluation["calibration"] => {
  const predictions = items.flatMap(({ agrees, confidence, weight = 1 }) =>
    confidence === null ? [] : [{ confidence, correct: agrees, weight }]
  )
  const found = Calibration.calibration(predictions)
  return found === undefined ? null : { expected_error: found.expectedError, bins: found.bins }
}

const usd = (micros: number | undefined): number | null => (micros === undefined ? null : micros / 1e6)

/** Null where no answer told a confidence. */
const toldBy = (items: ReadonlyArray<Item>): ToldConfidence | null => {
  const told = items.flatMap(({ agrees, confidence, weight = 1 }) =>
    confidence === null ? [] : [{ agrees, confidence, weight }]
  )
  const map = ConfidenceMap.fit(told)
  if (map === undefined) return null
  return { ...map, from: items.find(({ confidenceFrom }) => confidenceFrom !== undefined)?.confidenceFrom ?? null }
}

const calibrated = (items: ReadonlyArray<Item>, told: ToldConfidence | null): ReadonlyArray<Item> =>
  told === null
    ? items
    : items.map((item) => ({
        ...item,
        confidence: item.confidence === null ? null : ConfidenceMap.apply(told, item.confidence)
      }))

/** The same for the same items and seed. */
export const summarizeItems = (options: {
  readonly items: ReadonlyArray<Item>
  /** Whether the confidence of the items is calibrated already; false by default. */
  readonly isCalibrated?: boolean
  readonly rewards: ReadonlyArray<NamedReward>
  readonly prices: Run["prices"]
  readonly seed: number
  /** Captured teacher calls, for latency and cost if the rows record neither; none by default. */
  readonly captured?: ReadonlyArray<TeacherCall>
  /** Calls of this kind in the last 30 days; null, the default: unknown. */
  readonly callsPerMonth?: number | null
  /** The cost of the run so far, in US dollars; 0 by default. */
  readonly runUsd?: number
  /** Notes about the student's training, for a person; none by default. */
  readonly notes?: ReadonlyArray<string>
}): Evaluation => {
  const {
    callsPerMonth = null,
    captured = [],
    isCalibrated = false,
    notes = [],
    prices,
    rewards,
    runUsd = 0,
    seed
  } = options
  const told = isCalibrated ? null : toldBy(options.items)
  const items = calibrated(options.items, told)
  const latencies = items.map(({ latencyMillis }) => latencyMillis)
  const studentCosts = items.map(({ latencyMillis, studentCostMicros: own }) =>
    own === undefined ? (latencyMillis / 1000) * prices.microsPerGpuSecond : own
  )
  const knownCosts = given(studentCosts)
  const studentMicros = knownCosts.reduce((sum, cost) => sum + cost, 0)
  const teacherOf = (of: (call: TeacherCall) => number | null): ReadonlyArray<number> => {
    const own = given(items.map(of))
    return own.length > 0 ? own : given(captured.map(of))
  }
  const teacherCosts = teacherOf(({ teacherCostUsd }) => teacherCostUsd)
  const teacherMicros = teacherCosts.reduce((sum, cost) => sum + cost * 1e6, 0)
  const costs = {
    student: usd(perThousandCalls(studentMicros, knownCosts.length)),
    teacher: usd(perThousandCalls(teacherMicros, teacherCosts.length))
  }
  const reviewed = FeedbackQuality.summarize(items.flatMap(({ verdict }) => verdict ?? []))
  const recommended = Recommendation.make(items, costs, callsPerMonth)
  const advice = Advice.make(items, costs, runUsd, recommended)
  return {
    rows: items.length,
    effective_rows: Weights.effectiveRows(Weights.sumsOf(items)),
    rewards: rewards.map((reward, index) =>
      rewardScore(
        reward,
        items.map(({ scores }) => scores[index] ?? { student: null, teacher: null }),
        seed
      )
    ),
    accuracy: accuracyOf(items),
    reviewed,
    mostFrequent: mostFrequentOf(items),
    calibration: calibrationOf(items),
    latency_ms: {
      student: summarize(latencies) ?? null,
      teacher: summarize(teacherOf(({ teacherLatencyMillis }) => teacherLatencyMillis)) ?? null
    },
    cost_per_1000_calls_usd: costs,
    worst_examples: worstOf(items, rewards),
    agreement_at: AgreementCurve.of(items),
    held_out: HeldOutAnswers.of(items),
    ...TemplateFigures.of(items),
    teacher_itself: recommended.teacherItself,
    recommendation: recommended.recommendation,
    recommendation_reason: recommended.reason,
    ...(isCalibrated ? {} : { told_confidence: told }),
    advice: { ...advice, notes: [...advice.notes, ...FeedbackQuality.notesOf(reviewed), ...notes] }
  }
}
