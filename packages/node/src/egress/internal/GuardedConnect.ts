/**
 * Connections for undici, restricted by the egress policy. Checks every address of a host and connects to those very
 * addresses, so that a name server cannot change its answer in between.
 */

import { isIP, type LookupFunction } from "node:net"
import type { SecureContext } from "node:tls"
import * as EgressPolicy from "@limbeck/core/egress/EgressPolicy"
import { Fact } from "@limbeck/core/errors/Fact"
import * as Schema from "effect/Schema"
import { buildConnector } from "undici"
import * as Portions from "./Portions.ts"
import type { Resolve } from "./Resolve.ts"

/** Failures to connect beyond Node's own error codes. */
export class EgressFailure extends Fact<EgressFailure>()("EgressFailure", {
  reason: Schema.Literals([
    "blocked_address",
    "connection_refused",
    "dns_failure",
    "invalid_url",
    "own_server",
    "tls_failure"
  ])
}) {}

export interface GuardOptions {
  readonly policy: EgressPolicy.EgressPolicy
  readonly livemode: boolean
  /** The port of the origin. */
  readonly port: number
  readonly resolve: Resolve
  /** From the look-up to the end of the TLS handshake. */
  readonly connectMillis: number
  /** The trusted certificates. Shared: creating a context costs as much as half a handshake. */
  readonly secureContext: SecureContext
  /** Bytes of one answer; see `Portions`. */
  readonly answerBytesMax?: number | undefined
}

/** One refused address blocks the host: no honest host answers with both kinds. */
const checkAddresses = (options: GuardOptions, addresses: ReadonlyArray<string>): EgressFailure | undefined => {
  if (addresses.length === 0) return new EgressFailure({ reason: "dns_failure" })
  const holder = addresses
    .map((address) => EgressPolicy.holderOf(options.policy, address, options.port))
    .find((one) => one !== undefined)
  // A program of ours looks like a closed port: its port number is nobody else's business.
  if (holder !== undefined) {
    return new EgressFailure({ reason: holder === "server" ? "own_server" : "connection_refused" })
  }
  return addresses.every((address) => EgressPolicy.allowsAddress(options.policy, options.livemode, address))
    ? undefined
    : new EgressFailure({ reason: "blocked_address" })
}

const guardedLookup =
  (options: GuardOptions): LookupFunction =>
  (host, { all }, callback) => {
    const answer = (addresses: ReadonlyArray<string>) => {
      const failure = checkAddresses(options, addresses)
      const found = addresses.map((address) => ({ address, family: isIP(address) }))
      const [first] = found
      if (failure !== undefined || first === undefined) callback(failure ?? null, [])
      else if (all === true) callback(null, found)
      else callback(null, first.address, first.family)
    }
    options.resolve(host).then(answer, () => answer([]))
  }

/** A failure after TCP and before HTTP is TLS: common to its many codes, no system call failed. */
const isTls = (error: NodeJS.ErrnoException): boolean =>
  error.code === "EPROTO" ||
  (error.syscall === undefined &&
    !(error instanceof EgressFailure || error instanceof AggregateError) &&
    error.code !== "ECONNRESET" &&
    error.code?.startsWith("UND_ERR_") !== true)

export const make = (options: GuardOptions): buildConnector.connector => {
  const connect = buildConnector({
    timeout: options.connectMillis,
    allowH2: false,
    autoSelectFamily: true,
    lookup: guardedLookup(options),
    secureContext: options.secureContext
  })
  return (target, callback) => {
    // A literal address skips the look-up, so it is checked here.
    const refused = isIP(target.hostname) === 0 ? undefined : checkAddresses(options, [target.hostname])
    if (refused !== undefined) return queueMicrotask(() => callback(refused, null))
    connect(target, (...[error, socket]) => {
      if (error === null) callback(null, Portions.limit(socket, options.answerBytesMax))
      else
        callback(
          target.protocol === "https:" && isTls(error) ? new EgressFailure({ reason: "tls_failure" }) : error,
          null
        )
    })
  }
}
