/** Takes what somebody thought of an answer, and lists it. */
import { type InvalidInput, invalid, type StorageError } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { NotYet } from "@limbeck/core/storage/NotYet"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Limits } from "../Limits.ts"
import { CallStore, type FeedbackFilter } from "./CallStore.ts"
import { Calls } from "./Calls.ts"
import type { Feedback } from "./Feedback.ts"

export interface NewFeedback {
  /** One of the two, or both. */
  readonly call?: string | undefined
  readonly externalId?: string | undefined
  readonly name: string
  readonly value: number
  readonly comment?: string | undefined
}

export class Feedbacks extends Context.Service<
  Feedbacks,
  {
    /** A call has to be there, and one that was just made may be on its way; an external id need not be of any call yet. */
    readonly create: (
      partition: Partition,
      request: NewFeedback
    ) => Effect.Effect<Feedback, NotYet<InvalidInput> | InvalidInput | StorageError>
    /** Newest first. */
    readonly page: (
      partition: Partition,
      filter: FeedbackFilter,
      request: PageRequest
    ) => Effect.Effect<Page<Feedback>, StorageError>
  }
>()("@limbeck/gateway/capture/Feedbacks") {}

const isWithin = (text: string | undefined, max: number, min = 1): boolean =>
  text === undefined || (text.length >= min && text.length <= max)

const check = ({ call, comment, externalId, name, value }: NewFeedback): Result.Result<void, InvalidInput> => {
  if (call === undefined && externalId === undefined) {
    return Result.fail(invalid("call_id", "Say what it is about: call_id, external_id, or both"))
  }
  if (!isWithin(externalId, Limits.externalIdMax)) {
    return Result.fail(invalid("external_id", `An external id has 1 to ${Limits.externalIdMax} characters`))
  }
  if (!isWithin(name, Limits.feedbackNameMax)) {
    return Result.fail(invalid("name", `A name has 1 to ${Limits.feedbackNameMax} characters`))
  }
  if (!Number.isFinite(value)) return Result.fail(invalid("value", "The value is a number"))
  return isWithin(comment, Limits.commentMax, 0)
    ? Result.void
    : Result.fail(invalid("comment", `A comment has at most ${Limits.commentMax} characters`))
}

const make = Effect.gen(function* () {
  const store = yield* CallStore
  const calls = yield* Calls
  const ids = yield* Ids

  const checkCall = (partition: Partition, id: string) => {
    const refusal = invalid("call_id", `No such captured call: ${id}`)
    return Effect.mapError(calls.look(partition, id), (error) => {
      if (error._tag === "StorageError") return error
      return error._tag === "NotYet" ? new NotYet(refusal) : refusal
    })
  }

  const create = Effect.fn("Feedbacks.create")(function* (partition: Partition, request: NewFeedback) {
    yield* Effect.fromResult(check(request))
    const { call, comment, externalId, name, value } = request
    if (call !== undefined) yield* checkCall(partition, call)
    const feedback: Feedback = {
      id: yield* ids.make("fb"),
      call: call ?? null,
      externalId: externalId ?? null,
      name,
      value,
      comment: comment ?? null,
      createdAt: yield* Clock.currentTimeMillis
    }
    yield* store.insertFeedback(partition, feedback)
    return feedback
  })

  return Feedbacks.of({
    create,
    page: Effect.fn("Feedbacks.page")((partition, filter, request) => store.pageFeedback(partition, filter, request))
  })
})

export const layer: Layer.Layer<Feedbacks, never, CallStore | Calls | Ids> = Layer.effect(Feedbacks, make)
