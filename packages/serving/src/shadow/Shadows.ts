/**
 * Students in shadow: once an answer has been passed on, they are asked the same, and what they answer is recorded beside it.
 * Never on the answer's way: copies of calls that students cannot keep up with are dropped and counted.
 *
 *     answer ── passed on ──▶ copy ── room ───▶ lane (builtin | endpoint) ──▶ student asked ──▶ recorded
 *                              └── no room ──▶ dropped
 *
 * Invariant: `waiting` and `waitingBytes` count the copies in the lanes and those whose student is asked, each once.
 */
import { Decoder } from "@limbeck/capture/call/Decoder"
import { Recorder } from "@limbeck/capture/journal/Recorder"
import type { Durability } from "@limbeck/capture/source/Source"
import type { Answer } from "@limbeck/capture/tape/Answer"
import type { UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import { saysTheSame } from "@limbeck/distill/reward/Completion"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { DeploymentCall } from "../answer/internal/DeploymentCall.ts"
import { ServingLimits } from "../Limits.ts"
import type { EndpointStudent } from "../student/internal/EndpointStudent.ts"
import * as AnswerCopy from "./internal/AnswerCopy.ts"
import * as AnswerKey from "./internal/AnswerKey.ts"
import * as ShadowStudent from "./internal/ShadowStudent.ts"

/** A call with the answer that was given. */
interface ShadowCopy {
  readonly call: DeploymentCall
  readonly answer: AnswerCopy.AnswerCopy
  readonly headers: UpstreamResponse["headers"]
  /** False: another student answered. */
  readonly isUpstreams: boolean
  /** Of the call. */
  readonly durability: Durability
}

export interface ShadowFigures {
  readonly waiting: number
  /** Copies that were given up since the process began. */
  readonly dropped: number
}

const sizeOf = ({ answer, call }: ShadowCopy): number => answer.bytes + (call.request.body?.length ?? 0)

export const make = Effect.fnUntraced(function* (endpointStudent: EndpointStudent) {
  const { ask } = yield* ShadowStudent.make(endpointStudent)
  const recorder = yield* Recorder
  const decoder = yield* Decoder
  const lanes = { builtin: yield* Queue.unbounded<ShadowCopy>(), endpoint: yield* Queue.unbounded<ShadowCopy>() }
  let waiting = 0
  let waitingBytes = 0
  let dropped = 0

  const offer = (copy: ShadowCopy) => {
    const size = sizeOf(copy)
    if (waiting >= ServingLimits.shadowsMax || waitingBytes + size > ServingLimits.shadowsBytesMax) {
      dropped++
      return
    }
    waiting++
    waitingBytes += size
    Queue.offerUnsafe(copy.call.deployment.endpoint === null ? lanes.builtin : lanes.endpoint, copy)
  }

  const perform = Effect.fnUntraced(function* ({ answer, call, durability, headers, isUpstreams }: ShadowCopy) {
    const { createdAt, latencyMillis, result } = yield* ask(call)
    const { confidence, message } = result._tag === "Success" ? result.success : { message: null, confidence: null }
    const given =
      answer.chunks === null || message === null ? null : yield* ShadowStudent.messageOf(headers, answer.chunks)
    yield* recorder.record(
      {
        kind: "shadow",
        partition: call.partition.key,
        call: call.request.call,
        deployment: call.deployment.id,
        error: result._tag === "Success" ? null : result.failure.message,
        message: message === null ? null : JSON.stringify(message),
        confidence,
        latencyMillis,
        agrees: message === null || given === null ? null : saysTheSame(given, message),
        answer: isUpstreams && given !== null ? AnswerKey.of(given) : null,
        createdAt
      },
      durability
    )
  })

  const next = (lane: Queue.Queue<ShadowCopy>) =>
    Effect.flatMap(Queue.take(lane), (copy) =>
      perform(copy).pipe(
        Effect.provideService(Decoder, decoder),
        Effect.catchCause((cause) => Effect.logError("shadow_student_defect", cause)),
        Effect.ensuring(
          Effect.sync(() => {
            waiting--
            waitingBytes -= sizeOf(copy)
          })
        )
      )
    )
  for (let worker = 0; worker < ServingLimits.shadowsAtOnce; worker++) {
    for (const lane of [lanes.builtin, lanes.endpoint]) yield* Effect.forkScoped(Effect.forever(next(lane)))
  }

  /** The same response; when it has been passed on, the student is asked. Its answer is kept as durably as the call. */
  const listen = (call: DeploymentCall, response: Answer, durability: Durability) => {
    const { by, headers } = response
    const isUpstreams = by.source !== null
    return AnswerCopy.taking(response, (answer) => offer({ call, answer, headers, isUpstreams, durability }))
  }

  const figures = Effect.sync((): ShadowFigures => ({ waiting, dropped }))
  return { listen, figures }
})
