/**
 * A source may lead back to this service, at once or through others. Each request to an upstream carries the ids of the
 * installations that it came through; one that has ours already is refused, and so is one that came through too many. The
 * refusal carries the ids back, so that each of them knows the loop for what it is, and refuses its own caller by that.
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

/** In lower case. An installation of another brand lets it pass, like any header that it does not know. */
export const headerOf = (brand: string): string => `x-${brand.toLowerCase()}-proxied-by`

const idsIn = (value: string | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : value.split(",").map((id) => id.trim())

export class LoopGuard extends Context.Service<
  LoopGuard,
  {
    /** Refuses the request of a caller that comes from this installation, or through too many others. */
    readonly check: (headers: Headers) => Effect.Effect<void, ProxyLoop>
    /** The headers of a request to an upstream, which say from now on that it came through here. */
    readonly marked: (headers: Headers) => Headers
    /** The headers of the refusal of a caller's request because of a loop. */
    readonly refusal: (headers: Headers) => Headers
    /** Whether an upstream's answer is the refusal of a loop that goes through this installation. */
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
    marked: (headers) => {
      const { [name]: before } = headers
      return { ...headers, [name]: before === undefined ? own : [...idsIn(before), own].join(", ") }
    },
    refusal: ({ [name]: ids }) => (ids === undefined ? {} : { [name]: ids }),
    isRefusal: ({ headers, status }) => status === 400 && idsIn(headers[name]).includes(own)
  })
})

/** `brand`: what the names of our headers begin with. */
export const layerWith = ({ brand }: { readonly brand: string }): Layer.Layer<LoopGuard, never, Installation> =>
  Layer.effect(LoopGuard, make(brand))

/** Marks what goes to an upstream and knows loops in what comes back: of the proxy, a judge, a verification, a student's endpoint. */
export const upstream: Layer.Layer<Upstream, never, Upstream | LoopGuard> = Layer.effect(
  Upstream,
  Effect.gen(function* () {
    const { open, policy } = yield* Upstream
    const { isRefusal, marked } = yield* LoopGuard
    const known = (answer: UpstreamResponse) =>
      isRefusal(answer) ? Effect.fail(new UpstreamFailure({ reason: loopReason })) : Effect.succeed(answer)
    return Upstream.of({
      policy,
      open: (request) => Effect.flatMap(open({ ...request, headers: marked(request.headers) }), known)
    })
  })
)
