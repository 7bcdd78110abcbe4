/** A client's call: to a source, or to what is deployed under an alias. */
import { CallHolds } from "@limbeck/billing/calls/CallHolds"
import type { TokenUses } from "@limbeck/billing/limits/TokenUses"
import { wantsStream } from "@limbeck/capture/call/CallOf"
import type { CallEndpoint } from "@limbeck/capture/call/CapturedCall"
import type { Decoder } from "@limbeck/capture/call/Decoder"
import * as DialectRules from "@limbeck/capture/dialect/DialectRules"
import * as DecisionRules from "@limbeck/capture/dialect/decisions/DecisionRules"
import { DecisionRefused } from "@limbeck/capture/Errors"
import type { Recorder } from "@limbeck/capture/journal/Recorder"
import { type CallError, Forward } from "@limbeck/capture/source/Forward"
import type { Source } from "@limbeck/capture/source/Source"
import * as Answer from "@limbeck/capture/tape/Answer"
import * as CallSpan from "@limbeck/capture/tape/CallSpan"
import * as Capture from "@limbeck/capture/tape/Capture"
import type { UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import { invalid } from "@limbeck/core/errors/Errors"
import * as JsonMembers from "@limbeck/core/json/JsonMembers"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as TokenLimitRules from "@limbeck/core/tokens/TokenLimitRules"
import * as Trace from "@limbeck/core/trace/Trace"
import * as Turns from "@limbeck/core/turns/Turns"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Span } from "effect/Tracer"
import { Serving } from "../answer/Serving.ts"
import * as SourceAttempts from "../answer/SourceAttempts.ts"
import { modelPrefix } from "../deployment/Deployment.ts"
import type { ProxyCall, SourceRequest } from "./internal/ProxyCall.ts"

type SentAnswer = Effect.Effect<Answer.Answer, CallError, Scope.Scope>

export class Proxy extends Context.Service<
  Proxy,
  {
    /** Returns at the head of the answer; closing the scope aborts the transfer. No retry follows the first byte of an answer. */
    readonly send: (partition: Partition, call: ProxyCall) => SentAnswer
    /** The source's own count of the tokens of a message's input; neither captured nor charged. */
    readonly countTokens: (
      partition: Partition,
      request: SourceRequest & { readonly body: Uint8Array }
    ) => Effect.Effect<UpstreamResponse, CallError, Scope.Scope>
  }
>()("@limbeck/serving/proxy/Proxy") {}

const named: ReadonlySet<string> = new Set(["model", "stream"])

/** The parts of a JSON body that decide the route; the upstream judges the rest. */
interface ProxyTarget {
  /** Null where it names none. */
  readonly model: string | null
  /** Undefined where it is no JSON. */
  readonly asksStream: boolean | undefined
  /** All members of a short body; undefined for a long one, and for anything but an object. */
  readonly parsed: Schema.JsonObject | undefined
  /** Why no upstream can answer the request. */
  readonly refusal?: DecisionRefused | undefined
}

function* askedOf(body: Uint8Array): Turns.Steps<ProxyTarget> {
  const members = yield* JsonMembers.of(body, named)
  const model = members?.["model"]
  return {
    model: typeof model === "string" ? model : null,
    asksStream: members && wantsStream(members),
    parsed: JsonMembers.isParsed(body) ? members : undefined
  }
}

const endpointOf = { openai: "decisions", systemone: "systemone" } as const

/** The endpoint of a request for decisions is the dialect of its body, whatever route the request came by. */
function* decisionAskedOf(call: ProxyCall, asked: ProxyTarget): Turns.Steps<readonly [ProxyCall, ProxyTarget]> {
  const { parsed } = asked
  const dialect =
    parsed === undefined
      ? yield* DecisionRules.dialectOf(call.body)
      : DecisionRules.dialectOfParsed(parsed["questions"])
  if (dialect === null) return [call, { ...asked, refusal: new DecisionRefused({ fault: "questions" }) }]
  const refusal = asked.asksStream === true ? new DecisionRefused({ fault: "stream" }) : undefined
  return [
    { ...call, endpoint: endpointOf[dialect], parsed },
    { ...asked, refusal }
  ]
}

/** The attempt; for a refused request, an attempt that asks nobody. */
const unlessRefused = <A extends Answer.Attempt>(attempt: A, { refusal }: ProxyTarget) =>
  refusal === undefined ? attempt : { by: attempt.by, ask: Effect.fail(refusal) }

const upstream = (source: Source, model: string | null): Answer.Responder => ({
  servedBy: "upstream",
  deployment: null,
  source,
  sourceModel: model,
  fallbackReason: null,
  confidence: null
})

/** The upstream's work goes on with the span of the call. */
const tracedBy = (span: Span, call: ProxyCall): ProxyCall => ({
  ...call,
  headers: { ...call.headers, traceparent: Trace.format(span) }
})

