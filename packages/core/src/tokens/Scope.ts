/** What a token may do. A `:write` does not imply its `:read`; `full_access` passes every check (contract 2). */
import * as Schema from "effect/Schema"

const groups = [
  "distill",
  "events",
  "webhooks",
  "tokens",
  "billing",
  "agents",
  "conversations",
  "sources",
  "channels",
  "workspace"
] as const

export const scopes = [
  ...groups.flatMap((group) => [`${group}:read`, `${group}:write`] as const),
  "proxy:write",
  "full_access"
] as const

export const Scope = Schema.Literals(scopes)
export type Scope = typeof Scope.Type

export const allows = (held: ReadonlyArray<Scope>, needed: Scope): boolean =>
  held.includes("full_access") || held.includes(needed)
