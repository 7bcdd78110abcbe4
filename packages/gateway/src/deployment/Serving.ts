/** Answers `svc:<alias>`: by the student, by the upstream with the student listening, or by the upstream in its place. */
import * as Recent from "@limbeck/core/cache/Recent"
import { invalid, notFound } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Queue } from "@limbeck/core/queue/Queue"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { ServedBy } from "../capture/CapturedCall.ts"
import type { Decoder } from "../capture/Decoder.ts"
import type { Recorder } from "../capture/Recorder.ts"
import * as Sampling from "../capture/Sampling.ts"
import { Limits } from "../Limits.ts"
import type { CallError, Forward, Message } from "../proxy/Forward.ts"
import * as Answering from "../serving/Answering.ts"
import * as EndpointStudent from "../serving/EndpointStudent.ts"
import * as Shadows from "../serving/Shadows.ts"
import type { Source } from "../source/Source.ts"
import type { Upstream, UpstreamAnswer } from "../upstream/Upstream.ts"
import { bell, type Deployment, modelOf } from "./Deployment.ts"
import * as Rules from "./DeploymentRules.ts"
import { type Deployed, Deployments } from "./Deployments.ts"
import type { Students } from "./Students.ts"

export interface ServedMessage extends Message {
  /** Of the captured call. */
  readonly call: string
  readonly endpoint: "chat.completions" | "embeddings" | "responses"
  /** What keeps a conversation on one side of the traffic. */
  readonly externalId: string | null
}

/** Who answers, or is to. */
export interface Answerer {
  readonly servedBy: ServedBy
  readonly deployment: Deployment
  /** The source that answered; null where a student did. */
  readonly source: Source | null
  /** The model that answered, as its source knows it; null where a student did. */
  readonly sourceModel: string | null
  readonly fallbackReason: string | null
  readonly confidence: number | null
}

export interface ServedAnswer extends UpstreamAnswer, Answerer {}

export class Serving extends Context.Service<
  Serving,
  {
    /**
     * `alias`: without `svc:`; one that nothing is deployed under is a NotFound. `believe` hears of each who is asked, for
     * when none of them answers.
     */
    readonly serve: (
      partition: Partition,
      alias: string,
      message: ServedMessage,
      believe?: (who: Answerer) => void
    ) => Effect.Effect<ServedAnswer, CallError, Scope.Scope>
    /** Of this process. */
    readonly shadows: Effect.Effect<Shadows.ShadowFigures>
  }
>()("@limbeck/gateway/deployment/Serving") {}

/** Of a student's share, and of calls that are captured: there would be nothing to set a result beside. */
const isCopied = (asked: Answering.Asked, { source }: ServedAnswer): boolean =>
  Answering.isStudents(asked) && (source === null || Sampling.isKept(source.capture, asked.message.call))

const make = Effect.gen(function* () {
  const deployments = yield* Deployments
  const student = yield* EndpointStudent.make
  const answering = yield* Answering.make(student)
  const shadows = yield* Shadows.make(student)
  const recent = yield* Recent.make<Deployed>(bell)

  /** That nothing is deployed is not remembered: anybody may ask for any alias. Storage is asked for possible ones alone. */
  const under = (partition: Partition, alias: string) =>
    Result.isFailure(Rules.alias(alias))
      ? Effect.fail(notFound("deployment", modelOf({ alias: alias.slice(0, Limits.aliasMax) })))
      : recent.get(
          `${partition.key} ${alias}`,
          Effect.filterOrFail(
            deployments.under(partition, alias),
            ({ active, shadow }) => active !== null || shadow !== null,
            () => notFound("deployment", modelOf({ alias }))
          )
        )

  /** The student in shadow hears the answer that is given, if it is to. */
  const overheard = Effect.fnUntraced(function* (asked: Answering.Asked, answer: ServedAnswer) {
    if (!isCopied(asked, answer)) return answer
    const servedBy: ServedBy = answer.deployment === asked.deployment ? "shadow" : answer.servedBy
    const durability = answer.source?.capture.durability ?? "journal"
    return { ...answer, ...(yield* shadows.listen(asked, answer, durability)), servedBy }
  })

  return Serving.of({
    serve: Effect.fnUntraced(function* (partition, alias, message, believe = () => {}) {
      const { active, shadow } = yield* under(partition, alias)
      if (message.endpoint !== "chat.completions") {
        return yield* invalid("model", "What is deployed answers chat completions only")
      }
      const listening = shadow === null ? null : { partition, deployment: shadow, message, believe }
      if (active !== null) {
        const answer = yield* answering.answer({ partition, deployment: active, message, believe })
        return listening === null ? answer : yield* overheard(listening, answer)
      }
      // One of the two is there.
      if (listening === null) return yield* notFound("deployment", modelOf({ alias }))
      return yield* overheard(listening, yield* answering.byUpstream(listening))
    }),
    shadows: shadows.figures
  })
})

export const layer: Layer.Layer<
  Serving,
  never,
  Deployments | Students | Forward | Upstream | Recorder | Decoder | Queue
> = Layer.effect(Serving, make)
