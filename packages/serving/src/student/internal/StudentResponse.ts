/** What a student responds with, or why it does not. */

import type { UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import * as Data from "effect/Data"

/**
 * Why a fallback replaces a student. `failed`: no good answer; `timeout`: no answer in time; `confidence`: an unsure
 * answer; `out_of_distribution`: a request unlike all training rows; `unknown_template`: a request under a system prompt
 * that it did not learn; `unsupported`: a request beyond its abilities; `guarded`: its agreement was found too low.
 */
export type FallbackReason =
  | "failed"
  | "timeout"
  | "confidence"
  | "out_of_distribution"
  | "unknown_template"
  | "unsupported"
  | "guarded"

export interface StudentResponse {
  readonly response: UpstreamResponse
  /** 0 to 1; null where it does not say. */
  readonly confidence: number | null
  /** Why a fallback's answer would be better; null where it would not. */
  readonly doubt: FallbackReason | null
  /** What the embedding of the request has cost, in micro-dollars. Absent without one, and without a price. */
  readonly studentMicros?: number | undefined
}

/** No answer is fit for a client. */
export class StudentFailed extends Data.TaggedError("StudentFailed")<{
  readonly reason: "failed" | "timeout" | "unsupported"
  /** Ends a sentence that begins with the student; holds no address and no secret. */
  readonly message: string
}> {}
