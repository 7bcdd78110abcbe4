/** Asks a scorer that a tenant runs. */
import type { EgressPolicy } from "@limbeck/core/egress/EgressPolicy"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export interface ScorerRequest {
  readonly url: string
  readonly livemode: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface ScorerAnswer {
  readonly statusCode: number | null
  /** As text, cut at the limit. */
  readonly body: string
  readonly durationMillis: number
  /** The failure, in contract 8's words: `timeout`, `blocked_address`, …; null after a response. */
  readonly error: string | null
}

export class HttpScorer extends Context.Service<
  HttpScorer,
  {
    /** Permitted scorers; checked for a reward's URL at creation, and for each address at connection. */
    readonly policy: EgressPolicy
    /**
     * One POST. Never fails: whatever happens is an answer. Ends within the limit of time, connects only where the egress
     * policy allows, follows no redirect, and reads no more than the limit.
     */
    readonly post: (request: ScorerRequest) => Effect.Effect<ScorerAnswer>
  }
>()("@limbeck/distill/reward/HttpScorer") {}
