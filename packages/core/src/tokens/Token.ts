/** A token: the credential of one workspace in one mode. Its secret is never stored, only the SHA-256 of it. */
import * as Schema from "effect/Schema"
import { TokenId } from "../ids/Id.ts"
import * as Kind from "../resources/Kind.ts"
import { Millis } from "../time/Timestamp.ts"
import { Scope } from "./Scope.ts"

export const Token = Schema.Struct({
  id: TokenId,
  name: Schema.String,
  /** Lowercase hex SHA-256 of the secret. */
  digest: Schema.String,
  scopes: Schema.Array(Scope),
  disabled: Schema.Boolean,
  expiresAt: Schema.NullOr(Millis),
  lastUsedAt: Schema.NullOr(Millis),
  createdAt: Millis
})
export type Token = typeof Token.Type

/** Rung (`Queue.nudge`) when what a token may do has changed. */
export const bell = "tokens"

export const kind = Kind.make({ name: "api_token", noun: "token", schema: Token, unique: (token) => token.digest })

export const statusAt = (token: Token, now: Millis): "active" | "disabled" | "expired" => {
  if (token.disabled) return "disabled"
  return token.expiresAt !== null && token.expiresAt <= now ? "expired" : "active"
}
