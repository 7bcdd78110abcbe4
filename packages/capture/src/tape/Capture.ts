/**
 * Records a call as it passes. The answer streams through; its end waits until the record is kept, so that a client with
 * the whole answer finds the call. Of the headers, only the answer's type and encoding are kept.
 *
 *     asking ── head ──▶ passing ── last bytes, or its end ──▶ settled (succeeded)
 *       │                   └────── breaks off ──────────────▶ settled (failed)
 *       ├── nobody answers ──────────────────────────────────▶ settled (failed, or no record where nobody was asked)
 *       └── the scope closes first: the client has left ─────▶ settled (aborted)
 *
 * Invariants: 1. a call is settled once, by the first event; 2. it leaves at most one record; 3. its tape is released.
 */
import { CallHolds } from "@limbeck/billing/calls/CallHolds"
import { TokenUses } from "@limbeck/billing/limits/TokenUses"
import * as Body from "@limbeck/core/bytes/Body"
import * as Flow from "@limbeck/core/bytes/Flow"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type { Span } from "effect/Tracer"
import type { CallRecord } from "../call/CallRecord.ts"
import type { Outcome } from "../call/CapturedCall.ts"
import { Decoder } from "../call/Decoder.ts"
import { Recorder } from "../journal/Recorder.ts"
import { CaptureLimits } from "../Limits.ts"
import * as PriceList from "../price/PriceList.ts"
import * as PriceRules from "../price/PriceRules.ts"
import type { CallError } from "../source/Forward.ts"
import { defaultCapture, type Source } from "../source/Source.ts"
import type { UpstreamFailure, UpstreamResponse } from "../upstream/Upstream.ts"
import * as Answer from "./Answer.ts"
import * as CallSpan from "./CallSpan.ts"
import { type CallFacts, recordOf } from "./internal/RecordOf.ts"
import { Tape } from "./internal/Tape.ts"
import { TapeBuffer, TapeMemory } from "./internal/TapeMemory.ts"
import * as Sampling from "./Sampling.ts"
import { Spill } from "./Spill.ts"

interface Capture {
  /** Returns the same answer, recorded as it passes. */
  readonly recordAnswer: (
    facts: CallFacts,
    first: Answer.Attempt
  ) => Effect.Effect<Answer.Answer, CallError, Scope.Scope>
  /** Whether a call of this source is recorded. A charged call always is, regardless of the source's settings. */
  readonly keeps: (partition: Partition, source: Source, id: string) => boolean
  /** Whether a call of this source is charged, even if not captured. */
  readonly charges: (partition: Partition, source: Source) => boolean
  /** Bytes that answers under way have in memory. */
  readonly heldBytes: () => number
}

/** A call under way. */
interface Call {
  readonly facts: CallFacts
  readonly createdAt: number
  readonly tape: Tape
  /** Who is asked, or has answered. */
  by: Answer.Responder
  head: UpstreamResponse | null
  isSettled: boolean
}

/** A call without a source is captured by a source's defaults. */
const settingsOf = ({ source }: Answer.Responder) => source?.capture ?? defaultCapture

/** The failures that are captured: those of a responder, and requests for decisions that no responder can answer. */
const capturedFailures: ReadonlySet<CallError["_tag"]> = new Set([
  "ProxyLoop",
  "TeacherRefused",
  "TeacherUnreachable",
  "TeacherTimeout",
  "UpstreamTimeout",
  "UpstreamUnreachable",
  "CatalogUnavailable",
  "DecisionRefused"
])

const isBodyless = ({ headers, status }: UpstreamResponse): boolean =>
  status === 204 || status === 205 || status === 304 || headers["content-length"] === "0"

