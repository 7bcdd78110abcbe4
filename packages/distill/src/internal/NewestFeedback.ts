/** Reads pages of feedback of a name, newest first, and filters them. */
import type { CallStore } from "@limbeck/capture/call/CallStore"
import type { Feedback } from "@limbeck/capture/feedback/Feedback"
import type { StorageError } from "@limbeck/core/errors/Errors"
import { firstPage } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import { DistillLimits } from "../Limits.ts"

interface Wanted {
  readonly name: string
  readonly isWanted: (feedback: Feedback) => boolean
  /** Of the wanted feedback. */
  readonly max: number
}

/** Newest first; at most `max`, among the newest `feedbackReadMax`. */
export const read = Effect.fnUntraced(function* (
  calls: CallStore["Service"],
  partition: Partition,
  { isWanted, max, name }: Wanted
): Effect.fn.Return<ReadonlyArray<Feedback>, StorageError> {
  const wanted: Array<Feedback> = []
  let request = firstPage(DistillLimits.feedbackPage)
  for (let read = 0; read < DistillLimits.feedbackReadMax && wanted.length < max; ) {
    const { hasMore, items } = yield* calls.pageFeedback(partition, { name }, request)
    wanted.push(...items.filter(isWanted))
    const last = items.at(-1)
    if (!hasMore || last === undefined) break
    read += items.length
    request = { ...request, after: last.id }
  }
  return wanted.slice(0, max)
})
