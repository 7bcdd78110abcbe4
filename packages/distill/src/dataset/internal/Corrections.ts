/**
 * The true answers to questions, from feedback `correction` whose comment is an option (contract 16.20). Joined to calls by
 * their id, or by the caller's external id.
 */
import type { CallStore } from "@limbeck/capture/call/CallStore"
import type { Feedback } from "@limbeck/capture/feedback/Feedback"
import type { StorageError } from "@limbeck/core/errors/Errors"
import { firstPage } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import * as NewestFeedback from "../../internal/NewestFeedback.ts"
import { DistillLimits } from "../../Limits.ts"

export interface Correction {
  /** The id of a question, or its name in the call. */
  readonly question: string
  /** The text of the true option. */
  readonly option: string
}

/** The corrections of a call's answers, the newest first. */
export type Corrections = (call: string) => ReadonlyArray<Correction>

const correctionOf = ({ comment: option, question = null }: Feedback): Correction | null =>
  question === null || option === null ? null : { question, option }

const newest = {
  name: "correction",
  isWanted: (feedback: Feedback) => correctionOf(feedback) !== null,
  max: DistillLimits.feedbackReadMax
}

const callsOf = (calls: CallStore["Service"], partition: Partition, { call, externalId }: Feedback) => {
  if (call !== null) return Effect.succeed([call])
  if (externalId === null) return Effect.succeed([])
  const page = calls.page(partition, { externalId }, firstPage(DistillLimits.reviewedCallsMax))
  return Effect.map(page, ({ items }) => items.map(({ id }) => id))
}

/** Reads all corrections so far, up to a bound. */
export const read = Effect.fnUntraced(function* (
  calls: CallStore["Service"],
  partition: Partition
): Effect.fn.Return<Corrections, StorageError> {
  const given = yield* NewestFeedback.read(calls, partition, newest)
  const ids = yield* Effect.forEach(given, (feedback) => callsOf(calls, partition, feedback), {
    concurrency: DistillLimits.reviewsAtOnce
  })
  const byCall = new Map<string, Array<Correction>>()
  for (const [index, feedback] of given.entries()) {
    const correction = correctionOf(feedback)
    if (correction === null) continue
    for (const call of ids[index] ?? []) {
      const known = byCall.get(call)
      if (known === undefined) byCall.set(call, [correction])
      else known.push(correction)
    }
  }
  return (call) => byCall.get(call) ?? []
})
