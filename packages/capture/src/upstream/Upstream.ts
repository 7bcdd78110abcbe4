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
  /** The limit of the wait for the head of the answer, and of every silence after it. */
  readonly timeoutMillis: number
}

/** The reason of a request that would come back to this installation. */
export const loopReason = "proxy_loop"

/** `reason`: `timeout`, `dns_failure`, `blocked_address`, `connection_refused` and the like; never an address or a secret. */
export class UpstreamFailure extends Fact<UpstreamFailure>()("UpstreamFailure", {
  reason: Schema.String
}) {}

export interface UpstreamResponse {
  readonly status: number
  /** In lower case; what came several times is joined by commas, as HTTP has it. */
  readonly headers: Readonly<Record<string, string>>
  /** The bytes as the upstream sent them: whole if they came with the head. A flow is read no faster than its reader takes it. */
  readonly body: Body<UpstreamFailure>
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

export class Upstream extends Context.Service<
  Upstream,
  {
    /** Where it may connect; a source's URL is held to it when it is given, each address when a connection is made. */
    readonly policy: EgressPolicy
    /**
     * Succeeds with whatever the upstream answers, also with errors and redirects, as soon as its head is there; a status
     * outside 200-599 is the failure `invalid_response`. Closing the scope, or interrupting, breaks the exchange off. Nothing
     * is sent twice.
     */
    readonly open: (request: UpstreamRequest) => Effect.Effect<UpstreamResponse, UpstreamFailure, Scope.Scope>
  }
>()("@limbeck/capture/upstream/Upstream") {}
