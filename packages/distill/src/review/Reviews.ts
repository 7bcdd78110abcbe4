/**
 * Reviewers' feedback on the answers in a version's rows: feedback `correct` (a value of 0.5 or more marks the answer
 * as right, less as wrong) and feedback `correction` (the comment is the right answer). Feedback joins a row by its
 * captured prompt, by the prompt of a reviewed row or by its external id.
 */
import type { CallStore, ScannedCall } from "@limbeck/capture/call/CallStore"
import type { Feedback } from "@limbeck/capture/feedback/Feedback"
import type { StorageError } from "@limbeck/core/errors/Errors"
import { firstPage } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Turns from "@limbeck/core/turns/Turns"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as CallExample from "../dataset/CallExample.ts"
import type { DatasetVersion } from "../dataset/DatasetVersion.ts"
import * as PromptDigest from "../dataset/PromptDigest.ts"
import type { Row } from "../dataset/Row.ts"
import { exampleOf, type Message } from "../dataset/RowText.ts"
import { redactingRow } from "../dataset/redaction/Redaction.ts"
import * as NewestFeedback from "../internal/NewestFeedback.ts"
import { DistillLimits } from "../Limits.ts"
import * as RowReview from "./RowReview.ts"

export interface Reviews {
  /** Undefined without feedback that concerns the row's own answer. */
  readonly find: (row: Row) => Effect.Effect<RowReview.RowReview | undefined>
  /** The review for rows with this prompt digest. */
  readonly ofPrompt: (digest: string) => RowReview.RowReview | undefined
  readonly isEmpty: boolean
}

const names = ["correct", "correction"] as const
const messageOf = (text: string | null): Message => ({ role: "assistant", content: text ?? "" })

/** The answer given or judged by a feedback. */
const answerTo = (row: Row, { comment, name }: Feedback): Message =>
  name === "correction" ? messageOf(comment) : exampleOf(row).completion

/** A call as a row of the version, with the same redaction, and its feedback. */
function* reading(call: ScannedCall, said: Feedback, { redact = [] }: DatasetVersion) {
  const row = yield* CallExample.reading(call)
  if (row === undefined) return undefined
  const answered = { ...row, messages: exampleOf(row).prompt, completion: answerTo(row, said) }
  // A row is a JSON object, also with another answer; only its type lacks an index signature.
  const { value } = yield* redactingRow(answered as unknown as Schema.JsonObject, redact)
  // Redaction changes only strings, so the result still has the shape of a row.
  const redacted = value as unknown as Row
  return { key: yield* PromptDigest.reading(redacted), answer: exampleOf(redacted).completion }
}

const isTelling = ({ comment, name }: Feedback): boolean => name === "correct" || (comment ?? "").trim() !== ""

const note = (reviews: Map<string, RowReview.RowReview>, key: string, said: Feedback, answer: Message) => {
  reviews.set(key, RowReview.withOlder(reviews.get(key) ?? RowReview.none, said, answer))
}

/** Newest first. */
const feedbackOf = Effect.fnUntraced(function* (
  calls: CallStore["Service"],
  partition: Partition,
  isWanted: (feedback: Feedback) => boolean
) {
  const given = yield* Effect.forEach(names, (name) =>
    NewestFeedback.read(calls, partition, {
      name,
      isWanted: (one) => isTelling(one) && isWanted(one),
      max: DistillLimits.reviewsMax
    })
  )
  return given.flat().toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
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

/** Whether a review queue gave it. */
export const isOfQueue = ({ prompt }: Feedback): boolean => prompt !== undefined && prompt !== null

/** Reads all wanted feedback so far, up to a bound. */
export const read = Effect.fnUntraced(function* (
  calls: CallStore["Service"],
  partition: Partition,
  version: DatasetVersion,
  isWanted: (feedback: Feedback) => boolean = () => true
): Effect.fn.Return<Reviews, StorageError> {
  const turns = yield* Turns.make
  const said = yield* feedbackOf(calls, partition, isWanted)
  const found = yield* Effect.forEach(said, (one) => callsOf(calls, partition, one), {
    concurrency: DistillLimits.reviewsAtOnce
  })
  const reviews = new Map<string, RowReview.RowReview>()
  const external = new Map<string, Array<Feedback>>()
  for (const [index, one] of said.entries()) {
    const { call, comment, prompt = null } = one
    // A call tells its prompt itself, and as this version redacts it.
    if (call === null && prompt !== null) note(reviews, prompt, one, messageOf(comment))
    if (one.externalId !== null) external.set(one.externalId, [...(external.get(one.externalId) ?? []), one])
    for (const call of found[index] ?? []) {
      const read = yield* turns.run(reading(call, one, version))
      if (read?.key !== undefined) note(reviews, read.key, one, read.answer)
    }
  }
  return {
    find: Effect.fnUntraced(function* (row: Row) {
      if (said.length === 0) return undefined
      const key = yield* turns.run(PromptDigest.reading(row))
      const byPrompt = key === undefined ? undefined : reviews.get(key)
      if (byPrompt !== undefined || row.external_id === undefined) return byPrompt
      const own = external.get(row.external_id)
      return own?.reduce((review, one) => RowReview.withOlder(review, one, answerTo(row, one)), RowReview.none)
    }),
    ofPrompt: (digest) => reviews.get(digest),
    isEmpty: reviews.size === 0
  }
})
