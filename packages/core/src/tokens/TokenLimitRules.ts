/** What the limits of a token allow, and how their wire form is read. Pure. */
import * as Result from "effect/Result"
import { type InvalidInput, invalid, PermissionDenied } from "../errors/Errors.ts"
import * as Money from "../money/Money.ts"
import type { TokenLimits } from "./TokenLimits.ts"

/** Members as on the wire. */
export interface StatedLimits {
  readonly models?: ReadonlyArray<string>
  readonly requests_per_minute?: number
  readonly max_cost_usd_per_day?: number
}

/** A `*` stands at the end alone. */
const isPattern = (text: string): boolean => text !== "" && !text.slice(0, -1).includes("*")

/** Undefined where no member limits anything. */
export const read = (stated: StatedLimits | null | undefined): Result.Result<TokenLimits | undefined, InvalidInput> => {
  const { max_cost_usd_per_day: dollars, models, requests_per_minute: perMinute } = stated ?? {}
  const wrong = models?.findIndex((text) => !isPattern(text)) ?? -1
  if (wrong >= 0) {
    return Result.fail(
      invalid(`limits.models[${wrong}]`, "A pattern is the exact name of a model, or ends with its only *")
    )
  }
  const micros = dollars === undefined ? undefined : Money.fromUsd(dollars)
  if (dollars !== undefined && micros === undefined) {
    return Result.fail(invalid("limits.max_cost_usd_per_day", `A limit is in ${Money.wording}`))
  }
  if (models === undefined && perMinute === undefined && micros === undefined) return Result.succeed(undefined)
  return Result.succeed({
    ...(models === undefined ? {} : { models }),
    ...(perMinute === undefined ? {} : { requestsPerMinute: perMinute }),
    ...(micros === undefined ? {} : { maxCostMicrosPerDay: micros })
  })
}

/** The wire form. */
export const toWire = ({ maxCostMicrosPerDay, models, requestsPerMinute }: TokenLimits): StatedLimits => ({
  ...(models === undefined ? {} : { models }),
  ...(requestsPerMinute === undefined ? {} : { requests_per_minute: requestsPerMinute }),
  ...(maxCostMicrosPerDay === undefined ? {} : { max_cost_usd_per_day: Money.toUsd(maxCostMicrosPerDay) })
})

/** Whether `pattern` takes everything that `other`, a name or a pattern, stands for. */
const covers = (pattern: string, other: string): boolean =>
  pattern.endsWith("*") ? other.startsWith(pattern.slice(0, -1)) : pattern === other

/** Why a token with these limits may not call the model; null: the request names none. */
export const modelRefusal = (
  limits: Pick<TokenLimits, "models"> | undefined,
  model: string | null
): PermissionDenied | undefined => {
  const models = limits?.models
  if (models === undefined || (model !== null && models.some((pattern) => covers(pattern, model)))) return undefined
  const named = model === null ? "a request that names no model" : `the model ${model.slice(0, shownMax)}`
  const message = `The token may not make a call of ${named}: its limits allow ${models.join(", ").slice(0, shownMax)}`
  return new PermissionDenied({ message, param: "model" })
}

/** Characters of names in a message. */
const shownMax = 300

/** Why a token with the limits `own` cannot make one with `others`: the member that would be wider. */
export const findWidening = (
  own: TokenLimits | undefined,
  others: TokenLimits | undefined
): PermissionDenied | undefined => {
  if (own === undefined) return undefined
  const member = widerMember(own, others ?? {})
  if (member === undefined) return undefined
  const param = others === undefined ? "limits" : `limits.${member}`
  return new PermissionDenied({ message: `A token with limits makes none with a wider or absent ${member}`, param })
}

const isMore = (own: number | undefined, other: number | undefined): boolean =>
  own !== undefined && (other === undefined || other > own)

const widerMember = (own: TokenLimits, other: TokenLimits): keyof StatedLimits | undefined => {
  const { models } = own
  if (models !== undefined) {
    const isWithin = other.models?.every((wanted) => models.some((pattern) => covers(pattern, wanted))) ?? false
    if (!isWithin) return "models"
  }
  if (isMore(own.requestsPerMinute, other.requestsPerMinute)) return "requests_per_minute"
  return isMore(own.maxCostMicrosPerDay, other.maxCostMicrosPerDay) ? "max_cost_usd_per_day" : undefined
}
