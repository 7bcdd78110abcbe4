/**
 * Reviewers' feedback on the answers in a version's rows: feedback `correct` (a value of 0.5 or more marks the answer
 * as right, less as wrong) and feedback `correction` (the comment is the right answer). Feedback joins a row by its
 * captured prompt or by its external id.
 */
import type { CallStore, ScannedCall } from "@limbeck/capture/call/CallStore"
import type { Feedback } from "@limbeck/capture/feedback/Feedback"
import type { StorageError } from "@limbeck/core/errors/Errors"
import { firstPage } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Turns from "@limbeck/core/turns/Turns"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { DatasetVersion } from "../../dataset/DatasetVersion.ts"
import * as CallRow from "../../dataset/internal/CallRow.ts"
import * as PromptKey from "../../dataset/internal/PromptKey.ts"
import * as RowReader from "../../dataset/internal/RowReader.ts"
import * as TrafficWeights from "../../dataset/internal/TrafficWeights.ts"
import type { Row } from "../../dataset/Row.ts"
import { exampleOf, type Message } from "../../dataset/RowText.ts"
import { redactingRow } from "../../dataset/redaction/Redaction.ts"
import { DistillLimits } from "../../Limits.ts"
import { saysTheSame } from "../../reward/Completion.ts"

/** The feedback on the answers to one prompt. */
interface Review {
  /** The right answer; undefined if only wrong answers are known. */
  right: Message | undefined
  readonly wrong: Array<Message>
}

export interface Reviews {
  /** Undefined without feedback that concerns the row's own answer. */
  readonly find: (row: Row) => Effect.Effect<Readonly<Review> | undefined>
}

const names = ["correct", "correction"] as const
const rightFrom = 0.5

/** The key of an empty prompt. */
const nothing = new Uint8Array(8)

function* promptKeyOf(row: Row): Turns.Steps<string | undefined> {
  const key = yield* PromptKey.making(row, () => nothing)
  return key.some((byte) => byte !== 0) ? key.join(" ") : undefined
}

/** The answer given or judged by a feedback. */
const answerTo = (row: Row, { comment, name }: Feedback): Message =>
  name === "correction" ? { role: "assistant", content: comment ?? "" } : exampleOf(row).completion

/** A call as a row of the version, with the same redaction, and its feedback. */
function* reading(call: ScannedCall, said: Feedback, { redact = [] }: DatasetVersion) {
  const line = yield* CallRow.reading(call, TrafficWeights.none)
  const read = "text" in line && line.text !== null ? yield* RowReader.reading(line.text) : undefined
  if (read === undefined || Result.isFailure(read)) return undefined
  const { row } = read.success
  const answered = { ...row, messages: exampleOf(row).prompt, completion: answerTo(row, said) }
  // A row is a JSON object, also with another answer; only its type lacks an index signature.
  const { value } = yield* redactingRow(answered as unknown as Schema.JsonObject, redact)
  // Redaction changes only strings, so the result still has the shape of a row.
  const redacted = value as unknown as Row
  return { key: yield* promptKeyOf(redacted), answer: exampleOf(redacted).completion }
}

const isTelling = ({ comment, name }: Feedback): boolean => name === "correct" || (comment ?? "").trim() !== ""

const note = (reviews: Map<string, Review>, key: string, { name, value }: Feedback, answer: Message) => {
  const review = reviews.get(key) ?? { right: undefined, wrong: [] }
  reviews.set(key, review)
  // The newest comes first, and stands.
  const isKnownWrong = review.wrong.some((wrong) => saysTheSame(wrong, answer))
  if (name === "correct" && value < rightFrom) review.wrong.push(answer)
  else if (!isKnownWrong) review.right ??= answer
}

/** Newest first. */
const feedbackOf = Effect.fnUntraced(function* (calls: CallStore["Service"], partition: Partition) {
  const pages = yield* Effect.forEach(names, (name) =>
    calls.pageFeedback(partition, { name }, firstPage(DistillLimits.reviewsMax))
  )
  return pages
    .flatMap(({ items }) => items)
    .filter(isTelling)
    .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
})

/** The calls of a feedback. */
const callsOf = (calls: CallStore["Service"], partition: Partition, { call, externalId }: Feedback) => {
  if (call !== null) return Effect.map(calls.find(partition, call), Option.toArray)
  if (externalId === null) return Effect.succeed([])
  return Effect.map(
    // A verdict is on the answer that was given, and not on the one that verifies it.
    calls.page(partition, { externalId, verifies: false }, firstPage(DistillLimits.reviewedCallsMax)),
    ({ items }) => items
  )
}

/** Reads all feedback so far, up to a bound. */
export const read = Effect.fnUntraced(function* (
  calls: CallStore["Service"],
  partition: Partition,
  version: DatasetVersion
): Effect.fn.Return<Reviews, StorageError> {
  const turns = yield* Turns.make
  const said = yield* feedbackOf(calls, partition)
  const found = yield* Effect.forEach(said, (one) => callsOf(calls, partition, one), {
    concurrency: DistillLimits.reviewsAtOnce
  })
  const reviews = new Map<string, Review>()
  const external = new Map<string, Array<Feedback>>()
  for (const [index, one] of said.entries()) {
    if (one.externalId !== null) external.set(one.externalId, [...(external.get(one.externalId) ?? []), one])
    for (const call of found[index] ?? []) {
      const read = yield* turns.run(reading(call, one, version))
      if (read?.key !== undefined) note(reviews, read.key, one, read.answer)
    }
  }
  return {
    find: Effect.fnUntraced(function* (row: Row) {
      if (said.length === 0) return undefined
      const key = yield* turns.run(promptKeyOf(row))
      const byPrompt = key === undefined ? undefined : reviews.get(key)
      if (byPrompt !== undefined || row.external_id === undefined) return byPrompt
      const own = new Map<string, Review>()
      for (const one of external.get(row.external_id) ?? []) note(own, "", one, answerTo(row, one))
      return own.get("")
    })
  }
})
