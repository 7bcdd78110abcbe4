/**
 * The attempts at a call of a source: the source and its retries, then each fallback and its retries, until one answers
 * (contract 16.8). Another attempt follows only while no byte of a body has come.
 *
 *     plan: source ×(1 + retries) ─▶ fallback 1 ×(1 + retries) ─▶ … ─▶ the last one's answer or failure
 *              │ the breaker is open: passed over
 */
import { CallHolds } from "@limbeck/billing/calls/CallHolds"
import { TokenUses } from "@limbeck/billing/limits/TokenUses"
import type { CallAttempt, CallEndpoint } from "@limbeck/capture/call/CapturedCall"
import * as FailedAttempts from "@limbeck/capture/source/FailedAttempts"
import { type CallError, Forward, failureOf, type ModelRequest } from "@limbeck/capture/source/Forward"
import type { Source } from "@limbeck/capture/source/Source"
import type * as Answer from "@limbeck/capture/tape/Answer"
import { isSuccess, type UpstreamFailure, type UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import * as Body from "@limbeck/core/bytes/Body"
import * as Flow from "@limbeck/core/bytes/Flow"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as ModelMember from "../student/internal/ModelMember.ts"
import * as Breakers from "./internal/Breakers.ts"
import * as OwnScope from "./internal/OwnScope.ts"

export interface SourceCall {
  readonly partition: Partition
  readonly source: Source
  readonly request: ModelRequest & { readonly call: string; readonly endpoint: CallEndpoint }
}

/** One source to ask, with the model that it is asked for. */
interface Step {
  readonly source: Source
  readonly model: string | null
  /** How often this source was asked before in this call. */
  readonly retries: number
}

/** Whether a call of the source may take more than one attempt. */
export const isPlanned = ({ fallbacks, retries }: Source): boolean => fallbacks.length > 0 || retries > 0

/** An answer or failure that another attempt may follow. */
const failureIn = (
  asked: Result.Result<OwnScope.ScopedValue<UpstreamResponse>, CallError>
): FailedAttempts.FailedAttempt | undefined => {
  if (Result.isFailure(asked)) return FailedAttempts.failedAttempt(asked.failure)
  const { headers, status } = asked.success.value
  return FailedAttempts.isRetried(status)
    ? { statusCode: status, error: null, retryAfter: headers["retry-after"] ?? null }
    : undefined
}

/** Waits for the first bytes of a body, so that a source that breaks off before them counts as one that did not answer. */
const awaitBody = Effect.fnUntraced(function* (
  response: UpstreamResponse
): Effect.fn.Return<UpstreamResponse, UpstreamFailure, Scope.Scope> {
  const { body } = response
  if (body._tag === "Whole" || !isSuccess(response.status)) return response
  const pull = yield* Stream.toPull(Flow.toStream(body.flow))
  return yield* Pull.matchEffect(pull, {
    onSuccess: (chunks) => Effect.succeed({ ...response, body: Body.flowing(Flow.prepend(chunks, body.flow)) }),
    onFailure: Effect.failCause,
    onDone: () => Effect.succeed({ ...response, body: Body.whole(new Uint8Array(0)) })
  })
})

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: an attempt, its ending and its successor, each short
export const make = Effect.gen(function* () {
  const forward = yield* Forward
  const holds = yield* CallHolds
  const uses = yield* TokenUses
  const breakers = Breakers.make()

  const fallbacksOf = ({ partition, request, source }: SourceCall) =>
    Effect.forEach(source.fallbacks, ({ model, source: id }) =>
      Effect.map(forward.sourceOf(partition, id, "source"), (fallback) => ({
        source: fallback,
        model: model ?? request.model
      }))
    )

  const planOf = Effect.fnUntraced(function* (call: SourceCall) {
    const own = { source: call.source, model: call.request.model }
    const now = yield* Clock.currentTimeMillis
    const all = [own, ...(yield* fallbacksOf(call))]
    const closed = all.filter(({ source }) => breakers.isClosed(source, now))
    return (closed.length === 0 ? all : closed).flatMap(
      (step): ReadonlyArray<Step> =>
        Array.from({ length: 1 + step.source.retries }, (_, retries) => ({ ...step, retries }))
    )
  })

  const send = Effect.fnUntraced(function* ({ partition, request }: SourceCall, { model, source }: Step) {
    const renamed = request.body !== null && model !== null && request.model !== null && model !== request.model
    const body = renamed && request.body !== null ? yield* ModelMember.replaceModel(request.body, model) : request.body
    const response = yield* forward.send(partition, source, { ...request, body, model })
    return yield* Effect.mapError(awaitBody(response), (failure) => failureOf(source, failure))
  })

  const attempt = (
    call: SourceCall,
    step: Step,
    rest: ReadonlyArray<Step>,
    ended: Array<CallAttempt>
  ): Answer.Attempt => {
    const { source } = step
    const by: Answer.Responder = {
      servedBy: "upstream",
      deployment: null,
      source,
      sourceModel: step.model,
      fallbackReason: null,
      confidence: null,
      attempts: ended
    }

    const note = (startedAt: number, end: Pick<CallAttempt, "error" | "statusCode">) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        ended.push({ source: source.id, model: step.model, ...end, latencyMillis: Math.max(0, now - startedAt) })
        return now
      })

    /** What was held for the attempt before is free, and the next one holds for itself. */
    const follow = Effect.fnUntraced(function* (next: Step, failed: FailedAttempts.FailedAttempt, now: number) {
      if (holds.binds(call.partition)) yield* holds.drop(call.partition, call.request.call)
      if (call.request.spender !== undefined) yield* uses.drop(call.request.call)
      if (next.source.id === source.id) yield* Effect.sleep(FailedAttempts.waitMillis(failed, step.retries, now))
      return attempt(call, next, rest.slice(1), ended)
    })

    const ask = Effect.gen(function* () {
      const startedAt = yield* Clock.currentTimeMillis
      const asked = yield* OwnScope.own(send(call, step)).pipe(
        Effect.onInterrupt(() => note(startedAt, { statusCode: null, error: "client_left" })),
        Effect.result
      )
      const failed = failureIn(asked)
      if (failed === undefined && Result.isFailure(asked)) return yield* asked.failure
      const statusCode = Result.isSuccess(asked) ? asked.success.value.status : (failed?.statusCode ?? null)
      const now = yield* note(startedAt, { statusCode, error: failed?.error ?? null })
      if (failed === undefined) breakers.recordSuccess(source)
      else breakers.recordFailure(source, now)
      const [next] = rest
      if (failed !== undefined && next !== undefined) {
        if (Result.isSuccess(asked)) yield* asked.success.release
        return yield* follow(next, failed, now)
      }
      return Result.isSuccess(asked) ? { ...asked.success.value, by } : yield* asked.failure
    })
    return { by, ask }
  }

  return {
    /** The first attempt; the others follow from it. */
    first: Effect.fnUntraced(function* (call: SourceCall): Effect.fn.Return<Answer.Attempt, CallError> {
      const [step, ...rest] = yield* planOf(call)
      if (step === undefined) return yield* Effect.die("A plan has the source itself")
      return attempt(call, step, rest, [])
    })
  }
})
