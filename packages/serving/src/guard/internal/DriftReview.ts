/** The looks at the calls of a deployment since its comparison began. */
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Deployment, driftSince } from "../../deployment/Deployment.ts"
import { type Looks, noLooks } from "../DriftReviewRules.ts"

/** Of a deployment, by its id. */
const DriftReview = Schema.Struct({
  id: Schema.String,
  /** `driftSince` of the deployment: looks of another comparison do not count. */
  since: Millis,
  looks: Schema.Struct({ count: Schema.Int, upTo: Schema.NullOr(Schema.String) }),
  createdAt: Millis
})
export type DriftReview = typeof DriftReview.Type

export const kind = Kind.make({ name: "deployment_drift_review", schema: DriftReview })

export const looksOf = (deployment: Deployment, stored: Option.Option<Kind.StoredResource<DriftReview>>): Looks =>
  Option.match(stored, {
    onNone: () => noLooks,
    onSome: ({ value: { looks, since } }) => (since === driftSince(deployment) ? looks : noLooks)
  })
