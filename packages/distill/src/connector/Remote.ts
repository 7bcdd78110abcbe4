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

/** The answer, or the rest of its body, did not arrive. `reason` is a word of contract 8: `timeout`, `blocked_address`, … */
export class RemoteError extends Fact<RemoteError>()("RemoteError", { reason: Schema.String }) {}

export interface RemoteAnswer {
  readonly statusCode: number
  /** Names in lower case; the first value of a repeated header. */
  readonly headers: Readonly<Record<string, string>>
  /** The bytes as received, at the reader's pace; readable once. */
  readonly body: Stream.Stream<Uint8Array, RemoteError>
}

/** Null unless the tag proves that every byte is the same (RFC 9110, 8.8.1). */
export const strongEtag = ({ headers }: Pick<RemoteAnswer, "headers">): string | null => {
  const { etag } = headers
  return etag?.startsWith('"') === true ? etag : null
}

/** Whether the answer is a range that begins at `offset`. */
export const beginsAt = ({ headers }: Pick<RemoteAnswer, "headers">, offset: number): boolean =>
  headers["content-range"]?.startsWith(`bytes ${offset}-`) === true

export class Remote extends Context.Service<
  Remote,
  {
    /**
     * Sends one GET; closing the scope aborts it. Connects only to addresses that the egress policy allows, follows no
     * redirect, and fails when the head or the next bytes of the body exceed their time limits.
     */
    readonly get: (request: RemoteRequest) => Effect.Effect<RemoteAnswer, RemoteError, Scope.Scope>
  }
>()("@limbeck/distill/connector/Remote") {}
