/** Tool sets known to a student, from its training rows. A request with other tools may need another answer. */
import { createHash } from "node:crypto"
import * as ToolAnswers from "@limbeck/distill/dataset/ToolAnswers"
import type * as Schema from "effect/Schema"

/** Minimum share of rows with the same tool set, for a known set. */
const shareMin = 0.05

/** Null without tools. */
export const idOf = (tools: Schema.Json | undefined): string | null => {
  const offer = ToolAnswers.offerOf(tools)
  return offer === null ? null : createHash("sha256").update(offer).digest("hex")
}

/** Ids of tool sets in a sample of rows. */
export const learntOf = (sample: ReadonlyArray<{ readonly tools: Schema.Json | undefined }>): ReadonlyArray<string> => {
  const rowsOf = Map.groupBy(sample, ({ tools }) => idOf(tools))
  return [...rowsOf]
    .flatMap(([id, rows]) => (id !== null && rows.length >= sample.length * shareMin ? [id] : []))
    .sort()
}
