/**
 * Shadow students: after an answer has passed, they get the same call, and their answer is recorded beside it. Also the
 * reverse: the upstream gets a call that a student has answered. Never delays an answer: copies beyond the room are dropped
 * and counted.
 *
 *     answer ── passed on ──▶ copy ── room ───▶ lane (builtin | endpoint | upstream) ──▶ asked ──▶ recorded
 *                              └── no room ──▶ dropped
 */
import { Decoder } from "@limbeck/capture/call/Decoder"
import { Recorder } from "@limbeck/capture/journal/Recorder"
import { type Durability, defaultCapture } from "@limbeck/capture/source/Source"
import type { Answer } from "@limbeck/capture/tape/Answer"
import type { UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import { isObject } from "@limbeck/core/json/Json"
import { Pools } from "@limbeck/core/pools/Pools"
import * as ClosedFields from "@limbeck/distill/dataset/ClosedFields"
import { structureOf } from "@limbeck/distill/dataset/LabelRules"
import { textOf } from "@limbeck/distill/dataset/RowText"
import { givesTheSameLabel, saysTheSame } from "@limbeck/distill/reward/Completion"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { DecisionCall, DeploymentCall } from "../answer/internal/DeploymentCall.ts"
import * as DecisionVerification from "../guard/internal/DecisionVerification.ts"
import * as UpstreamAnswer from "../guard/internal/UpstreamAnswer.ts"
import type { EndpointStudent } from "../student/internal/EndpointStudent.ts"
import type { ChatMessage } from "../student/internal/Student.ts"
import * as AnswerCopy from "./internal/AnswerCopy.ts"
import * as AnswerKey from "./internal/AnswerKey.ts"
import * as Lanes from "./internal/Lanes.ts"
import * as ShadowDecisions from "./internal/ShadowDecisions.ts"
import * as ShadowStudent from "./internal/ShadowStudent.ts"

/** A call with its given answer. */
interface ShadowCopy {
  readonly call: DeploymentCall
  readonly answer: AnswerCopy.AnswerCopy
  readonly headers: UpstreamResponse["headers"]
  /** False: another student answered. */
  readonly isUpstreams: boolean
  /** The student's fields in a mixed answer; null for a whole answer. */
  readonly closed: ReadonlyArray<string> | null
  /** Of the call. */
  readonly durability: Durability
  readonly lane: Lane
  /** The confidence of the student that answered the call, and the time; null without one. */
  readonly confidence: number | null
  readonly answeredAt: number | null
}

/** Who is asked: a student of this process, one at its endpoint, or the upstream. */
type Lane = "builtin" | "endpoint" | "upstream"

export type { ShadowFigures } from "./internal/Lanes.ts"

type Copy = ShadowCopy | DecisionVerification.DecisionCopy | ShadowDecisions.ShadowDecisionsCopy

const sizeOf = ({ answer, call }: Copy): number => answer.bytes + (call.request.body?.length ?? 0)

/** As reports compare: a student of this process is a classifier, and gives the most frequent writing of a label. */
const agree = (given: ChatMessage, message: ChatMessage, isClassifier: boolean): boolean =>
  saysTheSame(given, message) || (isClassifier && givesTheSameLabel(given, message))

/** The fields in the student's partial answer; null for a deployment of whole answers. */
const closedIn = ({ deployment }: DeploymentCall, message: ChatMessage | null): ReadonlyArray<string> | null => {
  if (deployment.fields === "whole" || message === null) return null
  const answer = structureOf(textOf(message))
  return isObject(answer) ? Object.keys(answer) : null
}

/** Reduces the JSON answer of a message to these fields. */
const partOf = (message: ChatMessage, closed: ReadonlyArray<string> | null): ChatMessage => {
  const part = closed === null ? undefined : ClosedFields.only(textOf(message), closed)
  return part === undefined ? message : { ...message, content: part }
}

/** Asks the student, or the upstream, and records how both answers compare. */
const makePerform = Effect.fnUntraced(function* (endpointStudent: EndpointStudent) {
  const { ask } = yield* ShadowStudent.make(endpointStudent)
  const upstream = yield* UpstreamAnswer.make
  const verifyDecisions = yield* DecisionVerification.make
  const compareDecisions = yield* ShadowDecisions.make
  const recorder = yield* Recorder

  const perform = Effect.fnUntraced(function* (copy: ShadowCopy) {
    const { answer, call, durability, headers, isUpstreams } = copy
    const verifies = copy.lane === "upstream"
    const { createdAt, latencyMillis, result } = yield* verifies
      ? ShadowStudent.measure(upstream.message(call))
      : ask(call)
    const { confidence, message } = result._tag === "Success" ? result.success : { message: null, confidence: null }
    const given =
      answer.chunks === null || message === null
        ? null
        : yield* ShadowStudent.messageOf(call.request.endpoint, headers, answer.chunks)
    const isClassifier = call.deployment.endpoint === null
    const closed = copy.closed ?? closedIn(call, message)
    const [givenPart, part] = [given && partOf(given, closed), message && partOf(message, closed)]
    const upstreams = verifies ? part : isUpstreams ? givenPart : null
    yield* recorder.record(
      {
        kind: "shadow",
        partition: call.partition.key,
        call: call.request.call,
        deployment: call.deployment.id,
        error: result._tag === "Success" ? null : result.failure.message,
        message: message === null ? null : JSON.stringify(message),
        confidence: verifies ? copy.confidence : confidence,
        latencyMillis,
        agrees: part === null || givenPart === null ? null : agree(givenPart, part, isClassifier),
        answer: upstreams === null ? null : AnswerKey.of(upstreams, isClassifier),
        verifies,
        // A late upstream result still belongs to the time of the student's answer.
        createdAt: copy.answeredAt ?? createdAt
      },
      durability
    )
  })

  return (copy: Copy) => {
    if ("split" in copy) return verifyDecisions(copy)
    return "upstreams" in copy ? compareDecisions(copy) : perform(copy)
  }
})

export const make = Effect.fnUntraced(function* (endpointStudent: EndpointStudent) {
  const perform = yield* makePerform(endpointStudent)
  const decoder = yield* Decoder
  const clock = yield* Clock.Clock

  const { figures, offer } = yield* Lanes.make<Lane, Copy>({
    pools: { builtin: Pools.shadowBuiltins, endpoint: Pools.shadowEndpoints, upstream: Pools.verifications },
    partitionOf: ({ call }) => call.partition,
    deploymentOf: ({ call }) => call.deployment.id,
    sizeOf,
    perform: (copy) => Effect.provideService(perform(copy), Decoder, decoder)
  })

  /** Returns the response unchanged; after it has passed, asks the student. Its result is kept as durably as the call. */
  const listen = (call: DeploymentCall, response: Answer, durability: Durability) => {
    const { by, headers } = response
    const lane = call.deployment.endpoint === null ? "builtin" : "endpoint"
    const about = {
      call,
      headers,
      isUpstreams: by.source !== null,
      closed: null,
      durability,
      lane,
      confidence: null,
      answeredAt: null
    } as const
    return AnswerCopy.copyAnswer(response, (answer) => offer({ ...about, answer }))
  }

  /** The same response, of the student; when it has been passed on, its upstream is asked. */
  const verify = (call: DeploymentCall, response: Answer) => {
    const { by, headers } = response
    const { durability } = defaultCapture
    const { confidence, fields } = by
    const closed = fields?.student ?? null
    const about = { call, headers, isUpstreams: false, closed, durability, lane: "upstream", confidence } as const
    return AnswerCopy.copyAnswer(response, (answer) => {
      // Without a good answer a comparison is impossible.
      if (answer.chunks !== null) offer({ ...about, answer, answeredAt: clock.currentTimeMillisUnsafe() })
    })
  }

  /** As `verify`, of the questions that the student answered. */
  const verifyQuestions = (call: DecisionCall, response: Answer) => {
    const { by, headers } = response
    const { confidence, split } = by
    return AnswerCopy.copyAnswer(response, (answer) => {
      if (answer.chunks === null || split === undefined) return
      const answeredAt = clock.currentTimeMillisUnsafe()
      offer({ lane: "upstream", call, answer, headers, split, confidence, answeredAt })
    })
  }

  /** Like `listen`, for decision students: compares only questions with an upstream answer. */
  const listenQuestions = (call: DecisionCall, response: Answer, durability: Durability) => {
    const { by, headers } = response
    const upstreams = by.split?.upstream ?? []
    return AnswerCopy.copyAnswer(response, (answer) => {
      if (answer.chunks === null || upstreams.length === 0) return
      offer({ lane: "builtin", call, answer, headers, upstreams, durability })
    })
  }

  return { listen, listenQuestions, verify, verifyQuestions, figures }
})
