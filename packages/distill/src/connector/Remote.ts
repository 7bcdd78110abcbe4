/** Reads what is outside, at a URL that a tenant aims. */
import { Fact } from "@limbeck/core/errors/Fact"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"

export interface RemoteRequest {
  readonly url: string
  readonly livemode: boolean
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** There is no answer, or no rest of one. `reason` is a word of contract 8: `timeout`, `blocked_address`, … */
export class RemoteError extends Fact<RemoteError>()("RemoteError", { reason: Schema.String }) {}

export interface RemoteAnswer {
  readonly statusCode: number
  /** Names in lower case; of a repeated one the first. */
  readonly headers: Readonly<Record<string, string>>
  /** As it came over the wire; at the pace of who reads it. To be read once. */
  readonly body: Stream.Stream<Uint8Array, RemoteError>
}

/** Null unless the tag proves that every byte is the same (RFC 9110, 8.8.1). */
export const strongEtag = ({ headers }: Pick<RemoteAnswer, "headers">): string | null => {
  const { etag } = headers
  return etag?.startsWith('"') === true ? etag : null
}

/** Whether it is the part of the content that begins there. */
export const beginsAt = ({ headers }: Pick<RemoteAnswer, "headers">, offset: number): boolean =>
  headers["content-range"]?.startsWith(`bytes ${offset}-`) === true

export class Remote extends Context.Service<
  Remote,
  {
    /**
     * One GET, whose answer lives as long as the scope. Connects only where the egress policy allows, follows no redirect,
     * and fails when the head of the answer, or the next bytes of its body, do not come within their limits of time.
     */
    readonly get: (request: RemoteRequest) => Effect.Effect<RemoteAnswer, RemoteError, Scope.Scope>
  }
>()("@limbeck/distill/connector/Remote") {}
