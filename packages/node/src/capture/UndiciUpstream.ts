/** Sends requests to upstreams with undici, behind the egress guard; bodies stream with back-pressure. */

import {
  Upstream,
  UpstreamFailure,
  type UpstreamRequest,
  type UpstreamResponse
} from "@limbeck/capture/upstream/Upstream"
import * as Body from "@limbeck/core/bytes/Body"
import { type EgressPolicy, ownPrograms } from "@limbeck/core/egress/EgressPolicy"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { dispatch } from "../egress/internal/Dispatch.ts"
import * as Pools from "../egress/internal/Pools.ts"
import * as Resolve from "../egress/internal/Resolve.ts"
import { type Head, UpstreamExchange } from "./internal/UpstreamExchange.ts"

/** Which addresses may be reached, and whom to trust. */
export interface UpstreamOptions {
  readonly policy: EgressPolicy
  /** How hosts are looked up; by DNS by default. */
  readonly resolve?: Resolve.Resolve
  /** Certificate authorities (PEM) to trust instead of Node's own. */
  readonly ca?: string
}

/** From the look-up to the end of the TLS handshake; the limit of the source's own may be shorter. */
const connectMillis = 10_000

const begin = (pools: Pools.Pools, request: UpstreamRequest, exchange: UpstreamExchange): void => {
  const { body, headers, livemode, method, timeoutMillis, url } = request
  // undici's own limit of silence, exact to a second, costs a stream nothing; it rests while the reader does.
  dispatch(pools, livemode, url, { method, headers, body, bodyTimeout: timeoutMillis }, exchange)
}

const failed = (reason: string) => Effect.fail(new UpstreamFailure({ reason }))

const headOf = (exchange: UpstreamExchange, { timeoutMillis }: UpstreamRequest) =>
  Effect.callback<Head, UpstreamFailure>((resume) =>
    exchange.awaitHead(timeoutMillis, () => {
      const { failure, head } = exchange
      resume(head === undefined ? failed(failure ?? "invalid_response") : Effect.succeed(head))
    })
  )

const answerOf = (exchange: UpstreamExchange, { headers, status }: Head): UpstreamResponse => {
  const whole = exchange.takeWhole()
  return { status, headers, body: whole === undefined ? Body.flowing(exchange) : Body.whole(whole) }
}

export const layer = (options: UpstreamOptions): Layer.Layer<Upstream> =>
  Layer.effect(
    Upstream,
    Effect.gen(function* () {
      const poolsOf = (policy: EgressPolicy) =>
        Pools.make({
          policy,
          resolve: options.resolve ?? Resolve.make(),
          connectMillis,
          ca: options.ca,
          // The reader bounds its own reads; a passed answer may have any length.
          answerBytesMax: Number.POSITIVE_INFINITY
        })
      const tenantPools = yield* poolsOf(options.policy)
      const ownPools = yield* poolsOf(ownPrograms)

      const open = (request: UpstreamRequest) =>
        Effect.flatMap(Effect.scope, (scope) => {
          const exchange = new UpstreamExchange()
          const aborting = Scope.addFinalizer(
            scope,
            Effect.sync(() => exchange.abort())
          )
          return Effect.flatMap(aborting, () => {
            begin(request.toOwnProgram === true ? ownPools : tenantPools, request, exchange)
            return Effect.map(headOf(exchange, request), (head) => answerOf(exchange, head))
          })
        })

      return Upstream.of({ policy: options.policy, open })
    })
  )
