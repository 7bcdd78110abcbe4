/** What every exchange with an outside server has in common. */
import { BoundedCache } from "@limbeck/core/cache/BoundedCache"
import type { Dispatcher } from "undici"
import { EgressFailure } from "./GuardedConnect.ts"
import { httpUrl } from "./HttpUrl.ts"
import type { Pools } from "./Pools.ts"

/**
 * Interim responses (1xx) to one request. More is a flood, and reading it would cost others their time; no server has use for
 * as many.
 */
export const interimMax = 100

export interface Exchange extends Dispatcher.DispatchHandler {
  /** Also called where the request cannot be sent at all. */
  readonly onResponseError: (controller: Dispatcher.DispatchController | null, error: unknown) => void
}

/** Where a request goes: to whom, and for what. */
interface Target {
  readonly origin: string
  readonly path: string
}

/** The same URLs are called again and again. */
const targets = new BoundedCache<string, Target>({ generationMax: 64 * 1024, lengthMax: 512 })

/** To parse a URL takes longer than all else that is done for a request before it is sent. */
const targetOf = (url: string): Target => {
  const known = targets.find(url)
  if (known !== undefined) return known
  const parsed = httpUrl(url)
  if (parsed === undefined) throw new EgressFailure({ reason: "invalid_url" })
  const target = { origin: parsed.origin, path: parsed.pathname + parsed.search }
  targets.keep(url, target, url.length)
  return target
}

/** The URL is the pool's to find; what is left of undici's options is the caller's. */
type Options = Omit<Dispatcher.DispatchOptions, "origin" | "path">

/** Hands the request to the pool of its origin; `exchange` is told everything else, also of a URL that cannot be sent to. */
export const dispatch = (pools: Pools, livemode: boolean, url: string, options: Options, exchange: Exchange): void => {
  try {
    const { origin, path } = targetOf(url)
    pools.get(livemode, origin).dispatch({ ...options, path }, exchange)
  } catch (error) {
    exchange.onResponseError(null, error)
  }
}
