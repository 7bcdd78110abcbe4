/**
 * Whether a student pays, told from its answers to the holdout: what a constant answer would reach, how each label fares, and
 * what a cascade would do that leaves answers below a threshold to the teacher. Pure.
 */
import * as Schema from "effect/Schema"
import * as LabelRules from "../dataset/LabelRules.ts"
import * as Fields from "./internal/FieldFigures.ts"
import * as Labels from "./internal/LabelFigures.ts"
import * as Intervals from "./statistics/internal/Intervals.ts"

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
  /** What the student says in place of what the teacher says, most frequent first. */
  confusions: Schema.Array(Labels.Confusion),
  /** Figures per field if answers are JSON objects with the same fields, else empty. Absent in older advice. */
  fields: Schema.optionalKey(Schema.Array(Fields.FieldFigures)),
  /** Null for a student that tells no confidence. */
  cascade: Schema.NullOr(
    Schema.Struct({
      /** Agreement relative to the teacher's agreement with itself, which counts as 1. */
      target_agreement: Schema.Finite,
      steps: Schema.Array(CascadeStep),
      /** The lowest threshold at which the cascade has the target; null: none reaches it. */
      recommended_threshold: Share
    })
  ),
  /** Saving of the cascade at the recommended threshold, else of the student alone; null if costs are unknown. */
  saving: Schema.NullOr(
    Schema.Struct({
      per_1000_calls_usd: Schema.Finite,
      /** The number of calls that pays for the run; null if the student never does. */
      break_even_calls: Schema.NullOr(Schema.Int)
    })
  ),
  /** What the figures do not say by themselves, for a person. */
  notes: Schema.Array(Schema.String)
})
export type Advice = typeof Advice.Type

export interface Answered {
  readonly student: string
  readonly teacher: string
  readonly agrees: boolean
  readonly confidence: number | null
  /** A key per distinct prompt; absent if the version drops equal rows. */
  readonly promptKey?: string | null
}

export interface Costs {
  /** US dollars per 1,000 calls; null if unknown. */
  readonly student: number | null
  readonly teacher: number | null
}

const targetAgreement = 0.98
const thresholds = [0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.975, 0.99] as const
/** Of fewer rows an interval spans more than a tenth of everything. */
const fewRows = 100

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

/** Answers by the form that their writings have in common. */
interface Formed extends Labels.Formed {
  readonly item: Answered
}

const formed = (items: ReadonlyArray<Answered>): ReadonlyArray<Formed> =>
  items.map((item) => {
    const teacher = LabelRules.formOf(item.teacher)
    const { agrees } = item
    return { teacher, student: agrees ? teacher : LabelRules.formOf(item.student), agrees, item }
  })

const teacherItself = (all: ReadonlyArray<Formed>): NonNullable<Advice["teacher_itself"]> | null => {
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

const costAt = (share: number, { student, teacher }: Costs): number | null =>
  student === null || teacher === null ? null : student + (1 - share) * teacher

const cascadeOf = (items: ReadonlyArray<Answered>, costs: Costs): Advice["cascade"] => {
  if (items.length === 0 || items.every(({ confidence }) => confidence === null)) return null
  const steps = thresholds.map((threshold) => {
    // An answer without a confidence goes to the fallback, whatever the threshold is.
    const answered = items.filter(({ confidence }) => (confidence ?? 0) >= threshold)
    const right = answered.filter(({ agrees }) => agrees).length
    const share = answered.length / items.length
    return {
      threshold,
      share,
      agreement: answered.length === 0 ? null : right / answered.length,
      interval: Intervals.wilson(right, answered.length) ?? null,
      cascade_agreement: 1 - (answered.length - right) / items.length,
      cost_per_1000_calls_usd: costAt(share, costs)
    }
  })
  const first = steps.find(({ cascade_agreement, share }) => share > 0 && cascade_agreement >= targetAgreement)
  return { target_agreement: targetAgreement, steps, recommended_threshold: first?.threshold ?? null }
}

const savingOf = (cascade: Advice["cascade"], costs: Costs, runUsd: number): Advice["saving"] => {
  if (costs.teacher === null || costs.student === null) return null
  const recommended = cascade?.steps.find(({ threshold }) => threshold === cascade.recommended_threshold)
  const saved = costs.teacher - (recommended?.cost_per_1000_calls_usd ?? costs.student)
  return {
    per_1000_calls_usd: Math.round(saved * 1e6) / 1e6,
    break_even_calls: saved > 0 ? Math.ceil((runUsd / saved) * 1_000) : null
  }
}

const adviceOn = ({ recommended_threshold: threshold, steps }: NonNullable<Advice["cascade"]>): string => {
  const step = steps.find((one) => one.threshold === threshold)
  return step === undefined
    ? `No threshold keeps the cascade at ${percent(targetAgreement)} of the teacher's agreement: none reaches it.`
    : `With below_confidence ${step.threshold} the student answers ${percent(step.share)} of the calls, and student and ` +
        `fallback together say the same as the teacher in ${percent(step.cascade_agreement)}.`
}

const itselfOf = (itself: NonNullable<Advice["teacher_itself"]> | null): ReadonlyArray<string> =>
  itself === null
    ? []
    : [
        `The teacher says the same as itself in ${percent(itself.agreement)} of ${itself.prompts} prompts that it was asked more than once: no student can be surer.`
      ]

const notesOf = (
  rows: number,
  interval: Intervals.Interval | undefined,
  advice: Omit<Advice, "notes">
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
  ...(advice.cascade === null ? [] : [adviceOn(advice.cascade)])
]

/** `runUsd`: what the run cost, which the saving has to bring back. */
export const make = (items: ReadonlyArray<Answered>, costs: Costs, runUsd: number): Advice => {
  const all = formed(items)
  const names = new Map(all.map(({ item, student }) => [student, item.student]))
  for (const { item, teacher } of all) names.set(teacher, item.teacher)
  const nameOf = (form: string): string => names.get(form) ?? form
  const isLabelled = Labels.areLabels(all)
  const interval = Intervals.wilson(items.filter(({ agrees }) => agrees).length, items.length)
  const frequent = Labels.descending(Labels.countsOf(all.map(({ teacher }) => teacher)))[0]
  const share = (frequent?.[1] ?? 0) / Math.max(1, items.length)
  const cascade = cascadeOf(items, costs)
  const advice = {
    most_frequent:
      frequent === undefined
        ? null
        : { answer: Labels.excerpt(nameOf(frequent[0])), share, beaten: (interval?.low ?? 0) > share },
    teacher_itself: teacherItself(all),
    labels: isLabelled ? Labels.labelFigures(all, nameOf) : [],
    confusions: isLabelled ? Labels.confusionsOf(all, nameOf) : [],
    fields: Fields.fieldFigures(items),
    cascade,
    saving: savingOf(cascade, costs, runUsd)
  }
  return { ...advice, notes: notesOf(items.length, interval, advice) }
}
