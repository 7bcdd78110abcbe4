/**
 * The true answers to questions, from feedback `correction` whose comment is an option (contract 16.20). Joined to calls by
 * their id, or by the caller's external id.
 */
import type { CallStore, FeedbackFilter } from "@limbeck/capture/call/CallStore"
import type { Feedback } from "@limbeck/capture/feedback/Feedback"
import type { StorageError } from "@limbeck/core/errors/Errors"
import { firstPage } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import { DistillLimits } from "../../Limits.ts"

export interface Correction {
  /** The id of a question, or its name in the call. */
  readonly question: string
  /** The text of the true option. */
  readonly option: string
}

/** The corrections of a call's answers, the newest first. */
export type Corrections = (call: string) => ReadonlyArray<Correction>

const filter: FeedbackFilter = { name: "correction" }

interface FoundCorrection extends Correction {
  readonly feedback: Feedback
}

/** Newest first. */
const feedbackOf = Effect.fnUntraced(function* (calls: CallStore["Service"], partition: Partition) {
  const found: Array<FoundCorrection> = []
  let request = firstPage(DistillLimits.feedbackPage)
  for (let read = 0; read < DistillLimits.correctionsMax; ) {
    const { hasMore, items } = yield* calls.pageFeedback(partition, filter, request)
    for (const feedback of items) {
      const { comment: option, question } = feedback
      if (question !== undefined && question !== null && option !== null) found.push({ feedback, question, option })
    }
    const last = items.at(-1)
    if (!hasMore || last === undefined) break
    read += items.length
    request = { ...request, after: last.id }
  }
  return found
})

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
  const found = yield* feedbackOf(calls, partition)
  const ids = yield* Effect.forEach(found, ({ feedback }) => callsOf(calls, partition, feedback), {
    concurrency: DistillLimits.reviewsAtOnce
  })
  const byCall = new Map<string, Array<Correction>>()
  for (const [index, { option, question }] of found.entries()) {
    for (const call of ids[index] ?? []) {
      const known = byCall.get(call)
      if (known === undefined) byCall.set(call, [{ question, option }])
      else known.push({ question, option })
    }
  }
  return (call) => byCall.get(call) ?? []
})
