/**
 * Permitted targets of tenants' outbound requests (contract 8, 14.8). Pure: a URL is checked when it is set, and every
 * address at connection; the connection uses the checked address.
 */
import * as IpNetwork from "effect/net/IpNetwork"
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"

/** This installation's listener on a port of this machine: the server itself, or a program that it started or depends on. */
export type PortHolder = "server" | "program"

export interface EgressPolicy {
  /** What the operator lets through although it would be refused. */
  readonly allowed: ReadonlyArray<IpNetwork.IpNetwork>
  /** Returns the holder of a port of this machine; undefined for ports unused by this installation. */
  readonly portHolder?: ((port: number) => PortHolder | undefined) | undefined
}

const networks = (...blocks: ReadonlyArray<string>) => blocks.map(IpNetwork.fromStringUnsafe)

const loopback = networks("127.0.0.0/8", "::1/128")

/** The policy of requests to programs that this server started: loopback alone, in both modes, own ports included. */
export const ownPrograms: EgressPolicy = { allowed: loopback }

/** Every address that reaches a listener on loopback: the unspecified addresses and IPv4 inside IPv6 do too. */
const thisMachine = [...loopback, ...networks("0.0.0.0/8", "::/128", "::ffff:7f00:0/104", "::ffff:0:0/104")]

const refused: ReadonlyArray<IpNetwork.IpNetwork> = networks(
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier-grade NAT, and a cloud's metadata
  "168.63.129.16/32", // a cloud's metadata, at a public address
  "169.254.0.0/16", // link-local, cloud metadata
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112: answers for private names, often from nearby
  "192.52.193.0/24", // multicast relays
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarking
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
  // IPv6 is public in 2000::/3 only. Beside it lie the unspecified address, IPv4 in its disguises (compatible, mapped,
  // translated, NAT64), unique local, link-local, site-local and multicast, and what nobody was given yet.
  "::/3",
  "4000::/2",
  "8000::/1",
  "2001::/23", // Teredo, ORCHID, benchmarking
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4
  "2620:4f:8000::/48", // AS112
  "3fff::/20" // documentation
)

const isIn = (blocks: ReadonlyArray<IpNetwork.IpNetwork>, address: NetAddress.IpAddress) =>
  blocks.some((block) => IpNetwork.contains(block, address))

/** The zone of an IPv6 address: the network interface. */
const zone = /(?<=:.*)%.+$/

/**
 * Returns the holder that a connection would reach, if any. A tenant's request never reaches a holder, in any mode and
 * despite `allowed`: test mode is for developers' own receivers.
 */
export const holderOf = ({ portHolder }: EgressPolicy, text: string, port: number): PortHolder | undefined => {
  const holder = portHolder?.(port)
  if (holder === undefined) return undefined
  const parsed = NetAddress.ipFromString(text.replace(zone, ""))
  return Result.isSuccess(parsed) && isIn(thisMachine, parsed.success) ? holder : undefined
}

/** Whether the policy allows a connection to the address. Rejects text without a valid address. */
export const allowsAddress = (policy: EgressPolicy, livemode: boolean, text: string): boolean => {
  const parsed = NetAddress.ipFromString(text.replace(zone, ""))
  if (Result.isFailure(parsed)) return false
  const address = parsed.success
  if (isIn(policy.allowed, address)) return true
  if (isIn(loopback, address)) return !livemode
  return !isIn(refused, address)
}

/** Whether the host of a URL is a permitted address; `localhost` counts as this machine's. */
const isLetThrough = (policy: EgressPolicy, host: string): boolean => {
  const parsed = NetAddress.ipFromString(host === "localhost" ? "127.0.0.1" : host.replace(/^\[|\]$/g, ""))
  return Result.isSuccess(parsed) && isIn(policy.allowed, parsed.success)
}

const testHosts = ["localhost", "127.0.0.1"]

/**
 * The reason to reject a webhook URL; undefined for a valid URL. Live mode: HTTPS only; test mode: also HTTP on this
 * machine.
 */
export const refusalOfUrl = (livemode: boolean, text: string): string | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return "This is not an absolute URL"
  if (url.username !== "" || url.password !== "") return "A URL must not hold credentials"
  if (url.protocol === "https:") return undefined
  if (url.protocol !== "http:") return "Only https URLs are delivered to"
  if (livemode) return "In live mode only https URLs are delivered to"
  return testHosts.includes(url.hostname)
    ? undefined
    : "In test mode http URLs may only name localhost or 127.0.0.1; use https"
}

/**
 * Why plain http is refused for a URL that gets credentials or customers' texts; undefined for https, for this machine in test
 * mode, and for addresses that the operator lets through. Sources, endpoints of students, connectors and scorers share this rule.
 */
export const plainHttpFault = (policy: EgressPolicy, livemode: boolean, text: string): string | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === "http:" && isLetThrough(policy, url.hostname)) return undefined
  return refusalOfUrl(livemode, text) === undefined
    ? undefined
    : "Use https; plain http is for localhost and 127.0.0.1 in test mode, and for addresses that the operator lets through"
}

/** The failure reason of a request stopped by `isInsecure`. */
export const insecureUrl = "insecure_url"

/** Whether a request of live mode would go out in plain http: its URL may have been taken by a version that did not refuse it. */
export const isInsecure = (
  policy: EgressPolicy,
  { livemode, url }: { readonly livemode: boolean; readonly url: string }
): boolean => livemode && plainHttpFault(policy, livemode, url) !== undefined
