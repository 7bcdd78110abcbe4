/**
 * Whether a student pays, told from its answers to the holdout: what a constant answer would reach, how each label fares, and
 * what a cascade would do that leaves answers below a threshold to the teacher. Pure.
 */
import * as Schema from "effect/Schema"
import * as LabelRules from "../dataset/LabelRules.ts"
import * as AgreementCurve from "./AgreementCurve.ts"
import type { Verdict } from "./FeedbackQuality.ts"
import * as Fields from "./internal/FieldFigures.ts"
import * as Labels from "./internal/LabelFigures.ts"
import * as ScoreErrors from "./internal/ScoreErrors.ts"
import * as Recommendation from "./Recommendation.ts"
import * as Intervals from "./statistics/internal/Intervals.ts"
import * as Weights from "./statistics/Weights.ts"

const Interval = Schema.Struct({ low: Schema.Finite, high: Schema.Finite, method: Schema.String })
const Share = Schema.NullOr(Schema.Finite)

const CascadeStep = Schema.Struct({
  /** Answers below this confidence are left to the teacher. */
  threshold: Schema.Finite,
  /** The student's share of all calls. */
  share: Schema.Finite,
  /** The agreement with the teacher on the student's share; null for a share of 0. */
  agreement: Share,
  interval: Schema.NullOr(Interval),
  /** Over all calls, the teacher's own among them. */
  cascade_agreement: Schema.Finite,
  /** US dollars; null if the teacher's cost is unknown. */
  cost_per_1000_calls_usd: Share
})

export const Advice = Schema.Struct({
  /** The agreement of a constant answer, the teacher's most frequent one; null without rows. */
  most_frequent: Schema.NullOr(
    Schema.Struct({
      answer: Schema.String,
      share: Schema.Finite,
      /** Whether the lower end of the student's interval is above this agreement. */
      beaten: Schema.Boolean
    })
  ),
  /**
   * The teacher's agreement with itself, by the first two answers to each repeated prompt. Null without repeated
   * prompts, and for versions that drop equal rows. Absent in older advice.
   */
  teacher_itself: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ prompts: Schema.Int, agreement: Schema.Finite, interval: Schema.NullOr(Interval) }))
  ),
  /** Labels by descending frequency; empty if the answers are no labels. */
  labels: Schema.Array(Labels.LabelFigures),
  /** The student's wrong answers by the teacher's answer, most frequent first. */
  confusions: Schema.Array(Labels.Confusion),
  /** Figures per field if answers are JSON objects with the same fields, else empty. Absent in older advice. */
  fields: Schema.optionalKey(Schema.Array(Fields.FieldFigures)),
  /** Errors on one scale of numbers or ordered words; null for answers without a scale. Absent in older advice. */
  scores: Schema.optionalKey(Schema.NullOr(ScoreErrors.ScoreErrors)),
  /** Null for a student that tells no confidence. */
  cascade: Schema.NullOr(
    Schema.Struct({
      /** The target of the recommendation; null without one. */
      target_agreement: Share,
      steps: Schema.Array(CascadeStep),
      /** That of the recommendation; null without one. */
      recommended_threshold: Share
    })
  ),
  /** Saving of the recommendation; null without one, and if costs are unknown. */
  saving: Schema.NullOr(
    Schema.Struct({
      per_1000_calls_usd: Schema.Finite,
      /** The number of calls that pays for the run; null if it never pays. */
      break_even_calls: Schema.NullOr(Schema.Int)
    })
  ),
  /** What the figures do not say by themselves, for a person. */
  notes: Schema.Array(Schema.String)
})
export type Advice = typeof Advice.Type

export interface AnsweredRows extends Weights.WeightedRow {
  readonly student: string
  readonly teacher: string
  readonly agrees: boolean
  readonly confidence: number | null
  /** A key per distinct prompt; absent if the version drops equal rows. */
  readonly promptKey?: string | null
  /** The reviewers' verdict; null or absent without feedback. */
  readonly verdict?: Verdict | null
}

/** Thresholds that a person can read in a table; all are in the report's `agreement_at`. */
const stepsShown = 20
/** Of fewer rows an interval spans more than a tenth of everything. */
const fewRows = 100

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

/** The most frequent answer of the teacher, by weight. */
const mostFrequent = (all: ReadonlyArray<FormedLabels>): readonly [form: string, share: number] | undefined => {
  const weights = new Map<string, number>()
  for (const { item, teacher } of all) weights.set(teacher, (weights.get(teacher) ?? 0) + Weights.weightOf(item))
  const [form, weight] = Labels.descending(weights)[0] ?? []
  if (form === undefined || weight === undefined) return undefined
  return [form, weight / Weights.sumsOf(all.map(({ item }) => item)).weights]
}

/** Answers by the form that their writings have in common. */
interface FormedLabels extends Labels.FormedFigures {
  readonly item: AnsweredRows
}

const formed = (items: ReadonlyArray<AnsweredRows>): ReadonlyArray<FormedLabels> =>
  items.map((item) => {
    const teacher = LabelRules.formOf(item.teacher)
    const { agrees } = item
    return { teacher, student: agrees ? teacher : LabelRules.formOf(item.student), agrees, item }
  })

const teacherItself = (all: ReadonlyArray<FormedLabels>): NonNullable<Advice["teacher_itself"]> | null => {
  const first = new Map<string, string>()
  const same = new Map<string, boolean>()
  for (const { item, teacher } of all) {
    const key = item.promptKey ?? null
    if (key === null || same.has(key)) continue
    const before = first.get(key)
    if (before === undefined) first.set(key, teacher)
    else same.set(key, before === teacher)
  }
  if (same.size === 0) return null
  const right = [...same.values()].filter(Boolean).length
  return { prompts: same.size, agreement: right / same.size, interval: Intervals.wilson(right, same.size) ?? null }
}

