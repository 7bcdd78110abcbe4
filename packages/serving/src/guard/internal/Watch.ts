/** The comparisons of an active deployment's student with the upstream, since its activation. */
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Deployment } from "../../deployment/Deployment.ts"
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
  createdAt: Millis
})
export type Watch = typeof Watch.Type

export const kind = Kind.make({ name: "deployment_watch", schema: Watch })

const nothing = { comparisons: AgreementRules.none, questions: [], samples: DriftRules.none }

/** The comparisons that count for the deployment's current period. */
export const knownOf = (
  { watchedSince }: Deployment,
  found: Option.Option<Kind.StoredResource<Watch>>
): Pick<Watch, "comparisons" | "questions" | "samples"> =>
  Option.match(found, {
    onNone: () => nothing,
    onSome: ({ value }) => (value.since === watchedSince ? value : nothing)
  })
