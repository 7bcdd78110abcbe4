/** Who answers a call of a deployment: its student, or its upstream for a share of the traffic and where the student is no good. */
import { invalid } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import * as Deployment from "../deployment/Deployment.ts"
import type { Answerer, ServedAnswer, ServedMessage } from "../deployment/Serving.ts"
import { Students } from "../deployment/Students.ts"
import { UpstreamTimeout, UpstreamUnreachable } from "../Errors.ts"
import { Forward } from "../proxy/Forward.ts"
import { isSuccess } from "../upstream/Upstream.ts"
import * as BuiltinStudent from "./BuiltinStudent.ts"
import * as ChatRequest from "./ChatRequest.ts"
import type { EndpointStudent } from "./EndpointStudent.ts"
import * as ModelMember from "./ModelMember.ts"
import * as OwnScope from "./OwnScope.ts"
import { type FallbackReason, StudentFailed, type StudentSaid } from "./StudentSaid.ts"
import * as Traffic from "./Traffic.ts"

/** A call on its way to a deployment. */
export interface Asked {
  readonly partition: Partition
  readonly deployment: Deployment.Deployment
  readonly message: ServedMessage
  /** Hears of each who is asked. */
  readonly believe: (who: Answerer) => void
}

/** Whether a call is of the student's share. */
export const isStudents = ({ deployment, message }: Asked): boolean =>
  Traffic.isStudents(deployment.alias, message.externalId ?? message.call, deployment.trafficPercent)

const student = ({ deployment }: Asked, confidence: number | null): Answerer => ({
  deployment,
  servedBy: "student",
  source: null,
  sourceModel: null,
  fallbackReason: null,
  confidence
})

const byStudent = (asked: Asked, { answer, confidence }: StudentSaid): ServedAnswer => ({
  ...answer,
  ...student(asked, confidence)
})

const failureOf = ({ deployment }: Asked, failure: StudentFailed) => {
  const message = `The student of ${Deployment.modelOf(deployment)} ${failure.message}`
  return failure.reason === "timeout" ? new UpstreamTimeout({ message }) : new UpstreamUnreachable({ message })
}

/** Why the student's answer is not the one, and the answer if there is one. */
interface Doubted {
  readonly reason: FallbackReason
  readonly said: OwnScope.Held<StudentSaid> | null
}

export const make = Effect.fnUntraced(function* (endpointStudent: EndpointStudent) {
  const forward = yield* Forward
  const students = yield* Students

  const byFallback = Effect.fnUntraced(function* (
    { believe, deployment, message, partition }: Asked,
    why: Pick<Answerer, "confidence" | "fallbackReason" | "servedBy">
  ) {
    const { fallback } = deployment
    // Deployments that need one have one.
    if (fallback === null) return yield* invalid("model", `${Deployment.modelOf(deployment)} has no fallback`)
    const { model, source: id } = fallback
    const source = yield* forward.sourceOf(partition, id, "model")
    const body = message.body === null ? null : ModelMember.replaced(message.body, model)
    const who: Answerer = { ...why, deployment, source, sourceModel: model }
    believe(who)
    const answer: ServedAnswer = { ...(yield* forward.send(partition, source, { ...message, body, model })), ...who }
    return answer
  })

  /** The upstream answers, and the student is not asked. */
  const byUpstream = (asked: Asked) =>
    byFallback(asked, { servedBy: "upstream", fallbackReason: null, confidence: null })

  const inPlace = (asked: Asked, { reason, said }: Doubted) =>
    byFallback(asked, {
      servedBy: "upstream_fallback",
      fallbackReason: reason,
      confidence: said?.value.confidence ?? null
    })

  /** An answer that the student is not sure of is better than none. */
  const orUnsure = Effect.fnUntraced(function* (asked: Asked, said: StudentSaid, other: ReturnType<typeof inPlace>) {
    const held = yield* Effect.option(OwnScope.hold(other))
    if (held._tag === "Some" && isSuccess(held.value.value.status)) return held.value.value
    if (held._tag === "Some") yield* held.value.letGo
    return byStudent(asked, said)
  })

  const fallBack = Effect.fnUntraced(function* (asked: Asked, doubted: Doubted) {
    const { reason, said } = doubted
    const other = inPlace(asked, doubted)
    if (said === null) return yield* other
    if (reason === "confidence") return yield* orUnsure(asked, said.value, other)
    yield* said.letGo
    return yield* other
  })

  const ask = Effect.fnUntraced(function* ({ deployment, message, partition }: Asked) {
    if (deployment.endpoint !== null) return yield* endpointStudent.ask(partition, deployment, message)
    const request = yield* Effect.fromResult(ChatRequest.read(message.body))
    return yield* BuiltinStudent.ask(students, partition, deployment, request, message.call)
  })

  const answer = Effect.fnUntraced(function* (asked: Asked) {
    const { fallback } = asked.deployment
    if (fallback !== null && !isStudents(asked)) return yield* byUpstream(asked)
    asked.believe(student(asked, null))
    const said = yield* Effect.catchTag(OwnScope.hold(ask(asked)), "StudentFailed", Effect.succeed)
    if (said instanceof StudentFailed) {
      if (fallback === null) return yield* failureOf(asked, said)
      return yield* fallBack(asked, { reason: said.reason, said: null })
    }
    const { doubt } = said.value
    return doubt === null || fallback === null
      ? byStudent(asked, said.value)
      : yield* fallBack(asked, { reason: doubt, said })
  })

  return { answer, byUpstream }
})
