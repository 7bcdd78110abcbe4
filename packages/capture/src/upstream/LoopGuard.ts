/**
 * Refuses requests in a loop: a source may lead back to this service, directly or through others. Each request to an
 * upstream carries the ids of the installations on its way; a request with our own id is refused, and so is one with too
 * many ids. The refusal carries the ids back, so that each installation recognizes the loop, and refuses its own caller.
 *
 *     client ──▶ A ──[A]──▶ B ──[A, B]──▶ A: refused
 *     client ◀── A ◀──[A]── B ◀──[A, B]──┘
 */
import { Installation } from "@limbeck/core/installation/Installation"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ProxyLoop } from "../Errors.ts"
import { CaptureLimits } from "../Limits.ts"
import { loopReason, Upstream, UpstreamFailure, type UpstreamResponse } from "./Upstream.ts"

type Headers = Readonly<Record<string, string>>

/** In lower case. An installation of another brand passes it on, like any unknown header. */
export const headerOf = (brand: string): string => `x-${brand.toLowerCase()}-proxied-by`

const idsIn = (value: string | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : value.split(",").map((id) => id.trim())

export class LoopGuard extends Context.Service<
  LoopGuard,
  {
    /** Refuses a request that comes from this installation, or through too many others. */
    readonly check: (headers: Headers) => Effect.Effect<void, ProxyLoop>
    /** Adds this installation's id to the headers of an upstream request. */
    readonly mark: (headers: Headers) => Headers
    /** The headers of a refusal because of a loop. */
    readonly refusal: (headers: Headers) => Headers
    /** Whether an upstream's response refuses a loop through this installation. */
    readonly isRefusal: (answer: Pick<UpstreamResponse, "status" | "headers">) => boolean
  }
>()("@limbeck/capture/upstream/LoopGuard") {}

const make = Effect.fnUntraced(function* (brand: string) {
  const { id: own } = yield* Installation
  const name = headerOf(brand)
  return LoopGuard.of({
    check: (headers) => {
      const { [name]: value } = headers
      if (value === undefined) return Effect.void
      const ids = idsIn(value)
      if (ids.includes(own)) return Effect.fail(new ProxyLoop({ fault: "came_back", proxies: ids.length }))
      return ids.length >= CaptureLimits.proxiesMax
        ? Effect.fail(new ProxyLoop({ fault: "too_many", proxies: ids.length }))
        : Effect.void
    },
    mark: (headers) => {
      const { [name]: before } = headers
      return { ...headers, [name]: before === undefined ? own : [...idsIn(before), own].join(", ") }
    },
    refusal: ({ [name]: ids }) => (ids === undefined ? {} : { [name]: ids }),
    isRefusal: ({ headers, status }) => status === 400 && idsIn(headers[name]).includes(own)
  })
})

/** `brand`: the prefix of our header names. */
export const layerWith = ({ brand }: { readonly brand: string }): Layer.Layer<LoopGuard, never, Installation> =>
  Layer.effect(LoopGuard, make(brand))

/**
 * Marks upstream requests and detects loops in the responses: for the proxy, judges, verifications, and students'
 * endpoints.
 */
export const upstream: Layer.Layer<Upstream, never, Upstream | LoopGuard> = Layer.effect(
  Upstream,
  Effect.gen(function* () {
    const { open, policy } = yield* Upstream
    const { isRefusal, mark } = yield* LoopGuard
    const known = (answer: UpstreamResponse) =>
      isRefusal(answer) ? Effect.fail(new UpstreamFailure({ reason: loopReason })) : Effect.succeed(answer)
    return Upstream.of({
      policy,
      open: (request) => Effect.flatMap(open({ ...request, headers: mark(request.headers) }), known)
    })
  })
)
