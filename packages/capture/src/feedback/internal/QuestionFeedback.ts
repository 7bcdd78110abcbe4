/** Feedback on one question of a call of decisions: the question and the true option must be the call's (contract 16.20). */
import { type InvalidInput, invalid, type StorageError } from "@limbeck/core/errors/Errors"
import { firstPage } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { CallStore } from "../../call/CallStore.ts"
import * as AnsweredQuestions from "../../dialect/decisions/AnsweredQuestions.ts"
import * as QuestionRules from "../../dialect/decisions/QuestionRules.ts"
import { CaptureLimits } from "../../Limits.ts"
import type { NewFeedback } from "../Feedback.ts"

/** The name of the feedback whose comment is the true option. */
const correction = "correction"

const optionsOf = ({ question: { options } }: AnsweredQuestions.IdentifiedQuestion): string =>
  options.map(({ value }) => String(value)).join(", ")

const checkOption = (
  { comment, name }: NewFeedback,
  asked: AnsweredQuestions.IdentifiedQuestion
): Effect.Effect<void, InvalidInput> =>
  name !== correction || QuestionRules.optionAt(asked.question, comment ?? "") >= 0
    ? Effect.void
    : Effect.fail(invalid("comment", `The comment of a correction is an option of the question: ${optionsOf(asked)}`))

export const make = Effect.gen(function* () {
  const store = yield* CallStore
  const digests = yield* Digest

  const callsOf = (partition: Partition, { call, externalId }: NewFeedback) =>
    call !== undefined
      ? Effect.map(store.find(partition, call), Option.toArray)
      : Effect.map(
          store.page(partition, { externalId }, firstPage(CaptureLimits.questionCallsMax)),
          ({ items }) => items
        )

  /**
   * The id of the question that the feedback is about; undefined for feedback on the whole answer. While the call is not
   * stored yet, the question of the request stays unchecked.
   */
  return Effect.fnUntraced(function* (
    partition: Partition,
    request: NewFeedback
  ): Effect.fn.Return<string | undefined, InvalidInput | StorageError> {
    const { question } = request
    if (question === undefined) return undefined
    const calls = yield* callsOf(partition, request)
    if (calls.length === 0) return question
    for (const call of calls) {
      const questions = yield* Effect.provideService(AnsweredQuestions.questionsOf(call), Digest, digests)
      const asked = questions.find(({ id, name }) => id === question || name === question)
      if (asked === undefined) continue
      yield* checkOption(request, asked)
      return asked.id
    }
    return yield* invalid("question", "The call asks no such question: give its id, or its name in that call")
  })
})
