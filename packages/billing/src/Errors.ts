/** Refusals of this package, one class per fact. The table of `api` gives each its status, message and `param`. */
import { Fact } from "@limbeck/core/errors/Fact"
import * as Schema from "effect/Schema"

/** The balance does not cover the cost. Amounts in whole micro-dollars. */
export class QuotaExceeded extends Fact<QuotaExceeded>()("QuotaExceeded", {
  purpose: Schema.Literals(["run", "call"]),
  availableMicros: Schema.Int,
  neededMicros: Schema.Int
}) {}

/** The rest of a token's limit of a day does not cover the maximum cost of a call. Amounts in whole micro-dollars. */
export class DayCostReached extends Fact<DayCostReached>()("DayCostReached", {
  maxMicros: Schema.Int,
  leftMicros: Schema.Int,
  neededMicros: Schema.Int
}) {}

/** The maximum cost of a call is unknown, so that no limit of a day can hold it. */
export class CallUnpriced extends Fact<CallUnpriced>()("CallUnpriced", {
  source: Schema.String,
  /** Null: the request names none. */
  model: Schema.NullOr(Schema.String)
}) {}

/** A token has used its requests of a minute. */
export class TokenRateReached extends Fact<TokenRateReached>()("TokenRateReached", {
  perMinute: Schema.Int,
  retryAfterSeconds: Schema.Finite
}) {}

/** A top-up of this reference was made with another amount. */
export class TopUpReused extends Fact<TopUpReused>()("TopUpReused", {
  reference: Schema.String,
  postedMicros: Schema.Int
}) {}

export type BillingError = QuotaExceeded | DayCostReached | CallUnpriced | TokenRateReached | TopUpReused
