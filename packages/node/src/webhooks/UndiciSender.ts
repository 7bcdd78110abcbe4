/** Sends webhooks with undici, behind the egress guard, within the limits of contract 8 and 14.7. */
import type { EgressPolicy } from "@limbeck/core/egress/EgressPolicy"
import * as Trace from "@limbeck/core/trace/Trace"
import { type WebhookRequest, WebhookSender } from "@limbeck/webhooks/delivery/WebhookSender"
import { WebhookLimits } from "@limbeck/webhooks/Limits"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { dispatch } from "../egress/internal/Dispatch.ts"
import { httpUrl } from "../egress/internal/HttpUrl.ts"
import * as Pools from "../egress/internal/Pools.ts"
import * as Resolve from "../egress/internal/Resolve.ts"
import { WebhookExchange } from "./internal/WebhookExchange.ts"

/** Which addresses may be reached, whom to trust, and for how long to wait. */
export interface SenderOptions {
  readonly policy: EgressPolicy
  /** The limit of one attempt, from DNS to the last body byte; 5 s by default. */
  readonly attemptMillis?: number
  /** How hosts are looked up; by DNS by default. */
  readonly resolve?: Resolve.Resolve
  /** Certificate authorities (PEM) to trust instead of Node's own. */
  readonly ca?: string
  /** How long a kept connection may serve before its host is looked up and checked again; 10 s by default. */
  readonly connectionMillisMax?: number
  /** Bytes to keep of an answer's body; 1 KiB by default. */
  readonly keepBytesMax?: number
}

export const layer = (options: SenderOptions): Layer.Layer<WebhookSender> =>
  Layer.effect(
    WebhookSender,
    Effect.gen(function* () {
      const attemptMillis = options.attemptMillis ?? WebhookLimits.attemptMillis
      const pools = yield* Pools.make({
        policy: options.policy,
        resolve: options.resolve ?? Resolve.make(),
        connectMillis: attemptMillis,
        ca: options.ca,
        ageMillisMax: options.connectionMillisMax
      })

      /** Ends with the exchange, or when its time is over; interrupted, breaks it off. */
      const exchanged = ({ body, headers, livemode }: WebhookRequest, url: URL, exchange: WebhookExchange) =>
        Effect.clockWith((clock) =>
          Effect.callback<void>((resume) => {
            const limit = Effect.runFork(clock.sleep(Duration.millis(attemptMillis)))
            const end = () => {
              limit.interruptUnsafe()
              resume(Effect.void)
            }
            limit.addObserver(() => exchange.expire())
            exchange.onSettled = end
            dispatch(pools, livemode, url, { method: "POST", headers: { ...headers }, body }, exchange)
            return Effect.sync(() => {
              exchange.abort()
              limit.interruptUnsafe()
            })
          })
        )

      const send = Effect.fnUntraced(function* (request: WebhookRequest) {
        const startedAt = yield* Clock.monotonicTimeNanos
        const url = httpUrl(request.url)
        if (url === undefined) return { statusCode: null, bodySnippet: "", durationMillis: 0, error: "invalid_url" }
        const exchange = new WebhookExchange(options.keepBytesMax ?? WebhookLimits.snippetBytes)
        yield* exchanged(request, url, exchange)
        const { bodySnippet, error, statusCode } = exchange
        const durationMillis = Math.round(Number((yield* Clock.monotonicTimeNanos) - startedAt) / 1e6)
        return { statusCode, bodySnippet, durationMillis, error }
      })

      return WebhookSender.of({ send: (request) => Trace.spanned("WebhookSender.send")(send(request)) })
    })
  )
