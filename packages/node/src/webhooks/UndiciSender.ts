/** Sends webhooks with undici, behind the egress guard, within the limits of contract 8 and 14.7. */
import type { EgressPolicy } from "@limbeck/core/egress/EgressPolicy"
import { type WebhookRequest, WebhookSender } from "@limbeck/webhooks/delivery/WebhookSender"
import { Limits } from "@limbeck/webhooks/Limits"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { httpUrl } from "../egress/HttpUrl.ts"
import * as Pools from "../egress/Pools.ts"
import * as Resolve from "../egress/Resolve.ts"
import { Exchange } from "./Exchange.ts"

export interface SenderOptions {
  readonly policy: EgressPolicy
  /** The limit of one attempt, from DNS to the last body byte; 5 s unless told. */
  readonly attemptMillis?: number
  /** How hosts are looked up; by DNS unless told. */
  readonly resolve?: Resolve.Resolve
  /** Certificate authorities (PEM) to trust instead of Node's own. */
  readonly ca?: string
  /** How long a kept connection may serve before its host is looked up and checked again; 10 s unless told. */
  readonly connectionMillisMax?: number
  /** Bytes to keep of an answer's body; 1 KiB unless told. */
  readonly keepBytesMax?: number
}

/** Gives the request to its pool; `exchange` hears the rest, also that it cannot be sent. */
const begin = (pools: Pools.Pools, url: URL, { body, headers, livemode }: WebhookRequest, exchange: Exchange): void => {
  try {
    const path = url.pathname + url.search
    pools.get(livemode, url.origin).dispatch({ method: "POST", path, headers: { ...headers }, body }, exchange)
  } catch (error) {
    exchange.onResponseError(null, error)
  }
}

export const layer = (options: SenderOptions): Layer.Layer<WebhookSender> =>
  Layer.effect(
    WebhookSender,
    Effect.gen(function* () {
      const attemptMillis = options.attemptMillis ?? Limits.attemptMillis
      const pools = yield* Pools.make({
        policy: options.policy,
        resolve: options.resolve ?? Resolve.make(),
        connectMillis: attemptMillis,
        ca: options.ca,
        ageMillisMax: options.connectionMillisMax
      })

      const send = Effect.fn("WebhookSender.send")(function* (request: WebhookRequest) {
        const startedAt = yield* Clock.monotonicTimeNanos
        const url = httpUrl(request.url)
        if (url === undefined) return { statusCode: null, bodySnippet: "", durationMillis: 0, error: "invalid_url" }
        const exchange = new Exchange(options.keepBytesMax ?? Limits.snippetBytes)
        const settled = yield* Effect.callback<void>((resume) => {
          exchange.onSettled = () => resume(Effect.void)
          begin(pools, url, request, exchange)
          return Effect.sync(() => exchange.abort())
        }).pipe(Effect.timeoutOption(attemptMillis))
        const { bodySnippet, statusCode } = exchange
        const durationMillis = Math.round(Number((yield* Clock.monotonicTimeNanos) - startedAt) / 1e6)
        return { statusCode, bodySnippet, durationMillis, error: Option.isNone(settled) ? "timeout" : exchange.error }
      })

      return WebhookSender.of({ send })
    })
  )
