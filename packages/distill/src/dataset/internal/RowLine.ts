/** A line of a version's source: the text of a row, and the kind of source that it comes from. */
import * as Schema from "effect/Schema"

/** The origin of a row in a version of calls. */
export const RowOrigin = Schema.Literals(["upstream", "fallback", "verified", "versions"])
export type RowOrigin = typeof RowOrigin.Type

export interface RowLine {
  /** JSON; null for a line that is no text, or a call that is too large, or has too many members, to be a row. */
  readonly text: string | null
  /** Null for uploads and pulls, and for a student's answers. */
  readonly origin: RowOrigin | null
}
