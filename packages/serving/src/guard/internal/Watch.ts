/** What an active deployment's student was compared with the upstream, since it was made active. */
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Deployment } from "../../deployment/Deployment.ts"
import * as AgreementRules from "../AgreementRules.ts"

const Tally = Schema.Struct({ compared: Schema.Int, agreed: Schema.Int })

/** Of a deployment, by its id. */
export const Watch = Schema.Struct({
  id: Schema.String,
  /** `watchedSince` of the deployment: what was compared for another time is forgotten. */
  since: Millis,
  comparisons: Schema.Struct({ blocks: Schema.Array(Tally), merged: Schema.Int }),
  createdAt: Millis
})
export type Watch = typeof Watch.Type

export const kind = Kind.make({ name: "deployment_watch", schema: Watch })

/** Those that count for the deployment as it is. */
export const comparisonsOf = (
  { watchedSince }: Deployment,
  found: Option.Option<Kind.Stored<Watch>>
): AgreementRules.Comparisons =>
  Option.match(found, {
    onNone: () => AgreementRules.none,
    onSome: ({ value }) => (value.since === watchedSince ? value.comparisons : AgreementRules.none)
  })
