/** Builds the record of an ended call. Pure. */
import type { CallShare } from "@limbeck/billing/calls/CallHold"
import type { CallReservation } from "@limbeck/billing/limits/TokenUse"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Trace from "@limbeck/core/trace/Trace"
import type { Span } from "effect/Tracer"
import type { CallRecord } from "../../call/CallRecord.ts"
import type { CallEndpoint, Outcome, VerifiedCall } from "../../call/CapturedCall.ts"
import type { Prices } from "../../price/Price.ts"
import * as PriceRules from "../../price/PriceRules.ts"
import type { CallError } from "../../source/Forward.ts"
import { isSuccess, type UpstreamResponse } from "../../upstream/Upstream.ts"
import type { Responder } from "../Answer.ts"
import type { TapeContent } from "./TapeMemory.ts"

/** What is known before anybody is asked. */
export interface CallFacts {
  readonly partition: Partition
  readonly id: string
  readonly endpoint: CallEndpoint
  /** As the client named it. */
  readonly model: string | null
  readonly tags: ReadonlyArray<string>
  readonly externalId: string | null
  /** The student's call that this call verifies. */
  readonly verifies?: VerifiedCall | undefined
  readonly request: Uint8Array
  /** Whether the request, which is JSON then, asks for a stream. Absent where nobody knows. */
  readonly asksStream?: boolean | undefined
  /** The client's status for a failure; the record keeps it. */
  readonly statusOf: (error: CallError) => number
  /** Undefined where it is not traced. */
  readonly span?: Span | undefined
  /** False for a call recorded only for its charge. */
  readonly isCaptured: boolean
}

/** How a call ended. Times are in milliseconds. */
export interface CallEnd {
  /** The outcome of the transfer. A refusal that passed whole is still `succeeded` here. */
  readonly outcome: Outcome
  /** Who answered, or was asked last. */
  readonly by: Responder
  /** Head of the answer; null without an answer. */
  readonly head: Pick<UpstreamResponse, "headers" | "status"> | null
  /** The client's status if no upstream answered; null if the client has left. */
  readonly failedStatus: number | null
  readonly createdAt: number
  readonly firstAt: number | null
  readonly endedAt: number
  /** The money held for the call; null if the call needed none. */
  readonly share: CallShare | null
  /** What is reserved for the call of the limit of a token; null: nothing. */
  readonly reservation: CallReservation | null
  /** Prices of the model that answered or was asked last. */
  readonly prices: Prices
}

type RecordedPrices = Pick<CallRecord, "cachePrices" | "inputPerMillion" | "outputPerMillion">

/** Each price list states its prices once, and every call of the model has them. */
const recordedPrices = new WeakMap<Prices, RecordedPrices>()

const pricesOf = (prices: Prices): RecordedPrices => {
  const known = recordedPrices.get(prices)
  if (known !== undefined) return known
  const { inputPerMillion, outputPerMillion, ...rest } = prices
  const cachePrices = PriceRules.isDerived(prices) ? undefined : rest
  const recorded: RecordedPrices = { inputPerMillion, outputPerMillion, cachePrices }
  recordedPrices.set(prices, recorded)
  return recorded
}

export const recordOf = (facts: CallFacts, end: CallEnd, { chunks, isCut }: TapeContent): CallRecord => {
  const { asksStream, externalId, id, isCaptured, model, partition, request, span, tags, verifies, endpoint } = facts
  const { by, createdAt, endedAt, failedStatus, firstAt, head, outcome } = end
  const { confidence, deployment, fallbackReason, servedBy, source } = by
  const headers = head?.headers ?? {}
  const statusCode = head?.status ?? failedStatus
  const { cachePrices, inputPerMillion, outputPerMillion } = pricesOf(end.prices)
  const isRefusal = outcome === "succeeded" && (statusCode === null || !isSuccess(statusCode))
  return {
    kind: "call",
    partition: partition.key,
    id,
    endpoint,
    source: source?.id ?? null,
    sourceName: source?.name ?? null,
    inputPerMillion,
    outputPerMillion,
    cachePrices,
    managed: source?.kind === "managed",
    model,
    servedBy,
    deployment,
    fallbackReason,
    confidence,
    studentMicros: by.studentMicros,
    tags,
    externalId,
    verifies,
    outcome: isRefusal ? "failed" : outcome,
    statusCode,
    contentType: headers["content-type"] ?? null,
    contentEncoding: headers["content-encoding"] ?? null,
    createdAt,
    latencyMillis: Math.max(0, endedAt - createdAt),
    firstTokenMillis: firstAt === null ? null : Math.max(0, firstAt - createdAt),
    request,
    asksStream,
    response: chunks,
    isCut,
    hold: end.share?.hold,
    heldMicros: end.share?.micros,
    reservation: end.reservation ?? undefined,
    isCaptured: isCaptured ? undefined : false,
    traceparent: span && Trace.format(span),
    attempts: by.attempts,
    studentQuestions: servedBy === "mixed" ? by.split?.student : undefined
  }
}
