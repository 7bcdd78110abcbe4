/**
 * Kept connections, one pool per mode and origin. A connection lives for seconds only, since nothing checks its address
 * again, and a pool goes when its last connection does.
 */
import { createSecureContext, type SecureContext } from "node:tls"
import type { EgressPolicy } from "@limbeck/core/egress/EgressPolicy"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Connections } from "./Connections.ts"
import * as GuardedConnect from "./GuardedConnect.ts"
import type { Resolve } from "./Resolve.ts"

/** How long a connection stays open without a request. */
const idleMillis = 4_000
/** The longest age of a connection by default. */
const ageMillisMax = 10_000
/** Origins kept at once; the one unused for longest makes room. */
const poolsMax = 1_024

export interface PoolsOptions {
  readonly policy: EgressPolicy
  readonly resolve: Resolve
  readonly connectMillis: number
  readonly ca?: string | undefined
  /**
   * Maximum age of a connection for new requests: bounds how long a host stays reachable after its name moves to a refused
   * address.
   */
  readonly ageMillisMax?: number | undefined
  readonly poolsMax?: number | undefined
  /** Bytes of one answer; see `Portions`. */
  readonly answerBytesMax?: number | undefined
}

export interface Pools {
  /** The pool of an origin; to be used at once, for an idle one may be closed at any time. */
  readonly get: (livemode: boolean, origin: string) => Connections
  readonly size: () => number
}

const portOf = (origin: string): number => {
  const { port, protocol } = new URL(origin)
  if (port !== "") return Number(port)
  return protocol === "https:" ? 443 : 80
}

const open = (
  options: PoolsOptions,
  secureContext: SecureContext,
  livemode: boolean,
  origin: string,
  onEmpty: () => void
): Connections =>
  new Connections(origin, {
    client: {
      connect: GuardedConnect.make({ ...options, secureContext, livemode, port: portOf(origin) }),
      allowH2: false,
      keepAliveTimeout: idleMillis,
      keepAliveMaxTimeout: idleMillis,
      // The caller's own limit covers the whole exchange.
      headersTimeout: 0,
      bodyTimeout: 0
    },
    ageMillisMax: options.ageMillisMax ?? ageMillisMax,
    onEmpty
  })

/** Closing the scope aborts requests under way. */
export const make = (options: PoolsOptions): Effect.Effect<Pools, never, Scope.Scope> =>
  Effect.sync(() => {
    // In order of last use.
    const pools = new Map<string, Connections>()
    const secureContext = createSecureContext(options.ca === undefined ? {} : { ca: options.ca })

    const drop = (key: string, pool: Connections) => {
      pools.delete(key)
      pool.end()
    }

    const opened = (key: string, livemode: boolean, origin: string): Connections => {
      const dropEmpty = () => {
        if (pools.get(key) === pool) drop(key, pool)
      }
      const pool: Connections = open(options, secureContext, livemode, origin, dropEmpty)
      return pool
    }

    const get = (livemode: boolean, origin: string): Connections => {
      const key = `${livemode ? "live" : "test"} ${origin}`
      const pool = pools.get(key) ?? opened(key, livemode, origin)
      pools.delete(key)
      pools.set(key, pool)
      const [oldest] = pools
      if (oldest !== undefined && pools.size > (options.poolsMax ?? poolsMax)) drop(...oldest)
      return pool
    }

    const destroyAll = () => {
      const all = [...pools.values()]
      pools.clear()
      return Promise.all(all.map((pool) => pool.breakOff()))
    }
    return { get, size: () => pools.size, destroyAll }
  }).pipe((acquire) => Effect.acquireRelease(acquire, ({ destroyAll }) => Effect.promise(destroyAll)))
