/** Takes feedback on answers, and lists it. */
import { type InvalidInput, invalid, type NotFound, notFound, type StorageError } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Characters from "@limbeck/core/text/Characters"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { CallStore, type FeedbackFilter } from "../call/CallStore.ts"
import { isMadeSince } from "../call/CapturedCall.ts"
import { CaptureLimits } from "../Limits.ts"
import type { Feedback, NewFeedback } from "./Feedback.ts"
import * as QuestionFeedback from "./internal/QuestionFeedback.ts"

export class Feedbacks extends Context.Service<
  Feedbacks,
  {
    /**
     * The call must exist, unless it was made within the last hour, or by a clock ahead of ours: it may wait in a journal,
     * and is joined on arrival. An external id may be unknown. A call that is there must ask the question, and the comment of
     * a `correction` must be one of its options.
     */
    readonly create: (
      partition: Partition,
      request: NewFeedback
    ) => Effect.Effect<Feedback, InvalidInput | NotFound | StorageError>
    /** Newest first. */
    readonly page: (
      partition: Partition,
      filter: FeedbackFilter,
      request: PageRequest
    ) => Effect.Effect<Page<Feedback>, StorageError>
  }
>()("@limbeck/capture/feedback/Feedbacks") {}

const isWithin = (text: string | undefined, max: number, min = 1): boolean =>
  text === undefined || (text.length >= min && Characters.areAtMost(text, max))

const check = ({
  call,
  comment,
  externalId,
  name,
  question,
  value
}: NewFeedback): Result.Result<void, InvalidInput> => {
  if (call === undefined && externalId === undefined) {
    return Result.fail(invalid("call_id", "Say what it is about: call_id, external_id, or both"))
  }
  if (!isWithin(externalId, CaptureLimits.externalIdMax)) {
    return Result.fail(invalid("external_id", `An external id has 1 to ${CaptureLimits.externalIdMax} characters`))
  }
  if (!isWithin(name, CaptureLimits.feedbackNameMax)) {
    return Result.fail(invalid("name", `A name has 1 to ${CaptureLimits.feedbackNameMax} characters`))
  }
  if (!isWithin(question, CaptureLimits.questionNameMax)) {
    return Result.fail(invalid("question", `A question has 1 to ${CaptureLimits.questionNameMax} characters`))
  }
  if (!Number.isFinite(value)) return Result.fail(invalid("value", "The value is a number"))
  return isWithin(comment, CaptureLimits.commentMax, 0)
    ? Result.void
    : Result.fail(invalid("comment", `A comment has at most ${CaptureLimits.commentMax} characters`))
}

const make = Effect.gen(function* () {
  const store = yield* CallStore
  const ids = yield* Ids
  const questionOf = yield* QuestionFeedback.make

  const isThere = (partition: Partition, call: string | undefined) =>
    call === undefined ? Effect.succeed(true) : Effect.map(store.find(partition, call), Option.isSome)

  const create = Effect.fn("Feedbacks.create")(function* (partition: Partition, request: NewFeedback) {
    yield* Effect.fromResult(check(request))
    const { call, comment, externalId, givenBy, name, value } = request
    const now = yield* Clock.currentTimeMillis
    const awaitsCall = !(yield* isThere(partition, call))
    const mayCome = call !== undefined && isMadeSince(call, now - CaptureLimits.feedbackEarlyMillis)
    const missing = notFound("captured call", `${call}`, "call_id")
    if (awaitsCall && !mayCome) return yield* missing
    const question = yield* questionOf(partition, request)
    const feedback: Feedback = {
      id: yield* ids.make("fb"),
      call: call ?? null,
      externalId: externalId ?? null,
      name,
      value,
      comment: comment ?? null,
      ...(question === undefined ? {} : { question }),
      ...(givenBy === undefined ? {} : { givenBy }),
      createdAt: now
    }
    const isStored = yield* store.insertFeedback(partition, feedback, awaitsCall)
    return isStored ? feedback : yield* missing
  })

  return Feedbacks.of({
    create,
    page: (partition, filter, request) => store.pageFeedback(partition, filter, request)
  })
})

export const layer: Layer.Layer<Feedbacks, never, CallStore | Ids | Digest> = Layer.effect(Feedbacks, make)
