/**
 * Applies review queue verdicts to train rows during a build, and counts corrected and dropped rows. Holdout rows keep teacher answers;
 * evaluations report verdicts separately.
 */
import type * as Turns from "@limbeck/core/turns/Turns"
import type { Reviews } from "../../review/Reviews.ts"
import * as RowReview from "../../review/RowReview.ts"
import type { DatasetVersion } from "../DatasetVersion.ts"
import * as PromptDigest from "../PromptDigest.ts"
import type { Row } from "../Row.ts"
import { splitOf } from "./Split.ts"

type SplitRules = Pick<DatasetVersion, "holdoutFraction" | "seed">

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from({ length: hex.length / 2 }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16))

export class ReviewedRows {
  readonly #reviews: Pick<Reviews, "isEmpty" | "ofPrompt">
  /** Rows with another answer than their source has, and rows left out. */
  #corrected = 0
  #dropped = 0

  constructor(reviews: Pick<Reviews, "isEmpty" | "ofPrompt">) {
    this.#reviews = reviews
  }

  get counts(): NonNullable<DatasetVersion["reviewed"]> {
    return { corrected: this.#corrected, dropped: this.#dropped }
  }

  /** The row with the verdicts applied; null for a wrong answer without a known right one. */
  *applying(row: Row, { holdoutFraction, seed }: SplitRules): Turns.Steps<Row | null> {
    if (this.#reviews.isEmpty) return row
    const digest = yield* PromptDigest.reading(row)
    const review = digest === undefined ? undefined : this.#reviews.ofPrompt(digest)
    if (digest === undefined || review === undefined) return row
    if (splitOf(bytesOf(digest), seed, holdoutFraction) === "holdout") return row
    const applied = RowReview.applyReview(row, review)
    if (applied === null) this.#dropped++
    else if (applied !== row) this.#corrected++
    return applied
  }
}