const refusalOf = (source: Source, endpoint: CallEndpoint, header: string) =>
  DialectRules.hasEndpoint(source.dialect, endpoint)
    ? undefined
    : invalid(header, DialectRules.refusal(source.name, source.dialect, endpoint))

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: who is asked for a call, and whether it is captured, each short
const make = Effect.gen(function* () {
  const forward = yield* Forward
  const serving = yield* Serving
  const holds = yield* CallHolds
  const capture = yield* Capture.make
  const attempts = yield* SourceAttempts.make

  const unrecorded = (attempt: Answer.Attempt) => Answer.run(attempt, () => {})

  const sendTo = (partition: Partition, call: ProxyCall, asked: ProxyTarget, span: Span | undefined): SentAnswer => {
    const { body, endpoint, externalId, id, statusOf, tags } = call
    const { asksStream, model } = asked
    const isCaptured = call.isRecorded
    // What is charged or spent is known when it has answered.
    const isCounted = holds.binds(partition) || call.spender !== undefined
    const facts = {
      partition,
      id,
      endpoint,
      model,
      tags,
      externalId,
      request: body,
      asksStream,
      statusOf,
      span,
      isCaptured
    }
    const request = { ...call, model, call: id }
    if (model?.startsWith(modelPrefix)) {
      const alias = model.slice(modelPrefix.length)
      // Its body names another model on the way to whoever answers, so that the packed bytes are of no use.
      const attempt = unlessRefused(serving.attempt(partition, alias, { ...request, packed: undefined }), asked)
      // A fallback to a managed source is charged, which is not known before it is asked.
      return isCaptured || isCounted ? capture.recordAnswer(facts, attempt) : unrecorded(attempt)
    }
    return Effect.flatMap(forward.sourceOf(partition, call.source, call.sourceHeader), (source): SentAnswer => {
      const refusal = refusalOf(source, endpoint, call.sourceHeader)
      if (refusal !== undefined) return Effect.fail(refusal)
      const target = DialectRules.targetOf(source.dialect, endpoint, call.target)
      const targeted = target === request.target ? request : { ...request, target }
      if (SourceAttempts.isPlanned(source)) {
        return Effect.flatMap(attempts.first({ partition, source, request: targeted }), (first) => {
          const planned = unlessRefused(first, asked)
          return isCaptured || isCounted ? capture.recordAnswer(facts, planned) : unrecorded(planned)
        })
      }
      const sent = forward.send(partition, source, targeted)
      const attempt = unlessRefused(Answer.attempt(upstream(source, model), sent), asked)
      if (span !== undefined) CallSpan.recordResponder(span, attempt.by, null)
      const isKept = isCaptured ? capture.keeps(partition, source, id) : capture.charges(partition, source)
      const isRecorded = isKept || call.spender !== undefined
      return isRecorded ? capture.recordAnswer(facts, attempt) : attempt.ask
    })
  }

  const sendTraced = (partition: Partition, call: ProxyCall, asked: ProxyTarget): SentAnswer =>
    Effect.flatMap(CallSpan.open(call, asked.model), (span) =>
      span === undefined ? sendTo(partition, call, asked, span) : sendTo(partition, tracedBy(span, call), asked, span)
    )

  const countTokens: Proxy["Service"]["countTokens"] = Effect.fnUntraced(function* (partition, request) {
    const { model } = yield* Turns.run(askedOf(request.body))
    const unallowed = TokenLimitRules.modelRefusal(request.allows, model)
    if (unallowed !== undefined) return yield* unallowed
    if (model?.startsWith(modelPrefix)) {
      return yield* invalid("model", `${model} counts no tokens; name a model of a source`)
    }
    const source = yield* forward.sourceOf(partition, request.source, request.sourceHeader)
    const refusal = refusalOf(source, "messages", request.sourceHeader)
    return yield* refusal ?? forward.send(partition, source, { ...request, model })
  })

  return Proxy.of({
    countTokens,
    send: (partition, call) =>
      Effect.flatMap(Turns.run(askedOf(call.body)), (asked): SentAnswer => {
        const unallowed = TokenLimitRules.modelRefusal(call.allows, asked.model)
        if (unallowed !== undefined) return Effect.fail(unallowed)
        return DialectRules.isDecision(call.endpoint)
          ? Effect.flatMap(Turns.run(decisionAskedOf(call, asked)), ([call, asked]) =>
              sendTraced(partition, call, asked)
            )
          : sendTraced(partition, call, asked)
      })
  })
})

export const layer: Layer.Layer<Proxy, never, Forward | Serving | Recorder | CallHolds | TokenUses | Decoder> =
  Layer.effect(Proxy, make)
