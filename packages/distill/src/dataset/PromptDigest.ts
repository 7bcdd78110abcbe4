/** The key of a row's prompt as text: equal for near-duplicates. */
import type * as Turns from "@limbeck/core/turns/Turns"
import * as PromptKey from "./internal/PromptKey.ts"
import type { Row } from "./Row.ts"

/** The key of an empty prompt. */
const nothing = new Uint8Array(8)

/** Hexadecimal; undefined for a row whose prompt says nothing. */
export function* reading(row: Row): Turns.Steps<string | undefined> {
  const key = yield* PromptKey.keySteps(row, () => nothing)
  return key.some((byte) => byte !== 0)
    ? Array.from(key, (byte) => byte.toString(16).padStart(2, "0")).join("")
    : undefined
}
