/** What refuses a request of this package, one class per fact. Status, message and `param` of each are rows of `api`'s table. */
import { Fact } from "@limbeck/core/errors/Fact"
import * as Schema from "effect/Schema"

/** The balance does not cover what is asked for. Amounts in whole micro-dollars. */
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
