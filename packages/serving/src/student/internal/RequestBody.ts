/** The body of a request that a student of this process reads. */
import * as Utf8 from "@limbeck/core/bytes/Utf8"
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import * as JsonShape from "@limbeck/core/json/JsonShape"
import type * as Turns from "@limbeck/core/turns/Turns"
import * as Result from "effect/Result"
import { ServingLimits } from "../../Limits.ts"

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const shapeMax = { depth: ServingLimits.studentDepthMax, members: ServingLimits.studentMembersMax }
const tooMuch = `A student reads at most ${shapeMax.members} members and items in all, ${shapeMax.depth} levels deep`

/**
 * The parsed body; undefined for invalid JSON. Checks the shape before parsing, and parses no refused body. `known`: the result of an
 * earlier parse.
 */
export function* reading(body: Uint8Array | null, known?: unknown): Turns.Steps<Result.Result<unknown, InvalidInput>> {
  const text = yield* Utf8.decoding(body ?? new Uint8Array())
  if ((yield* JsonShape.excessSteps(text, shapeMax)) !== undefined) return Result.fail(invalid(null, tooMuch))
  return Result.succeed(known ?? parsed(text))
}
