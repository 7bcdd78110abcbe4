/**
 * The answer to a call, and its responder. Attempts follow one another, each a value with its responder: so the last
 * responder is known at any moment, even without an answer or after the client has left.
 *
 *     Attempt { by, ask } ── ask ──▶ Answer { by, status, headers, body }
 *        ▲                └────────▶ the next Attempt, of another responder
 *        └──────────────────────────────────┘
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { CallAttempt, ServedBy } from "../call/CapturedCall.ts"
import type { Split } from "../dialect/decisions/SplitRules.ts"
import type { FieldSplit } from "../dialect/fields/FieldAnswers.ts"
import type { CallError } from "../source/Forward.ts"
import type { Source } from "../source/Source.ts"
import type { UpstreamResponse } from "../upstream/Upstream.ts"

export interface Responder {
  readonly servedBy: ServedBy
  /** Id of the deployment that was called; null for a call of a source. */
  readonly deployment: string | null
  /** Null where a student answers. */
  readonly source: Source | null
  /** As the source knows it; null where a student answers. */
  readonly sourceModel: string | null
  /** Why the student did not answer; null where nobody answers in its place. */
  readonly fallbackReason: string | null
  /** Of a student that says it: 0 to 1. */
  readonly confidence: number | null
  /** What a student has paid for the embedding of the request, in micro-dollars. Absent without one, and without a price. */
  readonly studentMicros?: number | undefined
  /** The attempts that have ended, of a source with fallbacks or retries; the list grows while the call goes on. */
  readonly attempts?: ReadonlyArray<CallAttempt> | undefined
  /** Who answers which questions of a request for decisions to a deployment. Absent before it is known, and in other calls. */
  readonly split?: Split | undefined
  /** The fields of student and upstream in a mixed JSON answer. Absent with a single responder. */
  readonly fields?: FieldSplit | undefined
}

export interface Answer extends UpstreamResponse {
  readonly by: Responder
}

/** Asks one responder. To be run once. */
export interface Attempt {
  readonly by: Responder
  readonly ask: Effect.Effect<Answer | Attempt, CallError, Scope.Scope>
}

/** An attempt that nobody follows. */
export interface LastAttempt extends Attempt {
  readonly ask: Effect.Effect<Answer, CallError, Scope.Scope>
}

const isAttempt = (next: Answer | Attempt): next is Attempt => "ask" in next

export const attempt = (
  by: Responder,
  response: Effect.Effect<UpstreamResponse, CallError, Scope.Scope>
): LastAttempt => ({
  by,
  ask: Effect.map(response, (response) => ({ ...response, by }))
})

/** Makes attempts until one returns an answer. Calls `asking` with each responder before its attempt. */
export const run = (first: Attempt, asking: (by: Responder) => void): Effect.Effect<Answer, CallError, Scope.Scope> =>
  Effect.suspend(() => {
    asking(first.by)
    return Effect.flatMap(first.ask, (next) => (isAttempt(next) ? run(next, asking) : Effect.succeed(next)))
  })

/** The same attempts, with what `f` makes of their answer. */
export const map = (
  { ask, by }: Attempt,
  f: (answer: Answer) => Effect.Effect<Answer, CallError, Scope.Scope>
): Attempt => ({
  by,
  ask: Effect.flatMap(ask, (next): Attempt["ask"] => (isAttempt(next) ? Effect.succeed(map(next, f)) : f(next)))
})
