/**
 * The token that asks. A session cannot call the proxy, so a press makes a token of its person, which ends after an hour and at the
 * page's end; a token of the API that may call the proxy asks by itself.
 */
import type { Client } from "@limbeck/client"
import { useEffect, useState } from "react"
import { useClient, useSession } from "../app/Session.tsx"
import { type ProxyAccess, prefixOf } from "./Asking.ts"

const hourMillis = 3_600_000

/** More presses than a person makes, and few enough for a loop gone wrong. */
const requestsPerMinute = 60

const makeToken = (client: Client, max_cost_usd_per_day: number) =>
  client.tokens.create({
    name: "Playground",
    scopes: ["proxy:write"],
    expires_at: new Date(Date.now() + hourMillis).toISOString(),
    limits: { requests_per_minute: requestsPerMinute, max_cost_usd_per_day }
  })

interface OpenAccess extends ProxyAccess {
  /** The token that was made for the page; null: the caller's own. */
  readonly made: string | null
}

export const useAccess = () => {
  const client = useClient()
  const { as } = useSession()
  const [access, setAccess] = useState<OpenAccess | null>(null)
  const made = access?.made ?? null
  useEffect(() => {
    if (made === null) return
    return () => {
      // It ends by itself within the hour.
      client.tokens.delete(made).catch(() => undefined)
    }
  }, [client, made])
  const open = async (maxCostUsd: number): Promise<void> => {
    if (as.kind === "token") {
      setAccess({ secret: as.token, prefix: await prefixOf(as.token), made: null })
      return
    }
    const { id, secret } = await makeToken(client, maxCostUsd)
    setAccess({ secret, prefix: await prefixOf(secret), made: id })
  }
  return { access, open }
}
