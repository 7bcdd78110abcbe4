/** `limbeck token`: makes, lists, revokes and rotates the tokens of a workspace. */
import type { Token, TokenCreate } from "@limbeck/client"
import { CommandError } from "./CommandError.ts"
import { printList } from "./Listing.ts"
import type { Command } from "./Remote.ts"

export interface NewToken {
  readonly name: string
  readonly scopes: ReadonlyArray<string>
  readonly environment?: "test" | "live" | undefined
  /** ISO 8601, in UTC. */
  readonly expiresAt?: string | undefined
  readonly limits: NewLimits
}

/** Of proxy calls; what is absent does not limit. */
interface NewLimits {
  readonly models: ReadonlyArray<string>
  readonly requestsPerMinute?: number | undefined
  readonly maxCostUsdPerDay?: number | undefined
}

const limitsOf = ({
  maxCostUsdPerDay,
  models,
  requestsPerMinute
}: NewLimits): NonNullable<TokenCreate["limits"]> | null => {
  const limits = {
    ...(models.length === 0 ? {} : { models: [...models] }),
    ...(requestsPerMinute === undefined ? {} : { requests_per_minute: requestsPerMinute }),
    ...(maxCostUsdPerDay === undefined ? {} : { max_cost_usd_per_day: maxCostUsdPerDay })
  }
  return Object.keys(limits).length === 0 ? null : limits
}

const lineOf = ({ environment, id, limits, name, scopes, status }: Token): string =>
  [id, environment, status, scopes.join(","), name, ...(limits === null ? [] : [JSON.stringify(limits)])].join(" ")

export const create =
  ({ environment, expiresAt, limits, name, scopes }: NewToken): Command =>
  async (client, output) => {
    if (scopes.length === 0) throw new CommandError("--scopes: at least one is needed, such as proxy:write")
    const token = await client.tokens.create({
      name,
      // The server rejects unknown scopes and lists the valid ones.
      scopes: scopes as TokenCreate["scopes"],
      limits: limitsOf(limits),
      ...(environment === undefined ? {} : { environment }),
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt })
    })
    output.result(token, lineOf(token), `Token (shown this once): ${token.secret}`)
    return 0
  }

export const list: Command = (client, output) => printList(output, client.tokens.list(), lineOf, "There is no token")

export const revoke =
  (id: string): Command =>
  async (client, output) => {
    output.result(await client.tokens.delete(id), `${id} disabled`)
    return 0
  }

export const rotate =
  (id: string, expiresInSeconds: number | undefined): Command =>
  async (client, output) => {
    const overlap = expiresInSeconds === undefined ? {} : { expires_in_seconds: expiresInSeconds }
    const token = await client.tokens.rotate(id, overlap)
    output.result(token, lineOf(token), `Token (shown this once): ${token.secret}`)
    return 0
  }
