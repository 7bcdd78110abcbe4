/** A token: the credential of one workspace in one mode. Only the SHA-256 of its secret is stored. */
import * as Schema from "effect/Schema"
import { TokenId } from "../ids/Id.ts"
import { PersonId } from "../people/Person.ts"
import * as Kind from "../resources/Kind.ts"
import { Millis } from "../time/Timestamp.ts"
import { Scope } from "./Scope.ts"
import { TokenLimits } from "./TokenLimits.ts"

/** Who made a token. `operator`: a start of the server, a command or an embedding host; it has no id. */
export const TokenMaker = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("person"), id: PersonId }),
  Schema.Struct({ kind: Schema.Literal("token"), id: TokenId }),
  Schema.Struct({ kind: Schema.Literal("operator"), id: Schema.Null })
])
export type TokenMaker = typeof TokenMaker.Type

export const operator: TokenMaker = { kind: "operator", id: null }

export const Token = Schema.Struct({
  id: TokenId,
  name: Schema.String,
  /** Lowercase hex SHA-256 of the secret. */
  digest: Schema.String,
  scopes: Schema.Array(Scope),
  disabled: Schema.Boolean,
  expiresAt: Schema.NullOr(Millis),
  lastUsedAt: Schema.NullOr(Millis),
  createdAt: Millis,
  /** Absent in tokens of earlier versions. */
  createdBy: Schema.optionalKey(TokenMaker),
  /**
   * The person at the root of the chain of makers. The token ends with this person's membership of the workspace. Absent: the
   * chain starts at the operator.
   */
  person: Schema.optionalKey(PersonId),
  /** Of its proxy calls. Absent: none. */
  limits: Schema.optionalKey(TokenLimits),
  /** The predecessor or maker of the token, whose use of limits the token shares. Absent: the token has a use of its own. */
  useOf: Schema.optionalKey(TokenId)
})
export type Token = typeof Token.Type

/** Rung (`Queue.nudge`) when what a token may do has changed. */
export const bell = "tokens"

/** Under which id the use of limits is counted. */
export const useIdOf = ({ id, useOf }: Pick<Token, "id" | "useOf">): TokenId => useOf ?? id

export const labelOf = (person: string): string => `person:${person}`

export const kind = Kind.make({
  name: "api_token",
  noun: "token",
  schema: Token,
  unique: ({ digest }) => digest,
  labels: ({ person }) => (person === undefined ? [] : [labelOf(person)])
})

export const statusAt = (token: Token, now: Millis): "active" | "disabled" | "expired" => {
  if (token.disabled) return "disabled"
  return token.expiresAt !== null && token.expiresAt <= now ? "expired" : "active"
}
