/**
 * A call on this server's own behalf, such as a judge's. Held for and charged like a client's call, without a captured
 * call.
 *
 *     held ── answered ──▶ recorded ──▶ charged, when the record is shipped
 *       └──── failed, or interrupted ──▶ released
 */
import { CallHolds } from "@limbeck/billing/calls/CallHolds"
import type { QuotaExceeded } from "@limbeck/billing/Errors"
import type { StorageError } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Turns from "@limbeck/core/turns/Turns"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { CallEndpoint } from "../../call/CapturedCall.ts"
import { Recorder } from "../../journal/Recorder.ts"
import type { Responder } from "../../tape/Answer.ts"
import { type CallFacts, recordOf } from "../../tape/internal/RecordOf.ts"
import type { WholeAnswer } from "../../upstream/internal/WholeAnswer.ts"
import * as CallEstimate from "../CallEstimate.ts"
import type { CatalogModel } from "../ModelCatalog.ts"
import * as RequestRules from "../RequestRules.ts"
import type { Source } from "../Source.ts"

export interface ChargedCall {
  readonly partition: Partition
  readonly source: Source
  readonly model: CatalogModel
  /** Built by this server, so it has no duplicate members. */
  readonly body: Uint8Array
}

const endpoint: CallEndpoint = "chat.completions"
const encoder = new TextEncoder()

const costMax = Effect.fnUntraced(function* ({ body, model }: ChargedCall) {
  const members = yield* Effect.flatMap(Turns.run(RequestRules.membersOf(body)), Effect.fromResult)
  const bounds = yield* Effect.flatMap(Turns.run(RequestRules.boundsOf(endpoint, members)), Effect.fromResult)
  return CallEstimate.costMax(model, endpoint, body.length, bounds)
}, Effect.orDie)

/** The record only has to hold what the charge is computed from. */
const factsOf = ({ body, model, partition }: ChargedCall, id: string): CallFacts => ({
  partition,
  id,
  endpoint,
  model: model.id,
  request: body,
  asksStream: false,
  tags: [],
  externalId: null,
  isCaptured: false,
  // A failed call leaves no record.
  statusOf: () => 502
})

const responderOf = ({ model, source }: ChargedCall): Responder => ({
  servedBy: "upstream",
  deployment: null,
  source,
  sourceModel: model.id,
  fallbackReason: null,
  confidence: null
})

export const make = Effect.gen(function* () {
  const holds = yield* CallHolds
  const recorder = yield* Recorder
  const ids = yield* Ids

  const record = Effect.fnUntraced(function* (call: ChargedCall, id: string, createdAt: number, answer: WholeAnswer) {
    const endedAt = yield* Clock.currentTimeMillis
    const share = yield* holds.end(call.partition, id)
    const head = { status: answer.status, headers: { "content-type": "application/json" } }
    const times = { createdAt, firstAt: endedAt, endedAt }
    const end = {
      outcome: "succeeded",
      by: responderOf(call),
      head,
      failedStatus: null,
      share,
      reservation: null,
      prices: call.model.prices,
      ...times
    } as const
    const tape = { chunks: [encoder.encode(answer.text)], isCut: false }
    yield* recorder.record(recordOf(factsOf(call, id), end, tape), call.source.capture.durability)
  })

  return <E>(
    call: ChargedCall,
    fetched: Effect.Effect<WholeAnswer, E>
  ): Effect.Effect<WholeAnswer, E | QuotaExceeded | StorageError> => {
    const { partition } = call
    if (!holds.binds(partition)) return fetched
    return Effect.uninterruptibleMask(
      Effect.fnUntraced(function* (restore) {
        const id = yield* ids.make("call")
        const createdAt = yield* Clock.currentTimeMillis
        const micros = yield* costMax(call)
        if (micros === 0) return yield* restore(fetched)
        const admitted = Effect.andThen(holds.admit(partition, id, micros), fetched)
        return yield* Effect.onExit(restore(admitted), (exit) =>
          Exit.isSuccess(exit) && exit.value.status === 200
            ? record(call, id, createdAt, exit.value)
            : holds.drop(partition, id)
        )
      })
    )
  }
})
