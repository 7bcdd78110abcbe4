/** Applies what `clean` has decided to prepared rows, by the digests of their contents. */
import * as Effect from "effect/Effect"
import * as RowReview from "../../review/RowReview.ts"
import type { Row } from "../Row.ts"
import type { Message } from "../RowText.ts"
import { type PreparedRow, prepareAll, type Rules } from "./PreparedRow.ts"
import { ReviewedRows } from "./ReviewedRows.ts"

export interface CleanedRows {
  /** Digests of rows that are left out. */
  readonly left: ReadonlySet<string>
  /** The right answers of other rows, by digest. */
  readonly right: ReadonlyMap<string, Message>
}

export const none: CleanedRows = { left: new Set(), right: new Map() }

const unreviewed = () => new ReviewedRows({ isEmpty: true, ofPrompt: () => undefined })

/** The row with another answer, which is redacted like the rest. */
const corrected = Effect.fnUntraced(function* (row: PreparedRow, right: Message, rules: Rules) {
  // A prepared row is valid.
  const own: Row = JSON.parse(row.text)
  const text = JSON.stringify(RowReview.applyReview(own, { right, wrong: [] }))
  const [next] = yield* prepareAll([{ text, origin: row.origin }], rules, unreviewed())
  return next ? { ...next, repeats: row.repeats, redactions: row.redactions + next.redactions } : row
})

export const apply = Effect.fnUntraced(function* (
  rows: ReadonlyArray<PreparedRow | null>,
  { left, right }: CleanedRows,
  rules: Rules
) {
  const kept = left.size === 0 ? rows : rows.filter((row) => row === null || !left.has(row.digest))
  if (right.size === 0) return kept
  return yield* Effect.forEach(kept, (row) => {
    const answer = row === null ? undefined : right.get(row.digest)
    return row === null || answer === undefined ? Effect.succeed(row) : corrected(row, answer, rules)
  })
})