const costAt = (share: number, { student, teacher }: Recommendation.Costs): number | null =>
  student === null || teacher === null ? null : student + (1 - share) * teacher

/** Evenly spread, with the first, the last and the recommended one. */
const shownThresholds = (items: ReadonlyArray<AnsweredRows>, recommended: number | null): ReadonlyArray<number> => {
  const all = AgreementCurve.of(items).map(({ threshold }) => threshold)
  const step = Math.max(1, (all.length - 1) / (stepsShown - 1))
  const chosen = new Set(Array.from({ length: stepsShown }, (_, nth) => all[Math.round(nth * step)]))
  return all.filter((threshold) => chosen.has(threshold) || threshold === recommended)
}

const cascadeOf = (
  items: ReadonlyArray<AnsweredRows>,
  costs: Recommendation.Costs,
  recommendation: Recommendation.Recommendation | null
): Advice["cascade"] => {
  if (items.length === 0 || items.every(({ confidence }) => confidence === null)) return null
  const recommended = recommendation?.threshold ?? null
  const all = Weights.sumsOf(items).weights
  const steps = shownThresholds(items, recommended).map((threshold) => {
    const answered = items.filter(({ confidence }) => (confidence ?? 0) >= threshold)
    const { successes, trials } = Weights.countsOf(answered, ({ agrees }) => agrees)
    const wrong = Weights.sumsOf(answered.filter(({ agrees }) => !agrees)).weights
    const share = Weights.sumsOf(answered).weights / all
    return {
      threshold,
      share,
      agreement: trials === 0 ? null : successes / trials,
      interval: Intervals.wilson(successes, trials) ?? null,
      cascade_agreement: 1 - wrong / all,
      cost_per_1000_calls_usd: costAt(share, costs)
    }
  })
  return { target_agreement: recommendation?.target ?? null, steps, recommended_threshold: recommended }
}

const savingOf = (recommendation: Recommendation.Recommendation | null, runUsd: number): Advice["saving"] => {
  const saved = recommendation?.saving_usd_per_1000?.value ?? null
  if (saved === null) return null
  return { per_1000_calls_usd: saved, break_even_calls: saved > 0 ? Math.ceil((runUsd / saved) * 1_000) : null }
}

const itselfOf = (itself: NonNullable<Advice["teacher_itself"]> | null): ReadonlyArray<string> =>
  itself === null
    ? []
    : [
        `The teacher says the same as itself in ${percent(itself.agreement)} of ${itself.prompts} prompts that it was asked more than once: no student can be surer.`
      ]

const kindOf = ({ words }: ScoreErrors.ScoreErrors): string =>
  words === undefined ? "scores" : `words with an order (${words.join(" < ")})`

/** Of the answer as a whole; the fields have figures of their own. */
const scoresNote = (scores: ScoreErrors.ScoreErrors | null): ReadonlyArray<string> =>
  scores === null
    ? []
    : [
        `The answers are ${kindOf(scores)}: the student's are ${scores.mean_error.toFixed(2)}${scores.words === undefined ? "" : " steps"} off on average, always giving the median would be ${scores.constant_error.toFixed(2)} off.`
      ]

const notesOf = (
  rows: number,
  interval: Intervals.Interval | undefined,
  advice: Omit<Advice, "notes">,
  reason: string
): Advice["notes"] => [
  ...(rows > 0 && rows < fewRows && interval !== undefined
    ? [
        `${rows} holdout ${rows === 1 ? "row says" : "rows say"} little: the agreement may be anything from ${percent(interval.low)} to ${percent(interval.high)}.`
      ]
    : []),
  ...(advice.most_frequent === null || advice.most_frequent.beaten
    ? []
    : [
        `The student is not surely better than always answering ${JSON.stringify(advice.most_frequent.answer)}, which is right in ${percent(advice.most_frequent.share)}.`
      ]),
  ...itselfOf(advice.teacher_itself ?? null),
  ...scoresNote(advice.scores ?? null),
  ...(advice.cascade === null ? [] : [reason])
]

/** `runUsd`: what the run cost, which the saving has to bring back. */
export const make = (
  items: ReadonlyArray<AnsweredRows>,
  costs: Recommendation.Costs,
  runUsd: number,
  {
    reason,
    recommendation
  }: Pick<Recommendation.RecommendationResult, "reason" | "recommendation"> = Recommendation.make(items, costs)
): Advice => {
  const all = formed(items)
  const names = new Map(all.map(({ item, student }) => [student, item.student]))
  for (const { item, teacher } of all) names.set(teacher, item.teacher)
  const nameOf = (form: string): string => names.get(form) ?? form
  const isLabelled = Labels.areLabels(all)
  const { successes, trials } = Weights.countsOf(items, ({ agrees }) => agrees)
  const interval = Intervals.wilson(successes, trials)
  const frequent = mostFrequent(all)
  const share = frequent?.[1] ?? 0
  const cascade = cascadeOf(items, costs, recommendation)
  const advice = {
    most_frequent:
      frequent === undefined
        ? null
        : { answer: Labels.excerpt(nameOf(frequent[0])), share, beaten: (interval?.low ?? 0) > share },
    teacher_itself: teacherItself(all),
    labels: isLabelled ? Labels.labelFigures(all, nameOf) : [],
    confusions: isLabelled ? Labels.confusionsOf(all, nameOf) : [],
    fields: Fields.fieldFigures(items),
    scores: ScoreErrors.of(all.map(({ item, student, teacher }) => ({ ...item, student, teacher }))),
    cascade,
    saving: savingOf(recommendation, runUsd)
  }
  return { ...advice, notes: notesOf(items.length, interval, advice, reason) }
}
