/** The maximum cost of a call, estimated from its request. Pure. */

import type { CallEndpoint } from "../call/CapturedCall.ts"
import { CaptureLimits } from "../Limits.ts"
import type { Prices } from "../price/Price.ts"
import * as PriceRules from "../price/PriceRules.ts"
import type { RequestBounds } from "./RequestRules.ts"

export interface PricedModel {
  readonly prices: Prices
  /** The model's own limit of output tokens per choice; null if the source does not name it. */
  readonly outputTokensMax: number | null
}

/** Maximum tokens of one choice. A request without a limit gets the model's limit. */
const tokensOfChoice = ({ otherOutputTokens, outputTokens }: RequestBounds, modelMax: number | null): number => {
  const unlimited = Math.max(otherOutputTokens, modelMax ?? CaptureLimits.outputTokensAssumed)
  const wanted = outputTokens ?? unlimited
  return modelMax === null ? wanted : Math.min(wanted, modelMax)
}

/** Endpoints that bill no output. */
const outputless: ReadonlySet<CallEndpoint> = new Set<CallEndpoint>(["embeddings", "decisions", "systemone"])

/** Whether the maximum cost is known. */
export const isPriced = ({ prices }: PricedModel, endpoint: CallEndpoint): boolean =>
  prices.inputPerMillion !== null && (outputless.has(endpoint) || prices.outputPerMillion !== null)

/** Whole micro-dollars, of the dearest kind of input and tier. A token of the input is a byte of the request or more. */
export const costMax = (
  { outputTokensMax, prices }: PricedModel,
  endpoint: CallEndpoint,
  bodyBytes: number,
  bounds: RequestBounds
): number => {
  const referred = bounds.isReferring ? CaptureLimits.referredTokensAssumed : 0
  const predicted = bounds.isPredicted ? bodyBytes : 0
  const ofChoice = outputless.has(endpoint) ? 0 : tokensOfChoice(bounds, outputTokensMax) + predicted
  const input = (bodyBytes + referred) * PriceRules.inputPerMillionMax(prices)
  const output = ofChoice * bounds.choices * (prices.outputPerMillion ?? 0)
  return Math.min(Math.ceil((input + output) * PriceRules.factorMax(prices.tiers)), Number.MAX_SAFE_INTEGER)
}
