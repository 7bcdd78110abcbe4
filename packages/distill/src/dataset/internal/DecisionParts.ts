/**
 * Rows of decisions in two steps of constant memory: each line is stored as a part under the digest of its messages, and the
 * parts of equal messages, which are neighbours by key, become one row.
 */
import * as AnsweredQuestions from "@limbeck/capture/dialect/decisions/AnsweredQuestions"
import type { RowDecision } from "@limbeck/capture/dialect/decisions/Question"
import * as QuestionRules from "@limbeck/capture/dialect/decisions/QuestionRules"
import { canonicalJson } from "@limbeck/core/json/CanonicalJson"
import * as Turns from "@limbeck/core/turns/Turns"
import { Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { DistillLimits } from "../../Limits.ts"
import * as RowShape from "../RowShape.ts"
import type { StoredRow } from "../RowStore.ts"
import { redactingRow } from "../redaction/Redaction.ts"
import type { Correction } from "./Corrections.ts"
import type { DecisionLine } from "./DecisionLine.ts"
import { MergedDecisions, type MergedRow } from "./MergedDecisions.ts"
import type { Rules } from "./PreparedRow.ts"
import type { QuestionTable } from "./QuestionTable.ts"
import type { RowOrigin } from "./RowLine.ts"

/** The id under which the parts of a version are stored until it is ready. */
export const partsOf = (version: string): string => `${version}.parts`

/** A line's part of a row. */
interface Part {
  readonly messages: ReadonlyArray<Schema.Json>
  readonly decisions: ReadonlyArray<RowDecision>
  readonly redactions: number
  readonly origin: RowOrigin | null
}

/** The answer of the teacher, or the true option of the newest correction. */
const decisionOf = (
  { answer, id, name, question }: AnsweredQuestions.IdentifiedQuestion,
  corrections: ReadonlyArray<Correction>
): RowDecision => {
  const about = { question: id, name, kind: question.kind }
  for (const correction of corrections) {
    if (correction.question !== id && correction.question !== name) continue
    const at = QuestionRules.optionAt(question, correction.option)
    if (at < 0) continue
    const probabilities = question.options.map((_, position) => Number(position === at))
    return { ...about, probabilities, refusal: false, source: "feedback" }
  }
  return { ...about, ...answer, source: "teacher" }
}

const utf8 = new TextEncoder()
const digestCharacters = 64

/** The parts of lines, numbered from `first`; null for a line beyond the bounds of a row. */
export const prepare = Effect.fnUntraced(function* (
  lines: ReadonlyArray<DecisionLine>,
  first: number,
  { redact = [] }: Rules,
  table: QuestionTable
) {
  const digests = yield* Digest
  const { run } = yield* Turns.make
  return yield* Effect.forEach(lines, (line, index) =>
    Effect.gen(function* () {
      const questions = yield* AnsweredQuestions.identify(line.questions)
      const decisions = questions.map((question) => decisionOf(question, line.corrections))
      const whole = { messages: line.messages, completion: null, decisions }
      const text = JSON.stringify(whole)
      if (text.length > DistillLimits.rowBytesMax || RowShape.faultOf(whole) !== undefined) return null
      for (const question of questions) table.see(question)
      const { count, value } = yield* run(redactingRow({ messages: line.messages }, redact))
      const messages = value["messages"] as Part["messages"]
      const digest = yield* digests.digestHex(sha256, utf8.encode(canonicalJson(messages)))
      const part: Part = { messages, decisions, redactions: count, origin: line.origin }
      const key = `${digest}.${String(first + index).padStart(8, "0")}`
      return { key, split: "train", body: JSON.stringify(part) } satisfies StoredRow
    })
  )
})

interface Merging {
  readonly digest: string
  readonly messages: Part["messages"]
  readonly merged: MergedDecisions
  readonly redactions: number
  readonly origin: RowOrigin | null
  repeats: number
}

const rowOf = ({ merged, messages, origin, redactions, repeats }: Merging): MergedRow => ({
  messages,
  decisions: merged.decisions,
  redactions,
  origin,
  repeats
})

const withPart = (held: Merging | null, { body, key }: StoredRow): readonly [Merging, ReadonlyArray<MergedRow>] => {
  // Written by `prepare`.
  const { decisions, messages, origin, redactions } = JSON.parse(body) as Part
  const digest = key.slice(0, digestCharacters)
  if (held?.digest === digest) {
    held.merged.add(decisions)
    held.repeats++
    return [held, []]
  }
  const merged = new MergedDecisions()
  merged.add(decisions)
  return [{ digest, messages, merged, redactions, origin, repeats: 0 }, held === null ? [] : [rowOf(held)]]
}

/** The rows of parts that come by ascending key. */
export const merge = <E>(parts: Stream.Stream<StoredRow, E>): Stream.Stream<MergedRow, E> =>
  Stream.mapAccum(parts, (): Merging | null => null, withPart, {
    onHalt: (held) => (held === null ? [] : [rowOf(held)])
  })
