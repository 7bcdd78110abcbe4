/** A client's call: to a source, or to what is deployed under an alias. */
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Capture from "../capture/Capture.ts"
import type { CallEndpoint, CallId } from "../capture/CapturedCall.ts"
import type { Recorder } from "../capture/Recorder.ts"
import * as Sampling from "../capture/Sampling.ts"
import type { Answered, Served } from "../capture/Tape.ts"
import { modelPrefix } from "../deployment/Deployment.ts"
import { type Answerer, type ServedAnswer, Serving } from "../deployment/Serving.ts"
import type { Source } from "../source/Source.ts"
import { type CallError, Forward, type Message } from "./Forward.ts"

/** What is asked of a source. */
export interface Question extends Omit<Message, "model"> {
  /** By name or id; null: the default one. */
  readonly source: string | null
  /** The name of the header that says so, for who must mend it. */
  readonly sourceHeader: string
}

/** A question that is captured with its answer. */
export interface Call extends Question {
  readonly id: CallId
  readonly endpoint: CallEndpoint
  readonly body: Uint8Array
  readonly tags: ReadonlyArray<string>
  readonly externalId: string | null
}

export class Proxy extends Context.Service<
  Proxy,
  {
    /** The upstream's answer, as soon as its head is there; closing the scope breaks it off. Nothing is sent twice. */
    readonly send: (partition: Partition, call: Call) => Effect.Effect<Answered, CallError, Scope.Scope>
  }
>()("@limbeck/gateway/proxy/Proxy") {}

const decoder = new TextDecoder()

/** The model that a body names, if it is JSON and does; what else it may be is the upstream's business. */
const modelOf = (body: Uint8Array | null): string | null => {
  if (body === null) return null
  try {
    const { model } = Object(JSON.parse(decoder.decode(body)))
    return typeof model === "string" ? model : null
  } catch {
    return null
  }
}

const bySource = (source: Source, model: string | null): Served => ({
  servedBy: "upstream",
  deployment: null,
  source,
  sourceModel: model,
  fallbackReason: null,
  confidence: null
})

/** Who is to answer for a deployment, before it is known which. */
const byStudent: Served = {
  servedBy: "student",
  deployment: null,
  source: null,
  sourceModel: null,
  fallbackReason: null,
  confidence: null
}

const servedOf = ({ confidence, deployment, fallbackReason, servedBy, source, sourceModel }: Answerer): Served => ({
  servedBy,
  deployment: deployment.id,
  source,
  sourceModel,
  fallbackReason,
  confidence
})

const answeredOf = (answer: ServedAnswer): Answered => ({ ...answer, served: servedOf(answer) })

const make = Effect.gen(function* () {
  const forward = yield* Forward
  const serving = yield* Serving
  const capture = yield* Capture.make

  return Proxy.of({
    send: Effect.fnUntraced(function* (partition, call) {
      const { body, endpoint, externalId, id, tags } = call
      const model = modelOf(body)
      const facts = { partition, id, endpoint, model, tags, externalId, request: body }
      const message = { ...call, model }
      if (model?.startsWith(modelPrefix)) {
        const alias = model.slice(modelPrefix.length)
        const served = (believe: (served: Served) => void) =>
          serving.serve(partition, alias, { ...message, call: id }, (who) => believe(servedOf(who)))
        return yield* capture.around(facts, byStudent, (believe) => Effect.map(served(believe), answeredOf))
      }
      const source = yield* forward.sourceOf(partition, call.source, call.sourceHeader)
      const served = bySource(source, model)
      const asked = Effect.map(forward.send(partition, source, message), (answer) => ({ ...answer, served }))
      return yield* Sampling.isKept(source.capture, id) ? capture.around(facts, served, () => asked) : asked
    })
  })
})

export const layer: Layer.Layer<Proxy, never, Forward | Serving | Recorder> = Layer.effect(Proxy, make)
