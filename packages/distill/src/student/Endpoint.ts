/** Where a language model is served: any server that speaks chat completions. */
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

/** US dollars for a million tokens; null where nobody has told them. */
export const Prices = Schema.Struct({
  inputPerMillion: Schema.NullOr(Schema.Finite),
  outputPerMillion: Schema.NullOr(Schema.Finite)
})
export type Prices = typeof Prices.Type

/** In micro-dollars; null where there is no price. A dollar a million is a micro-dollar a token. */
export const costOf = (
  { inputPerMillion, outputPerMillion }: Prices,
  tokens: { readonly prompt: number; readonly completion: number }
): number | null =>
  inputPerMillion === null && outputPerMillion === null
    ? null
    : Math.ceil(tokens.prompt * (inputPerMillion ?? 0) + tokens.completion * (outputPerMillion ?? 0))
