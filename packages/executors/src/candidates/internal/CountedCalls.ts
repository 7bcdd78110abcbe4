/**
 * Calls of hosted models within the budget of a run: each is reserved at the most that it can cost before it is sent, and counted
 * afterwards. A call that failed counts at its bound where its provider may charge it.
 */

import { type Message as RowMessage, tokensOf } from "@limbeck/distill/dataset/RowText"
import { DistillLimits } from "@limbeck/distill/Limits"
import { type ReplyCost, SourceChatFailure, type SourceModel } from "@limbeck/distill/race/HostedModels"
import type { Usage } from "@limbeck/distill/run/Run"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"

/** Allows four times the teacher's length: a longer answer is a different answer. */
export const answerTokensOf = (completion: RowMessage): number =>
  Math.max(DistillLimits.studentAnswerTokens, 4 * tokensOf(completion))

const retried = <A, E>(asking: Effect.Effect<A, SourceChatFailure | E>) =>
  Effect.retry(asking, {
    while: (failure) => failure instanceof SourceChatFailure && failure.isTransient,
    times: DistillLimits.studentTriesMax - 1,
    schedule: Schedule.exponential(DistillLimits.studentBackoffMillis)
  })

const timed = <A, E>(asking: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    const value = yield* asking
    return { value, latencyMillis: Math.max(0, (yield* Clock.currentTimeMillis) - startedAt) }
  })

interface TimedReply<Reply extends ReplyCost = ReplyCost> {
  readonly value: Reply
  readonly latencyMillis: number
}

/** What a call has cost, at most: one that failed costs the bound if its provider may charge it. An interrupted one is the next attempt's. */
const costOf = (exit: Exit.Exit<TimedReply, SourceChatFailure>, bound: number): number =>
  Exit.match(exit, {
    onSuccess: ({ value }) => value.costMicros ?? 0,
    onFailure: (cause) => (Option.exists(Cause.findErrorOption(cause), ({ mayHaveCost }) => mayHaveCost) ? bound : 0)
  })

interface CallMeter<E> {
  /** Succeeds where the budget holds the usage; asked before each call. */
  readonly reserve: (upTo: Usage) => Effect.Effect<void, E>
}

/** `before`: usage of the stage before the calls. `leaveMicros`: room in the budget that the calls do not take; 0 by default. */
export const make = <E>(meter: CallMeter<E>, before: Usage, leaveMicros = 0) => {
  let micros = before.candidateMicros ?? 0
  let tokens = before.candidateTokens ?? 0
  let pending = 0
  const usageAt = (candidateMicros: number): Usage => ({ ...before, candidateTokens: tokens, candidateMicros })

  /** Reserves and makes one call. A failed call counts at its maximum cost if its provider may charge it. */
  const attempt = Effect.fnUntraced(function* <Question, Reply extends ReplyCost>(
    model: SourceModel<Question, Reply>,
    question: Question
  ): Effect.fn.Return<TimedReply<Reply>, SourceChatFailure | E> {
    // A request that cannot be made fails below, and costs nothing.
    const bound = (yield* Effect.orElseSucceed(model.costMax(question), () => null)) ?? 0
    pending += bound
    const reserved =
      bound === 0 ? Effect.void : Effect.suspend(() => meter.reserve(usageAt(micros + pending + leaveMicros)))
    const called = Effect.onExit(timed(model.ask(question)), (exit) =>
      Effect.sync(() => {
        micros += costOf(exit, bound)
      })
    )
    return yield* Effect.ensuring(
      Effect.andThen(reserved, called),
      Effect.sync(() => {
        pending -= bound
      })
    )
  })

  /** Fails where the budget does not hold the call; a failure of the source is a result. */
  const ask = Effect.fnUntraced(function* <Question, Reply extends ReplyCost>(
    model: SourceModel<Question, Reply>,
    question: Question
  ): Effect.fn.Return<Result.Result<TimedReply<Reply>, SourceChatFailure>, E> {
    const reply = yield* Effect.result(retried(attempt(model, question)))
    if (Result.isSuccess(reply)) {
      tokens += reply.success.value.tokens
      return Result.succeed(reply.success)
    }
    const { failure } = reply
    return failure instanceof SourceChatFailure ? Result.fail(failure) : yield* Effect.fail(failure)
  })

  return { ask, usage: () => usageAt(micros) }
}
