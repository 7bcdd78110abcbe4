/** What a student responds with, or why it does not. */

import type { UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import * as Data from "effect/Data"

/**
 * Why a fallback is preferred to a student. `failed`: it gave no good answer; `timeout`: none in time; `confidence`: one that
 * it is not sure enough of; `out_of_distribution`: one to a request unlike all that it was trained on; `unsupported`: one to a
 * request that asks for more than it can do; `guarded`: it was found not to say the same as its teacher often enough.
 */
export type FallbackReason = "failed" | "timeout" | "confidence" | "out_of_distribution" | "unsupported" | "guarded"

export interface StudentResponse {
  readonly response: UpstreamResponse
  /** 0 to 1; null where it does not say. */
  readonly confidence: number | null
  /** Why a fallback's answer would be better; null where it would not. */
  readonly doubt: FallbackReason | null
}

/** There is no answer that a client could be given. */
export class StudentFailed extends Data.TaggedError("StudentFailed")<{
  readonly reason: "failed" | "timeout"
  /** Ends a sentence that begins with the student; holds no address and no secret. */
  readonly message: string
}> {}
