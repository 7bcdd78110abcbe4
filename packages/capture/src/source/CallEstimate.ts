/** What a call may cost at most, told from its request, before it is made. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import { CaptureLimits } from "../Limits.ts"

/** US dollars for a million tokens, which are micro-dollars for one; null: nothing is asked for them. */
export interface Prices {
  readonly inputPerMillion: number | null
  readonly outputPerMillion: number | null
}

const decoder = new TextDecoder()

const requestOf = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(decoder.decode(body))
  } catch {
    return undefined
  }
}

const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined

/** Tokens of all choices. A request that sets no bound is taken to mean the usual one. */
const outputTokens = (request: unknown): number => {
  if (!isObject(request)) return CaptureLimits.outputTokensAssumed
  const bound =
    countOf(request["max_completion_tokens"]) ?? countOf(request["max_tokens"]) ?? countOf(request["max_output_tokens"])
  return (bound ?? CaptureLimits.outputTokensAssumed) * (countOf(request["n"]) ?? 1)
}

/** Whole micro-dollars. A token of the input is a byte of the request or more. */
export const costMax = ({ inputPerMillion, outputPerMillion }: Prices, body: Uint8Array): number => {
  const input = body.length * (inputPerMillion ?? 0)
  const output = outputPerMillion === null ? 0 : outputTokens(requestOf(body)) * outputPerMillion
  return Math.min(Math.ceil(input + output), Number.MAX_SAFE_INTEGER)
}
