/** The comparisons of an active deployment's student with the upstream, since its activation. */
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Deployment } from "../../deployment/Deployment.ts"
import { ServingLimits } from "../../Limits.ts"
import * as AgreementRules from "../AgreementRules.ts"
import * as DriftRules from "../DriftRules.ts"

const Tally = Schema.Struct({ compared: Schema.Int, agreed: Schema.Int })

const Sample = Schema.Struct({
  count: Schema.Int,
  answers: Schema.Record(Schema.String, Schema.Int)
})
const Samples = Schema.Struct({ first: Sample, previous: Sample, current: Sample })

const Comparisons = Schema.Struct({ blocks: Schema.Array(Tally), merged: Schema.Int })

const QuestionComparisons = Schema.Struct({
  question: Schema.String,
  comparisons: Comparisons,
  difference: Schema.Struct({ compared: Schema.Int, wealth: Schema.Array(Schema.Finite) })
})

/** Of a deployment, by its id. */
export const Watch = Schema.Struct({
  id: Schema.String,
  /** `watchedSince` of the deployment: comparisons of another period are forgotten. */
  since: Millis,
  comparisons: Comparisons,
  /** Of a student of decisions, by question. */
  questions: Schema.Array(QuestionComparisons).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  /** Empty in watches from before drift was recorded. */
  samples: Samples.pipe(Schema.withDecodingDefaultKey(Effect.succeed(DriftRules.none))),
  /** Calls whose difference counts as agreement: once for each person who calls the student's answer right. */
  waived: Schema.Array(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  /** Number of future differences to count as agreement. */
  pendingWaivers: Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(0))),
  createdAt: Millis
})
export type Watch = typeof Watch.Type

export const kind = Kind.make({ name: "deployment_watch", schema: Watch })

export type Counts = Omit<Watch, "createdAt" | "id" | "since">

const nothing: Counts = {
  comparisons: AgreementRules.none,
  questions: [],
  samples: DriftRules.none,
  waived: [],
  pendingWaivers: 0
}

/** The comparisons that count for the deployment's current period. */
export const countsOf = ({ watchedSince }: Deployment, found: Option.Option<Kind.StoredResource<Watch>>): Counts =>
  Option.match(found, {
    onNone: () => nothing,
    onSome: ({ value }) => (value.since === watchedSince ? value : nothing)
  })

/**
 * Counts the difference of a call as agreement, now or when the guard counts it; only once for several waivers of a call. Undefined if
 * the watch has the maximum number of waivers.
 */
export const waive = (counts: Counts, call: string): Counts | undefined => {
  if (counts.waived.length >= ServingLimits.waivedCallsMax) return undefined
  const waived = [...counts.waived, call]
  if (counts.waived.includes(call)) return { ...counts, waived }
  const comparisons = AgreementRules.recount(counts.comparisons, true)
  return comparisons === undefined
    ? { ...counts, waived, pendingWaivers: counts.pendingWaivers + 1 }
    : { ...counts, waived, comparisons }
}

/** Removes one waiver; without the last one the difference counts again. Undefined if this period has no waiver of the call. */
export const restore = (counts: Counts, call: string): Counts | undefined => {
  const at = counts.waived.indexOf(call)
  if (at < 0) return undefined
  const waived = counts.waived.toSpliced(at, 1)
  if (waived.includes(call)) return { ...counts, waived }
  if (counts.pendingWaivers > 0) return { ...counts, waived, pendingWaivers: counts.pendingWaivers - 1 }
  return { ...counts, waived, comparisons: AgreementRules.recount(counts.comparisons, false) ?? counts.comparisons }
}
