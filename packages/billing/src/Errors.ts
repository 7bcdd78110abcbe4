/** Refusals of this package, one class per fact. The table of `api` gives each its status, message and `param`. */
import { Fact } from "@limbeck/core/errors/Fact"
import * as Schema from "effect/Schema"

/** The balance does not cover the cost. Amounts in whole micro-dollars. */
export class QuotaExceeded extends Fact<QuotaExceeded>()("QuotaExceeded", {
  purpose: Schema.Literals(["run", "call"]),
  availableMicros: Schema.Int,
  neededMicros: Schema.Int
}) {}

/** A top-up of this reference was made with another amount. */
export class TopUpReused extends Fact<TopUpReused>()("TopUpReused", {
  reference: Schema.String,
  postedMicros: Schema.Int
}) {}

export type BillingError = QuotaExceeded | TopUpReused
