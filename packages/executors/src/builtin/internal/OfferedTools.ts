/** The sets of tools that a student knows: those that its rows offered. A request that offers others may want another answer. */
import { createHash } from "node:crypto"
import * as ToolAnswers from "@limbeck/distill/dataset/ToolAnswers"
import type * as Schema from "effect/Schema"

/** A set that fewer of the rows offer is not known. */
const shareMin = 0.05

/** Null without tools. */
export const idOf = (tools: Schema.Json | undefined): string | null => {
  const offer = ToolAnswers.offerOf(tools)
  return offer === null ? null : createHash("sha256").update(offer).digest("hex")
}

/** The ids of the sets of tools that a sample of rows offers. */
export const learntOf = (sample: ReadonlyArray<{ readonly tools: Schema.Json | undefined }>): ReadonlyArray<string> => {
  const rowsOf = Map.groupBy(sample, ({ tools }) => idOf(tools))
  return [...rowsOf]
    .flatMap(([id, rows]) => (id !== null && rows.length >= sample.length * shareMin ? [id] : []))
    .sort()
}
