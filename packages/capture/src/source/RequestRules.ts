/**
 * Reads the members of a request that set its cost. Servers read JSON differently: if a name stands twice, some take the first
 * member and some the last, and some ignore the case of names. A request with such an ambiguity is refused, so that the server
 * bills by the same values as the upstream. Pure.
 */
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import * as JsonScan from "@limbeck/core/json/JsonScan"
import type * as Turns from "@limbeck/core/turns/Turns"
import * as Result from "effect/Result"
import type { CallEndpoint } from "../call/CapturedCall.ts"
import { promptsIn } from "./internal/PromptCountRules.ts"

/** The JSON texts of the members, by their names. */
export type RequestMembers = ReadonlyMap<string, string>

/** What a request says about its own size. */
export interface RequestBounds {
  /** Maximum tokens per choice; null if the request sets no limit of its endpoint. */
  readonly outputTokens: number | null
  /** The largest limit of any name, including those of other endpoints and servers; 0 if there is none. */
  readonly otherOutputTokens: number
  readonly choices: number
  /** Whether the request has a predicted output; its rejected tokens are billed as output. */
  readonly isPredicted: boolean
  /** Whether the request refers to input that the upstream stores. */
  readonly isReferring: boolean
}

/** The output limits of each endpoint. The largest one counts, because a server may read any of them. */
const limits: Readonly<Record<CallEndpoint, ReadonlyArray<string>>> = {
  "chat.completions": ["max_completion_tokens", "max_tokens"],
  completions: ["max_tokens"],
  responses: ["max_output_tokens"],
  messages: ["max_tokens"],
  embeddings: [],
  decisions: [],
  systemone: []
}

const allLimits = [
  ...["max_completion_tokens", "max_tokens", "max_output_tokens"],
  ...["max_new_tokens", "max_tokens_to_sample", "n_predict"]
]

/** Members of the responses endpoint that refer to stored input. */
const references = ["conversation", "previous_response_id", "prompt"]

const names: ReadonlySet<string> = new Set(["model", "n", "best_of", "prediction", ...allLimits, ...references])
const nameLengthMax = Math.max(...[...names].map(({ length }) => length))

/** Folds case as Go's JSON decoder does: the long s and the Kelvin sign fold to ASCII letters too. */
const foldCase = (name: string): string => name.toUpperCase().toLowerCase()

const isDeciding = (name: string): boolean => name.length <= nameLengthMax && names.has(foldCase(name))

/** Deeper than any request nests. */
const depthMax = 100_000

const decoder = new TextDecoder()

/** Returns the members that set the cost; fails if a server could read one of them differently. */
export function* membersOf(body: Uint8Array): Turns.Steps<Result.Result<RequestMembers, InvalidInput>> {
  const found = yield* JsonScan.members(decoder.decode(body), isDeciding, depthMax)
  if (found === undefined) return Result.fail(invalid(null, "The body is not JSON that a server can read"))
  const members = new Map<string, string>()
  for (const { name, text } of found) {
    const own = foldCase(name)
    if (members.has(own)) return Result.fail(invalid(own, `The body names ${own} twice; name it once`))
    if (name !== own) return Result.fail(invalid(own, `Write ${own} in place of ${name}`))
    members.set(own, text)
  }
  return Result.succeed(members)
}

const isNull = (text: string | undefined): boolean => text === undefined || text === "null"

const digitsMax = 16

/** The value of a count: a whole number above 0, or null if the member is absent or null. */
const countOf = (members: RequestMembers, name: string): Result.Result<number | null, InvalidInput> => {
  const text = members.get(name)
  if (text === undefined || isNull(text)) return Result.succeed(null)
  const count = text.length <= digitsMax && /^[\d.eE+]+$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(count) && count > 0
    ? Result.succeed(count)
    : Result.fail(invalid(name, `${name} is a whole number above 0`))
}

/** The largest value of the named members; null if all are absent. */
const largestOf = (
  members: RequestMembers,
  counted: ReadonlyArray<string>
): Result.Result<number | null, InvalidInput> =>
  Result.gen(function* () {
    let largest: number | null = null
    for (const name of counted) {
      const count: number | null = yield* countOf(members, name)
      if (count !== null) largest = Math.max(largest ?? 0, count)
    }
    return largest
  })

/** Computes the bounds from the members of `membersOf`. */
export function* boundsOf(
  endpoint: CallEndpoint,
  members: RequestMembers
): Turns.Steps<Result.Result<RequestBounds, InvalidInput>> {
  const prompts = endpoint === "completions" ? yield* promptsIn(members.get("prompt")) : 1
  return Result.gen(function* () {
    const known = yield* largestOf(members, limits[endpoint])
    const any = (yield* largestOf(members, allLimits)) ?? 0
    const choices = (yield* largestOf(members, ["n", "best_of"])) ?? 1
    return {
      outputTokens: known === null ? null : Math.max(known, any),
      otherOutputTokens: any,
      choices: choices * prompts,
      isPredicted: !isNull(members.get("prediction")),
      isReferring: endpoint === "responses" && references.some((name) => !isNull(members.get(name)))
    }
  })
}