/** Keeps a record, and says on the span of a traced call what it holds. */
const keeping = Effect.gen(function* () {
  const recorder = yield* Recorder
  const decoder = yield* Decoder
  return (record: CallRecord, by: Answer.Responder, span: Span | undefined) => {
    const recorded = recorder.record(record, settingsOf(by).durability)
    if (span === undefined) return recorded
    return Effect.andThen(recorded, Effect.provideService(CallSpan.describe(span, record), Decoder, decoder))
  }
})

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: what ends a call, and what leads there, each short
export const make = Effect.gen(function* () {
  const keep = yield* keeping
  const holds = yield* CallHolds
  const uses = yield* TokenUses
  const clock = yield* Clock.Clock
  const list = yield* PriceList.PriceList
  const bounds = { heldBytesMax: CaptureLimits.tapesHeldBytesMax, cutBytes: CaptureLimits.tapeCutBytes }
  const memory = new TapeMemory(yield* Spill, bounds)
  const now = () => clock.currentTimeMillisUnsafe()

  const pricesOf = ({ source, sourceModel }: Answer.Responder) =>
    source === null || sourceModel === null
      ? PriceRules.noPrices
      : PriceList.of(list.current(), source, sourceModel).prices

  const isCharged = (partition: Partition, source: Source | null) =>
    source?.kind === "managed" && holds.binds(partition)

  const isRecorded = ({ id, isCaptured, partition }: CallFacts, by: Answer.Responder) =>
    isCharged(partition, by.source) || (isCaptured && Sampling.isKept(settingsOf(by), id))

  const drop = (partition: Partition, id: string) => Effect.andThen(holds.drop(partition, id), uses.drop(id))

  /** Ends a call with a record, or without one before any attempt (`outcome` is null). */
  const settle = (call: Call, outcome: Outcome | null, failedStatus: number | null = null): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (call.isSettled) return Effect.void
      call.isSettled = true
      const { by, createdAt, facts, head, tape } = call
      const { id, partition, span } = facts
      if (span !== undefined) CallSpan.recordResponder(span, by, head?.status ?? failedStatus)
      const reservation = outcome === null ? null : uses.end(id, now())
      const isKept = isRecorded(facts, by)
      if (outcome === null || (reservation === null && !isKept))
        return Effect.andThen(drop(partition, id), tape.release)
      const prices = pricesOf(by)
      const times = { createdAt, firstAt: tape.firstAt, endedAt: now() }
      const end = { outcome, by, head, failedStatus, prices, reservation, ...times }
      const recorded = isKept ? facts : { ...facts, isCaptured: false }
      return Effect.flatMap(holds.end(partition, id), (share) =>
        tape.use((taken) => keep(recordOf(recorded, { ...end, share }, taken), by, span))
      )
    })

  /** Records passing bytes; each function returns the work to do before they pass. */
  const noting = (call: Call) => {
    let isWhole = false
    return {
      chunks: (chunks: ReadonlyArray<Uint8Array>) => {
        if (isWhole) return null
        isWhole = call.tape.add(chunks, now())
        return isWhole ? settle(call, "succeeded") : memory.relief
      },
      end: (isBroken: boolean) => settle(call, isBroken ? "failed" : "succeeded")
    }
  }

  const tapped = (flow: Flow.Flow<UpstreamFailure>, call: Call): Flow.Flow<UpstreamFailure> => {
    const note = noting(call)
    return Flow.tap(flow, (portion) =>
      portion._tag === "Chunks" ? note.chunks(portion.chunks) : note.end(portion._tag === "Broken")
    )
  }

  /** The head has arrived, often with the whole body. */
  const taking = (call: Call, answer: Answer.Answer): Effect.Effect<Answer.Answer> => {
    call.by = answer.by
    call.head = answer
    call.tape.begin(answer)
    const { body } = answer
    if (body._tag === "Whole") call.tape.add([body.bytes], now())
    if (isBodyless(answer) || body._tag === "Whole") return Effect.as(settle(call, "succeeded"), answer)
    return Effect.succeed({ ...answer, body: Body.flowing(tapped(body.flow, call)) })
  }

  const recordAnswer = (facts: CallFacts, first: Answer.Attempt) =>
    Effect.flatMap(Effect.scope, (scope) => {
      const tape = new Tape(new TapeBuffer(memory))
      const call: Call = { facts, createdAt: now(), tape, by: first.by, head: null, isSettled: false }
      const asking = Answer.run(first, (by) => {
        call.by = by
      })
      const answered = Effect.matchEffect(asking, {
        onSuccess: (answer) => taking(call, answer),
        onFailure: (error) => {
          const isCaptured = capturedFailures.has(error._tag)
          const settled = isCaptured ? settle(call, "failed", facts.statusOf(error)) : settle(call, null)
          return Effect.andThen(settled, Effect.fail(error))
        }
      })
      // Unsettled at the end of the scope: the client has left. (`Effect.addFinalizer` would copy every service.)
      return Effect.andThen(Scope.addFinalizer(scope, settle(call, "aborted")), answered)
    })

  const capture: Capture = {
    recordAnswer,
    keeps: (partition, source, id) => isCharged(partition, source) || Sampling.isKept(source.capture, id),
    charges: isCharged,
    heldBytes: () => memory.held
  }
  return capture
})
