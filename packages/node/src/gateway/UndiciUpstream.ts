/** Speaks to upstreams with undici, behind the egress guard; bodies pass as they come, and wait for who takes them. */
import type { EgressPolicy } from "@limbeck/core/egress/EgressPolicy"
import {
  Upstream,
  type UpstreamAnswer,
  UpstreamFailure,
  type UpstreamRequest
} from "@limbeck/gateway/upstream/Upstream"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Pools from "../egress/Pools.ts"
import * as Resolve from "../egress/Resolve.ts"
import { Exchange, type Head, type Portion } from "./Exchange.ts"

export interface UpstreamOptions {
  readonly policy: EgressPolicy
  /** How hosts are looked up; by DNS unless told. */
  readonly resolve?: Resolve.Resolve
  /** Certificate authorities (PEM) to trust instead of Node's own. */
  readonly ca?: string
}

/** From the look-up to the end of the TLS handshake; the limit of the source's own may be shorter. */
const connectMillis = 10_000

/** Gives the request to its pool; `exchange` hears the rest, also that it cannot be sent. */
const begin = (pools: Pools.Pools, request: UpstreamRequest, exchange: Exchange): void => {
  try {
    const { body, headers, livemode, method, timeoutMillis } = request
    const url = new URL(request.url)
    const path = url.pathname + url.search
    // undici's own limit of silence, exact to a second, costs a stream nothing; it rests while the taker does.
    const options = { method, path, headers: { ...headers }, body, bodyTimeout: timeoutMillis }
    pools.get(livemode, url.origin).dispatch(options, exchange)
  } catch (error) {
    exchange.onResponseError(null, error)
  }
}

const failed = (reason: string) => Effect.fail(new UpstreamFailure({ reason }))

const headOf = (exchange: Exchange, { timeoutMillis }: UpstreamRequest) =>
  Effect.callback<Head, UpstreamFailure>((resume) =>
    exchange.awaitHead(timeoutMillis, () => {
      const { failure, head } = exchange
      resume(head === undefined ? failed(failure ?? "invalid_response") : Effect.succeed(head))
    })
  )

type Chunks = readonly [Uint8Array, ...ReadonlyArray<Uint8Array>]

const told = (portion: Portion): Effect.Effect<Chunks, UpstreamFailure | Cause.Done> => {
  switch (portion._tag) {
    case "Chunks":
      return Effect.succeed(portion.chunks)
    case "Ended":
      return Cause.done()
    case "Broken":
      return failed(portion.reason)
  }
}

const next = (exchange: Exchange) => {
  const awaited = Effect.flatMap(
    Effect.callback<Portion>((resume) => exchange.take((taken) => resume(Effect.succeed(taken)))),
    told
  )
  return Effect.suspend(() => {
    const there = exchange.takeNow()
    return there === undefined ? awaited : told(there)
  })
}

export const layer = (options: UpstreamOptions): Layer.Layer<Upstream> =>
  Layer.effect(
    Upstream,
    Effect.gen(function* () {
      const pools = yield* Pools.make({
        policy: options.policy,
        resolve: options.resolve ?? Resolve.make(),
        connectMillis,
        ca: options.ca,
        // Who reads an answer here bounds it; what is passed on has the length that it has.
        answerBytesMax: Number.POSITIVE_INFINITY
      })

      const open = Effect.fnUntraced(function* (request: UpstreamRequest) {
        const exchange = new Exchange()
        yield* Scope.addFinalizer(
          yield* Effect.scope,
          Effect.sync(() => exchange.abort())
        )
        begin(pools, request, exchange)
        const { headers, status } = yield* headOf(exchange, request)
        const whole = exchange.takeWhole()
        const body = whole === undefined ? Stream.fromPull(Effect.succeed(next(exchange))) : Stream.succeed(whole)
        const answer: UpstreamAnswer = { status, headers, body, whole }
        return answer
      })

      return Upstream.of({ policy: options.policy, open })
    })
  )
