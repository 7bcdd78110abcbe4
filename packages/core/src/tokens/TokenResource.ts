/** A token as its GET shows it (contract 2). */
import type { Partition } from "../partition/Partition.ts"
import { type Millis, toIso, toIsoOrNull } from "../time/Timestamp.ts"
import { statusAt, type Token } from "./Token.ts"

export const render = (partition: Partition, token: Token, now: Millis) => ({
  id: token.id,
  object: "api_token" as const,
  name: token.name,
  environment: partition.livemode ? ("live" as const) : ("test" as const),
  scopes: token.scopes,
  livemode: partition.livemode,
  status: statusAt(token, now),
  last_used_at: toIsoOrNull(token.lastUsedAt),
  expires_at: toIsoOrNull(token.expiresAt),
  created_at: toIso(token.createdAt),
  created_by: token.createdBy ?? null
})
