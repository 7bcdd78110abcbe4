/** A line made ready for its version: read, redacted, and known by its digest, its prompt and its side of the split. */

import { canonicalJson } from "@limbeck/core/json/CanonicalJson"
import * as Turns from "@limbeck/core/turns/Turns"
import { Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { DatasetVersion } from "../DatasetVersion.ts"
import type { Row, Split } from "../Row.ts"
import * as RowProfiler from "../RowProfiler.ts"
import { redactingRow } from "../redaction/Redaction.ts"
import type { MergedRow } from "./MergedDecisions.ts"
import * as PromptKey from "./PromptKey.ts"
import type { ReviewedRows } from "./ReviewedRows.ts"
import type { RowLine, RowOrigin } from "./RowLine.ts"
import * as RowReader from "./RowReader.ts"
import { splitOf } from "./Split.ts"

export type Rules = Pick<DatasetVersion, "dedupe" | "holdoutFraction" | "redact" | "seed">

/** The parts of a row needed until its batch is stored. */
export interface PreparedRow {
  readonly text: string
  readonly measured: RowProfiler.RowMeasure
  readonly redactions: number
  /** Lines beyond the first that were merged into it. */
  readonly repeats: number
  /** In hexadecimal. */
  readonly digest: string
  readonly promptKey: Uint8Array
  readonly split: Split
  readonly weight: number
  readonly origin: RowOrigin | null
}

/**
 * Redacts the row of a line, gives it the answer that reviewers call right, and computes its RFC 8785 form. The text stays unchanged
 * without both. Null for a line without a valid row, undefined for a row that reviewers call wrong.
 */
function* readSteps(line: string, rules: Rules, reviewed: ReviewedRows) {
  const read = yield* RowReader.reading(line)
  if (Result.isFailure(read)) return null
  // The reader has checked that a row is an object.
  const { count, value } = yield* redactingRow(read.success.json as Schema.JsonObject, rules.redact ?? [])
  yield line.length / 2
  // Redaction changes only strings, so the result still has the shape of a row.
  const redacted = value as unknown as Row
  const row = yield* reviewed.applying(redacted, rules)
  if (row === null) return undefined
  const text = count === 0 && row === redacted ? line : JSON.stringify(row)
  yield line.length / 2
  // The weight is no part of the identity: equal conversations are one row, however many calls it stands for.
  const { weight = 1, ...content } = row
  const canonical = canonicalJson(content)
  // The digest of a long row takes a turn of its own.
  yield line.length / 2
  return { text, row, weight, canonical, redactions: count }
}

/** The measures of a row, besides its digest. */
function* measureSteps(row: Row, digest: string, characters: number) {
  yield characters
  const promptKey = yield* PromptKey.keySteps(row, () => headOf(digest))
  yield characters
  return { promptKey, measured: RowProfiler.measure(row) }
}

const utf8 = new TextEncoder()
const scratchBytes = 64 * 1024
/** Maximum UTF-8 bytes of a character. */
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

/** A row that is read and redacted, and needs to be known by its digest. */
interface ReadRow extends Pick<PreparedRow, "text" | "redactions" | "repeats" | "weight" | "origin"> {
  readonly row: Row
  readonly canonical: string
}

/** Turns, and what finishes a row in them. */
const makePreparation = Effect.fnUntraced(function* (rules: Rules) {
  const digests = yield* Digest
  const { run } = yield* Turns.make
  const encode = makeEncoder()
  const finish = Effect.fnUntraced(function* ({ canonical, row, ...read }: ReadRow) {
    const digest = yield* digests.digestHex(sha256, encode(canonical))
    const { measured, promptKey } = yield* run(measureSteps(row, digest, read.text.length / 2))
    // Splits by prompt instead of by row, so that near-duplicates are on the same side.
    const split = splitOf(promptKey, rules.seed, rules.holdoutFraction)
    return { ...read, measured, digest, promptKey, split } satisfies PreparedRow
  })
  return { run, finish }
})

/**
 * Prepares lines in turns, so that other work runs in between. Null for a line without a valid row; none for a row that reviewers call
 * wrong.
 */
export const prepareAll = Effect.fnUntraced(function* (
  lines: ReadonlyArray<RowLine>,
  rules: Rules,
  reviewed: ReviewedRows
) {
  const { finish, run } = yield* makePreparation(rules)
  const rows: Array<PreparedRow | null> = []
  for (const { origin, text: line } of lines) {
    const read = line === null ? null : yield* run(readSteps(line, rules, reviewed))
    if (read === undefined) continue
    rows.push(read === null ? null : yield* finish({ ...read, repeats: 0, origin }))
  }
  return rows
})

/** Prepares rows of decisions. Their parts were redacted. */
export const prepareMerged = Effect.fnUntraced(function* (merged: ReadonlyArray<MergedRow>, rules: Rules) {
  const { finish } = yield* makePreparation(rules)
  return yield* Effect.forEach(merged, ({ decisions, messages, ...read }) => {
    const json = { messages, completion: null, decisions }
    // Its messages were read from a request for decisions: each has a role.
    const row = json as unknown as Row
    return finish({ ...read, row, text: JSON.stringify(json), canonical: canonicalJson(json), weight: 1 })
  })
})
