/** What a call may cost at most, told from its request, before it is made. Pure. */
import * as JsonMembers from "@limbeck/core/json/JsonMembers"
import type * as Turns from "@limbeck/core/turns/Turns"
import type * as Schema from "effect/Schema"
import { CaptureLimits } from "../Limits.ts"

/** US dollars for a million tokens, which are micro-dollars for one; null: nothing is asked for them. */
export interface Prices {
  readonly inputPerMillion: number | null
  readonly outputPerMillion: number | null
}

const bounds = ["max_completion_tokens", "max_tokens", "max_output_tokens"]
const names: ReadonlySet<string> = new Set([...bounds, "n"])

const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined

/** Tokens of all choices. A request that sets no bound is taken to mean the usual one. */
const outputTokens = (request: Schema.JsonObject): number => {
  const bound = bounds.map((name) => countOf(request[name])).find((count) => count !== undefined)
  return (bound ?? CaptureLimits.outputTokensAssumed) * (countOf(request["n"]) ?? 1)
}

/** Whole micro-dollars. A token of the input is a byte of the request or more. */
export function* costMax({ inputPerMillion, outputPerMillion }: Prices, body: Uint8Array): Turns.Steps<number> {
  const input = body.length * (inputPerMillion ?? 0)
  const request = outputPerMillion === null ? undefined : yield* JsonMembers.of(body, names)
  const output = outputTokens(request ?? {}) * (outputPerMillion ?? 0)
  return Math.min(Math.ceil(input + output), Number.MAX_SAFE_INTEGER)
}
