/** Speaks HTTP to where a source leads. */

import type { Body } from "@limbeck/core/bytes/Body"
import type { EgressPolicy } from "@limbeck/core/egress/EgressPolicy"
import { Fact } from "@limbeck/core/errors/Fact"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

export interface UpstreamRequest {
  readonly livemode: boolean
  /** Whether the request goes to a program that this server started. By default a tenant chose the URL, and own ports are refused. */
  readonly toOwnProgram?: boolean | undefined
  readonly method: "GET" | "POST"
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | null
  /** The timeout for the head of the response, and for every pause after it. */
  readonly timeoutMillis: number
}

/** The failure reason of a request that would come back to this installation. */
export const loopReason = "proxy_loop"

/** `reason`: `timeout`, `dns_failure`, `blocked_address`, `connection_refused` and the like; never an address or a secret. */
export class UpstreamFailure extends Fact<UpstreamFailure>()("UpstreamFailure", {
  reason: Schema.String
}) {}

export interface UpstreamResponse {
  readonly status: number
  /** In lower case; values of a repeated header are joined by commas, as in HTTP. */
  readonly headers: Readonly<Record<string, string>>
  /** The bytes as the upstream sent them: whole if they came with the head. A flow is read no faster than its reader takes it. */
  readonly body: Body<UpstreamFailure>
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

export class Upstream extends Context.Service<
  Upstream,
  {
    /** Permitted targets; checked for a source's URL when set, and for each address at connection. */
    readonly policy: EgressPolicy
    /**
     * Succeeds with any upstream response, including errors and redirects, at its head; a status outside 200-599 is the
     * failure `invalid_response`. Closing the scope, or interrupting, aborts the exchange. Sends nothing twice.
     */
    readonly open: (request: UpstreamRequest) => Effect.Effect<UpstreamResponse, UpstreamFailure, Scope.Scope>
  }
>()("@limbeck/capture/upstream/Upstream") {}
