/** Reads what tenants' connectors name with undici, behind the egress guard, at the pace of who reads. */
import * as EgressPolicy from "@limbeck/core/egress/EgressPolicy"
import { Remote, type RemoteAnswer, RemoteError, type RemoteRequest } from "@limbeck/distill/connector/Remote"
import { DistillLimits } from "@limbeck/distill/Limits"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Dispatcher } from "undici"
import { failureName } from "../egress/internal/FailureName.ts"
import { httpUrl } from "../egress/internal/HttpUrl.ts"
import * as Pools from "../egress/internal/Pools.ts"
import * as Resolve from "../egress/internal/Resolve.ts"

/** Which addresses may be reached, whom to trust, and for how long to wait. */
export interface RemoteOptions {
  readonly policy: EgressPolicy.EgressPolicy
  /** Begins our name in `User-Agent`; `Service` by default. */
  readonly brand?: string | undefined
  /** How hosts are looked up; by DNS by default. */
  readonly resolve?: Resolve.Resolve
  /** Certificate authorities (PEM) to trust instead of Node's own. */
  readonly ca?: string
  /** Until the head of the response. */
  readonly headMillis?: number
  /** Between two chunks of its body. */
  readonly idleMillis?: number
}

/** The first of each name. */
const firsts = (headers: Dispatcher.ResponseData["headers"]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value
      return first === undefined ? [] : [[name.toLowerCase(), first]]
    })
  )

/** Aborts the body of a closed scope, and ignores the resulting error event. */
const drop = (body: Dispatcher.ResponseData["body"]) =>
  Effect.sync(() => {
    body.on("error", () => {}).destroy()
  })

export const layer = (options: RemoteOptions): Layer.Layer<Remote> =>
  Layer.effect(
    Remote,
    Effect.gen(function* () {
      const headMillis = options.headMillis ?? DistillLimits.remoteHeadMillis
      const userAgent = `${options.brand ?? "Service"}-Connector/1.0`
      const idleMillis = options.idleMillis ?? DistillLimits.remoteIdleMillis
      const pools = yield* Pools.make({
        policy: options.policy,
        resolve: options.resolve ?? Resolve.make(),
        connectMillis: headMillis,
        ca: options.ca,
        // Who reads counts: the content of a pull, or the answer of a provider, each has its own bound.
        answerBytesMax: Number.POSITIVE_INFINITY
      })

      const ask = (url: URL, { headers, livemode }: RemoteRequest) =>
        Effect.tryPromise({
          try: (signal) =>
            pools.get(livemode, url.origin).request({
              method: "GET",
              path: url.pathname + url.search,
              headers: { "user-agent": userAgent, "accept-encoding": "identity", ...headers },
              signal
            }),
          catch: (error) => new RemoteError({ reason: failureName(error, false) })
        }).pipe(Effect.timeoutOrElse({ duration: headMillis, orElse: () => new RemoteError({ reason: "timeout" }) }))

      const get = Effect.fn("Remote.get")(function* (request: RemoteRequest) {
        const url = httpUrl(request.url)
        if (url === undefined) return yield* new RemoteError({ reason: "invalid_url" })
        if (EgressPolicy.isInsecure(options.policy, request)) {
          return yield* new RemoteError({ reason: EgressPolicy.insecureUrl })
        }
        const response = yield* Effect.acquireRelease(ask(url, request), ({ body }) => drop(body), {
          interruptible: true
        })
        const body = Stream.fromAsyncIterable<Uint8Array, RemoteError>(
          response.body,
          (error) => new RemoteError({ reason: failureName(error, true) })
        ).pipe(
          Stream.timeoutOrElse({
            duration: idleMillis,
            orElse: () => Stream.fail(new RemoteError({ reason: "timeout" }))
          })
        )
        const answer: RemoteAnswer = { statusCode: response.statusCode, headers: firsts(response.headers), body }
        return answer
      })

      return Remote.of({ get })
    })
  )
