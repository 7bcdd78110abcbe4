/** What a source may be (contract 7, 14.25). Pure; a refusal names the field as the wire does. */
import * as EgressPolicy from "@limbeck/core/egress/EgressPolicy"
import * as TenantUrl from "@limbeck/core/egress/TenantUrl"
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import * as Money from "@limbeck/core/money/Money"
import * as Result from "effect/Result"
import { CaptureLimits } from "../Limits.ts"
import { dollarFields } from "../price/Price.ts"
import { isId, modelIdOf, type SourceModel } from "./Source.ts"

type Validation<A> = Result.Result<A, InvalidInput>

const refuse = (param: string, message: string) => Result.fail(invalid(param, message))

export const slug = /^[a-z0-9][a-z0-9._-]*$/

/** A name is never taken for an id. */
export const name = (text: string): Validation<string> => {
  if (text.length > CaptureLimits.sourceNameMax) {
    return refuse("name", `A name is at most ${CaptureLimits.sourceNameMax} characters long`)
  }
  return slug.test(text) && !isId(text)
    ? Result.succeed(text)
    : refuse("name", "A name is a slug: lowercase letters, digits, '-', '_' and '.', beginning with a letter or digit")
}

const refusalOf = (policy: EgressPolicy.EgressPolicy, livemode: boolean, text: string): string | undefined => {
  const fault = TenantUrl.fault(text)
  if (fault !== undefined) return fault
  if (/[?#]/.test(text)) return "A base URL ends with its path, such as /v1"
  return EgressPolicy.plainHttpFault(policy, livemode, text)
}

/** Without a slash at its end. */
export const baseUrl = (policy: EgressPolicy.EgressPolicy, livemode: boolean, text: string): Validation<string> => {
  const refusal = refusalOf(policy, livemode, text)
  return refusal === undefined ? Result.succeed(text.replace(/\/+$/, "")) : refuse("base_url", refusal)
}

/** A kept key goes to the place that it was given for, and to no other. Both URLs are absolute. */
export const keyMove = (before: string, after: string): Validation<void> =>
  new URL(before).origin === new URL(after).origin
    ? Result.void
    : refuse("api_key", "The URL leads to another origin: send the key for it too, or null for none")

/** What a header can carry. */
export const apiKey = (key: string): Validation<string> =>
  /^[\x21-\x7e]+$/.test(key) && key.length <= CaptureLimits.apiKeyMax
    ? Result.succeed(key)
    : refuse("api_key", `A key is 1 to ${CaptureLimits.apiKeyMax} visible ASCII characters`)

export const last4 = (key: string): string | null => (key.length < CaptureLimits.apiKeyShownFrom ? null : key.slice(-4))

const priceFault = (model: SourceModel): string | undefined => {
  if (typeof model === "string") return undefined
  return dollarFields.find((price) => {
    const given = model[price]
    return given !== undefined && Money.fromUsd(given) === undefined
  })
}

/** A factor with more decimals would be rounded. */
const tierFault = (model: SourceModel): string | undefined =>
  typeof model === "string"
    ? undefined
    : Object.entries(model.tiers ?? {}).find(([, factor]) => Money.fromUsd(factor) === undefined)?.[0]

export const models = (given: ReadonlyArray<SourceModel>): Validation<ReadonlyArray<SourceModel>> => {
  if (given.length > CaptureLimits.modelsMax)
    return refuse("models", `A source names at most ${CaptureLimits.modelsMax} models`)
  const seen = new Set<string>()
  for (const [index, model] of given.entries()) {
    const id = modelIdOf(model)
    if (seen.has(id)) return refuse(`models[${index}]`, "This model is named twice")
    seen.add(id)
    const price = priceFault(model)
    if (price !== undefined) return refuse(`models[${index}].${price}`, `A price is in ${Money.wording}`)
    const tier = tierFault(model)
    if (tier !== undefined) return refuse(`models[${index}].tiers.${tier}`, "A factor has at most 6 decimals")
  }
  return Result.succeed(given)
}
