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
import * as RowProfiler from "./RowProfiler.ts"
import * as RowReader from "./RowReader.ts"
import { redactRow } from "./redaction/Redaction.ts"
import { splitOf } from "./Split.ts"

export type Rules = Pick<DatasetVersion, "dedupe" | "holdoutFraction" | "redact" | "seed">

/** What the version needs of a row; no more of it waits in memory until its batch is stored. */
export interface PreparedRow {
  readonly text: string
  readonly measured: RowProfiler.Measured
  readonly redactions: number
  /** In hexadecimal. */
  readonly digest: string
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
const scratchBytes = 64 * 1024
/** A character of a text is at most so many bytes. */
const bytesPerCharacter = 3

/** Encodes one text after the other: the bytes are good until the next. Large ones have memory of their own. */
const makeEncoder = () => {
  const scratch = new Uint8Array(scratchBytes)
  return (text: string): Uint8Array =>
    text.length * bytesPerCharacter > scratchBytes
      ? utf8.encode(text)
      : scratch.subarray(0, utf8.encodeInto(text, scratch).written)
}

/** The first bytes of a digest in hexadecimal, as many as a prompt's key has. */
const headOf = (hex: string): Uint8Array => {
  const bytes = new Uint8Array(8)
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16)
  return bytes
}

/** Others have their turn while many are prepared. Null: a line that is no row, or was none already. */
export const prepareAll = Effect.fnUntraced(function* (texts: ReadonlyArray<string | null>, rules: Rules) {
  const digests = yield* Digest
  const encode = makeEncoder()
  const rows: Array<PreparedRow | null> = []
  let characters = 0
  for (const text of texts) {
    const read = text === null ? Result.fail("Not text") : RowReader.read(text)
    if (text === null || Result.isFailure(read)) {
      rows.push(null)
      continue
    }
    const { json, redactions, row, text: kept } = redacted(text, read.success, rules)
    const digest = yield* digests.digestHex(sha256, encode(canonicalJson(json)))
    const promptKey = PromptKey.of(row, () => headOf(digest))
    rows.push({
      text: kept,
      measured: RowProfiler.measure(row),
      redactions,
      digest,
      promptKey,
      // By the prompt, not by the row: so near-duplicates are on one side.
      split: splitOf(promptKey, rules.seed, rules.holdoutFraction)
    })
    characters += text.length
    if (characters < Limits.rowTurnCharacters) continue
    characters = 0
    yield* Effect.yieldNow
  }
  return rows
})
