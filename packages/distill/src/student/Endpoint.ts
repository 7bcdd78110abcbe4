/** The endpoint of a language model: any server with chat completions. */
import * as Schema from "effect/Schema"

export const Endpoint = Schema.Struct({
  /** With `/v1`, without a slash at its end. */
  baseUrl: Schema.String,
  model: Schema.String,
  /** Sealed; see core's Secrets. */
  sealedKey: Schema.NullOr(Schema.String),
  keyLast4: Schema.NullOr(Schema.String)
})
export type Endpoint = typeof Endpoint.Type

/** US dollars per million tokens; null if unknown. */
export const Prices = Schema.Struct({
  inputPerMillion: Schema.NullOr(Schema.Finite),
  outputPerMillion: Schema.NullOr(Schema.Finite)
})
export type Prices = typeof Prices.Type

/** In micro-dollars; null without a price. A dollar per million is a micro-dollar per token. */
export const costOf = (
  { inputPerMillion, outputPerMillion }: Prices,
  tokens: { readonly prompt: number; readonly completion: number }
): number | null =>
  inputPerMillion === null && outputPerMillion === null
    ? null
    : Math.ceil(tokens.prompt * (inputPerMillion ?? 0) + tokens.completion * (outputPerMillion ?? 0))
