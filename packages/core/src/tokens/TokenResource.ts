/** A token as its GET shows it (contract 2). */
import * as Schema from "effect/Schema"
import type { Partition } from "../partition/Partition.ts"
import * as Rendered from "../resources/Rendered.ts"
import { Dollars, idOf, Timestamp } from "../resources/WireSchemas.ts"
import { type Millis, toIso, toIsoOrNull } from "../time/Timestamp.ts"
import { statusAt, type Token } from "./Token.ts"
import * as TokenLimitRules from "./TokenLimitRules.ts"

const TokenLimitsResource = Schema.Struct({
  models: Schema.optionalKey(Schema.Array(Schema.String)),
  requests_per_minute: Schema.optionalKey(Schema.Int),
  max_cost_usd_per_day: Schema.optionalKey(Dollars)
}).annotate({ identifier: "TokenLimits", description: "Limits of proxy calls; an absent member does not limit" })

export const TokenResource = Schema.Struct({
  id: idOf("tok"),
  object: Schema.Literal("api_token"),
  name: Schema.String,
  environment: Schema.Literals(["test", "live"]),
  scopes: Schema.Array(Schema.String),
  livemode: Schema.Boolean,
  status: Schema.Literals(["active", "disabled", "expired"]),
  last_used_at: Schema.NullOr(Timestamp),
  expires_at: Schema.NullOr(Timestamp),
  created_at: Timestamp,
  limits: Schema.NullOr(TokenLimitsResource),
  /** Null for tokens of earlier versions. `id` is null for the operator and for embedding hosts. */
  created_by: Schema.NullOr(
    Schema.Struct({ kind: Schema.Literals(["person", "token", "operator"]), id: Schema.NullOr(Schema.String) })
  )
}).annotate({ identifier: "Token" })

export const TokenWithSecretResource = Schema.Struct({ ...TokenResource.fields, secret: Schema.String }).annotate({
  identifier: "TokenWithSecret"
})

export const render = Rendered.by(TokenResource, (partition: Partition, token: Token, now: Millis) => ({
  id: token.id,
  object: "api_token",
  name: token.name,
  environment: partition.livemode ? ("live" as const) : ("test" as const),
  scopes: token.scopes,
  livemode: partition.livemode,
  status: statusAt(token, now),
  last_used_at: toIsoOrNull(token.lastUsedAt),
  expires_at: toIsoOrNull(token.expiresAt),
  created_at: toIso(token.createdAt),
  limits: token.limits === undefined ? null : TokenLimitRules.toWire(token.limits),
  created_by: token.createdBy ?? null
}))
