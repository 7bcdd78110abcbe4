/**
 * What the hot path writes down of a call: raw, as it came and went. A stream is put together later, by the shipper, with
 * whatever the assembler knows by then.
 */
import type { CallReservation } from "@limbeck/billing/limits/TokenUse"
import type { Prices } from "../price/Price.ts"
import type { CallAttempt, CallEndpoint, Outcome, ServedBy, VerifiedCall } from "./CapturedCall.ts"

export interface CallRecord {
  readonly kind: "call"
  /** `Partition.key`. */
  readonly partition: string
  readonly id: string
  readonly endpoint: CallEndpoint
  readonly source: string | null
  readonly sourceName: string | null
  /** Of the source, when it has a price for the model: US dollars for a million tokens. */
  readonly inputPerMillion: number | null
  readonly outputPerMillion: number | null
  /** The prices of cached and written input, and the tiers' factors. Absent when they all follow from the two prices above. */
  readonly cachePrices?: Omit<Prices, "inputPerMillion" | "outputPerMillion"> | undefined
  readonly managed: boolean
  readonly model: string | null
  readonly servedBy: ServedBy
  readonly deployment: string | null
  readonly fallbackReason: string | null
  readonly confidence: number | null
  /** What a student has paid for the embedding of the request, in micro-dollars. Absent without one, and without a price. */
  readonly studentMicros?: number | undefined
  readonly tags: ReadonlyArray<string>
  readonly externalId: string | null
  /** See `CapturedCall`. */
  readonly verifies?: VerifiedCall | undefined
  readonly outcome: Outcome
  readonly statusCode: number | null
  /** Of the answer. */
  readonly contentType: string | null
  readonly contentEncoding: string | null
  readonly createdAt: number
  readonly latencyMillis: number
  readonly firstTokenMillis: number | null
  readonly request: Uint8Array
  /** Whether the request, which is then JSON, asks for a stream. Absent if it does not, or was not parsed before. */
  readonly asksStream?: boolean | undefined
  /** The answer's bytes, up to the point of a break. */
  readonly response: ReadonlyArray<Uint8Array>
  /** Whether the answer was longer than its captured part. Absent in earlier records. */
  readonly isCut?: boolean
  /** The hold that admitted the call. Absent for calls without a hold. */
  readonly hold?: string | undefined
  /** The amount reserved from the hold for this call, in micro-dollars. Absent without a hold, and in earlier records. */
  readonly heldMicros?: number | undefined
  /** The reserved amount of a limited token. Absent without such a limit. */
  readonly reservation?: CallReservation | undefined
  /** False: the call is charged and leaves no captured call. Absent: it is captured. */
  readonly isCaptured?: false | undefined
  /** Of the span of the call. Absent where it was not traced. */
  readonly traceparent?: string | undefined
  /** Of a source with fallbacks or retries. */
  readonly attempts?: ReadonlyArray<CallAttempt> | undefined
  /** Positions of the questions that a student answered in a mixed answer. Absent in any other. */
  readonly studentQuestions?: ReadonlyArray<number> | undefined
}

/** What a student in shadow answered; or the upstream, to a call that a student has answered. */
export interface ShadowRecord {
  readonly kind: "shadow"
  readonly partition: string
  readonly call: string
  readonly deployment: string
  readonly error: string | null
  /** Its assistant message as JSON text. */
  readonly message: string | null
  readonly confidence: number | null
  readonly latencyMillis: number
  readonly agrees: boolean | null
  /** See `ShadowResult`. Absent in earlier records. */
  readonly answer?: number | null
  /** See `ShadowResult`. Absent: no. */
  readonly verifies?: boolean
  readonly createdAt: number
}

export type CaptureRecord = CallRecord | ShadowRecord
