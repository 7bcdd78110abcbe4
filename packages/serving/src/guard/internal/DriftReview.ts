/** The looks at the calls of a deployment since its comparison began. */
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Deployment, driftSince } from "../../deployment/Deployment.ts"
import type { Windows } from "../CallDriftRules.ts"
import { type Answers, type Looks, noLooks } from "../DriftReviewRules.ts"

/** Of a deployment, by its id. */
const DriftReview = Schema.Struct({
  id: Schema.String,
  /** `driftSince` of the deployment: looks of another comparison do not count. */
  since: Millis,
  looks: Schema.Struct({ count: Schema.Int, upTo: Schema.NullOr(Schema.String) }),
  /** The answers of the calls of both windows at the last look, by id. Absent in reviews of earlier servers. */
  answers: Schema.optionalKey(Schema.Record(Schema.String, Schema.Int)),
  createdAt: Millis
})
export type DriftReview = typeof DriftReview.Type

export const kind = Kind.make({ name: "deployment_drift_review", schema: DriftReview })

/** The answers at the last look of this comparison, by window; null before the first, and where no answer is a label. */
export const answersOf = (
  deployment: Deployment,
  stored: Option.Option<Kind.StoredResource<DriftReview>>,
  { before }: Windows
): { readonly before: ReadonlyArray<number>; readonly now: ReadonlyArray<number> } | null => {
  const { known } = reviewOf(deployment, stored)
  if (known.size === 0) return null
  const first = new Set<string>(before.map(({ id }) => id))
  const [earlier, later] = [true, false].map((isFirst) =>
    [...known].flatMap(([id, answer]) => (first.has(id) === isFirst ? [answer] : []))
  )
  return { before: earlier ?? [], now: later ?? [] }
}

/** What the looks of this comparison have found; `upTo`: the last call whose answer was looked at. */
export const reviewOf = (
  deployment: Deployment,
  stored: Option.Option<Kind.StoredResource<DriftReview>>
): { readonly looks: Looks; readonly known: Answers; readonly upTo: string | null } => {
  const review = Option.getOrUndefined(stored)?.value
  if (review === undefined || review.since !== driftSince(deployment)) {
    return { looks: noLooks, known: new Map(), upTo: null }
  }
  const { answers, looks } = review
  return { looks, known: new Map(Object.entries(answers ?? {})), upTo: answers === undefined ? null : looks.upTo }
}
