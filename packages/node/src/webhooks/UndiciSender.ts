/** Sends webhooks with undici, behind the egress guard, within the limits of contract 8 and 14.7. */
import type { EgressPolicy } from "@limbeck/core/egress/EgressPolicy"
import * as Trace from "@limbeck/core/trace/Trace"
import type { AttemptResult } from "@limbeck/webhooks/delivery/Delivery"
import { type WebhookRequest, WebhookSender } from "@limbeck/webhooks/delivery/WebhookSender"
import { WebhookLimits } from "@limbeck/webhooks/Limits"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { dispatch } from "../egress/internal/Dispatch.ts"
import * as Pools from "../egress/internal/Pools.ts"
import * as Resolve from "../egress/internal/Resolve.ts"
import { Deadlines } from "./internal/Deadlines.ts"
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

/** The deadlines of each clock: a single clock outside tests. */
const makeDeadlines = (attemptMillis: number) =>
  Effect.acquireRelease(
    Effect.sync(() => new Map<Clock.Clock, Deadlines>()),
    (all) =>
      Effect.sync(() => {
        for (const deadlines of all.values()) deadlines.stop()
      })
  ).pipe(
    Effect.map((all) => (clock: Clock.Clock) => {
      const deadlines = all.get(clock) ?? new Deadlines(clock, attemptMillis)
      all.set(clock, deadlines)
      return deadlines
    })
  )

export const layer = (options: SenderOptions): Layer.Layer<WebhookSender> =>
  Layer.effect(
    WebhookSender,
    Effect.gen(function* () {
      const attemptMillis = options.attemptMillis ?? WebhookLimits.attemptMillis
      const keepMax = options.keepBytesMax ?? WebhookLimits.snippetBytes
      const pools = yield* Pools.make({
        policy: options.policy,
        resolve: options.resolve ?? Resolve.make(),
        connectMillis: attemptMillis,
        ca: options.ca,
        ageMillisMax: options.connectionMillisMax
      })
      const deadlinesOf = yield* makeDeadlines(attemptMillis)

      /** Ends with the exchange, or when its time is over; interrupted, breaks it off. */
      const send = ({ body, headers, livemode, url }: WebhookRequest) =>
        Effect.clockWith((clock) =>
          Effect.callback<AttemptResult>((resume) => {
            const startedAt = clock.monotonicTimeNanosUnsafe()
            const exchange = new WebhookExchange(keepMax, () => {
              inTime()
              const { bodySnippet, error, statusCode } = exchange
              const durationMillis = Math.round(Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e6)
              resume(Effect.succeed({ statusCode, bodySnippet, durationMillis, error }))
            })
            const inTime = deadlinesOf(clock).begin(() => exchange.expire())
            dispatch(pools, livemode, url, { method: "POST", headers, body }, exchange)
            return Effect.sync(() => {
              inTime()
              exchange.abort()
            })
          })
        )

      return WebhookSender.of({ send: (request) => Trace.traceSpan("WebhookSender.send")(send(request)) })
    })
  )
