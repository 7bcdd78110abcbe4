/**
 * Asks the upstream for its answer to a call that a student has answered. An ordinary call for the upstream, captured and
 * charged under its own id.
 */
import type { CallEndpoint, CallId } from "@limbeck/capture/call/CapturedCall"
import { CaptureLimits } from "@limbeck/capture/Limits"
import { Forward } from "@limbeck/capture/source/Forward"
import type { Source } from "@limbeck/capture/source/Source"
import * as Answer from "@limbeck/capture/tape/Answer"
import * as Capture from "@limbeck/capture/tape/Capture"
import { isSuccess, type UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import * as Body from "@limbeck/core/bytes/Body"
import { Ids } from "@limbeck/core/ids/Ids"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { DecisionCall, DeploymentCall, EndpointRequest } from "../../answer/internal/DeploymentCall.ts"
import * as SourceRequest from "../../answer/internal/SourceRequest.ts"
import { bodyOf, messageOf } from "../../shadow/internal/ShadowStudent.ts"
import { StudentFailed } from "../../student/internal/StudentResponse.ts"

/** The tag of these captured calls, beside the tags of the verified call. */
const tag = "verification"

/** Nobody is told of its failure; the record says what a client would have been. */
const failedStatus = 502

interface UpstreamAnswer {
  readonly endpoint: CallEndpoint
  readonly headers: UpstreamResponse["headers"]
  readonly chunks: ReadonlyArray<Uint8Array>
}

const nothing = new Uint8Array()

const failed = (message: string) => new StudentFailed({ reason: "failed", message })

export const make = Effect.gen(function* () {
  const forward = yield* Forward
  const ids = yield* Ids
  const capture = yield* Capture.make

  /** `asking`: the request for a source and a model. */
  const respond = Effect.fnUntraced(function* <E>(
    { deployment, partition, request }: DecisionCall,
    asking: (source: Source, model: string) => Effect.Effect<EndpointRequest, E>
  ) {
    const { fallback } = deployment
    if (fallback === null) return yield* failed("There is no upstream to ask")
    const { model } = fallback
    const source = yield* forward.sourceOf(partition, fallback.source, "model")
    const id = yield* ids.make("call")
    const asked = yield* asking(source, model)
    const { body, endpoint, headers, method, target } = asked
    const by: Answer.Responder = {
      servedBy: "upstream",
      deployment: null,
      source,
      sourceModel: model,
      fallbackReason: null,
      confidence: null
    }
    const sent = { target, method, headers, body, model }
    if (!capture.keeps(partition, source, id)) {
      return { endpoint, response: yield* forward.send(partition, source, sent) }
    }
    const attempt = Answer.attempt(by, forward.send(partition, source, { ...sent, call: id, endpoint }))
    const statusOf = () => failedStatus
    // Made by this server when the call came.
    const verifies = { call: request.call as CallId, deployment: deployment.id }
    const tags = [...new Set([...request.tags, tag])]
    const labels = { tags, externalId: request.externalId, verifies, isCaptured: true }
    const facts = { partition, id, endpoint, model, request: body ?? nothing, statusOf, ...labels }
    return { endpoint, response: yield* capture.recordAnswer(facts, attempt) }
  })

  /** The result of a complete, successful answer. */
  const read = <A, E extends { readonly message: string }, R>(
    responding: ReturnType<typeof respond<E>>,
    of: (answer: UpstreamAnswer) => Effect.Effect<A, never, R>
  ) =>
    Effect.gen(function* () {
      const { endpoint, response } = yield* Effect.mapError(responding, ({ message }) =>
        failed(`did not answer: ${message}`)
      )
      if (!isSuccess(response.status)) return yield* failed(`answered ${response.status}`)
      const chunks = yield* Stream.runCollect(Body.toStream(response.body))
      return yield* of({ endpoint, headers: response.headers, chunks })
    }).pipe(
      Effect.catchTag("UpstreamFailure", ({ reason }) => failed(`broke off: ${reason}`)),
      Effect.scoped,
      Effect.timeoutOrElse({ duration: CaptureLimits.timeoutMillis, orElse: () => failed("did not end") })
    )

  return {
    /** Its message. */
    message: (call: DeploymentCall) =>
      read(
        respond(call, (source, model) =>
          Effect.map(SourceRequest.make(source, call.request, model), ({ request }) => request)
        ),
        ({ chunks, endpoint, headers }) =>
          Effect.map(messageOf(endpoint, headers, chunks), (message) => ({ message, confidence: null }))
      ),
    /** The body of its answer to all questions of a request for decisions, parsed. */
    decisions: (call: DecisionCall) =>
      read(
        respond(call, (source, model) => SourceRequest.ofDecisions(source, call.request, model)),
        ({ chunks, endpoint, headers }) => bodyOf(endpoint, headers, chunks)
      )
  }
})
