/**
 * Host names to addresses, by DNS over sockets of its own: a flood of names that nobody answers for costs memory for a few
 * seconds, where `dns.lookup` would fill Node's four threads (contract 14.7). Only DNS is asked: `/etc/hosts` and search
 * domains do not count.
 */
import * as dns from "node:dns/promises"

/** Every address of a host name; none when it has none. */
export type Resolve = (host: string) => Promise<ReadonlyArray<string>>

/** RFC 6761: these names are this machine, whatever a name server says. */
const isThisMachine = (host: string): boolean => /^(.+\.)?localhost\.?$/i.test(host)

/** `servers`: addresses (with a port, if need be) of name servers to ask instead of the system's. */
export const make = (servers?: ReadonlyArray<string>): Resolve => {
  // The second try waits twice as long, so that a lost packet is repeated within an attempt.
  const resolver = new dns.Resolver({ timeout: 1_000, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  return async (host) => {
    if (isThisMachine(host)) return ["127.0.0.1", "::1"]
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
  }
}
