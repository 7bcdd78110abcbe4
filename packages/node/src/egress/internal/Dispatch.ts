/** What every exchange with an outside server has in common. */
import type { Dispatcher } from "undici"
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

/** The URL is the pool's to find; what is left of undici's options is the caller's. */
type Options = Omit<Dispatcher.DispatchOptions, "origin" | "path">

/** Hands the request to the pool of its origin; `exchange` is told everything else. */
export const dispatch = (
  pools: Pools,
  livemode: boolean,
  url: URL | string,
  options: Options,
  exchange: Exchange
): void => {
  try {
    const { origin, pathname, search } = typeof url === "string" ? new URL(url) : url
    pools.get(livemode, origin).dispatch({ ...options, path: pathname + search }, exchange)
  } catch (error) {
    exchange.onResponseError(null, error)
  }
}
