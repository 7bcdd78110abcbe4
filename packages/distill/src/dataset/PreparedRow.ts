/** A line made ready for its version: read, redacted, and known by its digest, its prompt and its side of the split. */
import { Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { Limits } from "../Limits.ts"
import { canonicalJson } from "../run/PlanHash.ts"
import type { DatasetVersion } from "./DatasetVersion.ts"
import * as PromptKey from "./PromptKey.ts"
import type { Row, Split } from "./Row.ts"
import * as RowReader from "./RowReader.ts"
import { redactRow } from "./redaction/Redaction.ts"
import { splitOf } from "./Split.ts"

export type Rules = Pick<DatasetVersion, "dedupe" | "holdoutFraction" | "redact" | "seed">

/** A row as the version keeps it. */
export interface PreparedRow {
  readonly text: string
  readonly row: Row
  readonly redactions: number
  readonly digest: Uint8Array
  readonly promptKey: Uint8Array
  readonly split: Split
}

/** The text stays as it came where nothing is to be taken out of it. */
const redacted = (text: string, { json, row }: RowReader.ReadRow, { redact = [] }: Rules) => {
  // A row is an object: it was just read as one.
  const { count, value } = redactRow(json as Schema.JsonObject, redact)
  // Redaction changes nothing but strings, so it is a row as before.
  return count === 0
    ? { text, row, json, redactions: 0 }
    : { text: JSON.stringify(value), row: value as Row, json: value, redactions: count }
}

const utf8 = new TextEncoder()

/** Others have their turn while many are prepared. Null: a line that is no row, or was none already. */
export const prepareAll = Effect.fnUntraced(function* (texts: ReadonlyArray<string | null>, rules: Rules) {
  const digests = yield* Digest
  const rows: Array<PreparedRow | null> = []
  let characters = 0
  for (const text of texts) {
    const read = text === null ? Result.fail("Not text") : RowReader.read(text)
    if (text === null || Result.isFailure(read)) {
      rows.push(null)
      continue
    }
    const { json, ...kept } = redacted(text, read.success, rules)
    const digest = yield* digests.digest(sha256, utf8.encode(canonicalJson(json)))
    const promptKey = PromptKey.of(kept.row, digest)
    // By the prompt, not by the row: so near-duplicates are on one side.
    rows.push({ ...kept, digest, promptKey, split: splitOf(promptKey, rules.seed, rules.holdoutFraction) })
    characters += text.length
    if (characters < Limits.rowTurnCharacters) continue
    characters = 0
    yield* Effect.yieldNow
  }
  return rows
})
