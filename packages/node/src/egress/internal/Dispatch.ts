/** What every exchange with an outside server has in common. */
import { BoundedCache } from "@limbeck/core/cache/BoundedCache"
import type { Dispatcher } from "undici"
import { EgressFailure } from "./GuardedConnect.ts"
import { httpUrl } from "./HttpUrl.ts"
import type { Pools } from "./Pools.ts"

/**
 * Maximum interim responses (1xx) to one request. More is a flood, and parsing it would cost other requests their time; no
 * server needs as many.
 */
export const interimMax = 100

export interface EgressHandler extends Dispatcher.DispatchHandler {
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

/** Caches parsed URLs: parsing takes longer than the rest of the work before a request is sent. */
const targetOf = (url: string): Target => {
  const known = targets.find(url)
  if (known !== undefined) return known
  const parsed = httpUrl(url)
  if (parsed === undefined) throw new EgressFailure({ reason: "invalid_url" })
  const target = { origin: parsed.origin, path: parsed.pathname + parsed.search }
  targets.keep(url, target, url.length)
  return target
}

/** The pool determines the URL; the caller sets undici's other options. */
type Options = Omit<Dispatcher.DispatchOptions, "origin" | "path">

/** Passes the request to the pool of its origin; `exchange` receives every outcome, including an unusable URL. */
export const dispatch = (
  pools: Pools,
  livemode: boolean,
  url: string,
  options: Options,
  exchange: EgressHandler
): void => {
  try {
    const { origin, path } = targetOf(url)
    pools.get(livemode, origin).dispatch({ ...options, path }, exchange)
  } catch (error) {
    exchange.onResponseError(null, error)
  }
}
