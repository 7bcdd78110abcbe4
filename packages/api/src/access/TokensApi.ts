/** API tokens (contract 2). */

import { Limits as CoreLimits } from "@limbeck/core/Limits"
import { Scope } from "@limbeck/core/tokens/Scope"
import { TokenResource as Token, TokenWithSecretResource as TokenWithSecret } from "@limbeck/core/tokens/TokenResource"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import {
  asCreated,
  Dollars,
  documentRule,
  idOf,
  listOf,
  listQuery,
  Name,
  nonEmpty,
  nullMeans,
  Timestamp,
  textUpTo
} from "../contract/Common.ts"
import { Limits } from "../contract/Limits.ts"
import { about, operation, readErrors, writeErrors } from "../contract/Operation.ts"

export { Token, TokenWithSecret }

/** By a set: comparing each with each is too slow for a list that is refused for its length. */
const eachOnce = Schema.makeFilter<ReadonlyArray<Scope>>(
  (scopes) => new Set(scopes).size === scopes.length || "Each scope is named once",
  { toJsonSchema: () => ({ uniqueItems: true }) }
)

const Scopes = nonEmpty(Scope, Limits.scopesMax).check(eachOnce)

/** `*` ends a pattern, or is not in it. */
const ModelPattern = textUpTo(CoreLimits.modelPatternMax).check(
  documentRule({ minLength: 1, pattern: "^[^*]*[^*]$|^[^*]*\\*$" })
)

const TokenLimits = Schema.Struct({
  models: Schema.optionalKey(
    nonEmpty(ModelPattern, CoreLimits.modelPatternsMax).annotate({
      description: "Exact names of models, or beginnings that end with *"
    })
  ),
  requests_per_minute: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: CoreLimits.requestsPerMinuteMax }))
  ),
  max_cost_usd_per_day: Schema.optionalKey(Dollars.annotate({ description: "US dollars of a UTC day" }))
}).annotate({ identifier: "TokenLimitsCreate" })

const limits = nullMeans("No limits", TokenLimits)

export const TokenCreate = Schema.Struct({
  name: Name,
  scopes: Scopes,
  environment: Schema.optionalKey(Schema.Literals(["test", "live"])),
  expires_at: Schema.optionalKey(Schema.NullOr(Timestamp)),
  limits
}).annotate({ identifier: "TokenCreate" })

export const TokenUpdate = Schema.Struct({ name: Schema.optionalKey(Name), limits }).annotate({
  identifier: "TokenUpdate"
})

export const TokenRotate = Schema.Struct({
  expires_in_seconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: CoreLimits.tokenOverlapSecondsMax }))
  )
}).annotate({ identifier: "TokenRotate" })

export const TokenDeleted = Schema.Struct({
  id: idOf("tok"),
  object: Schema.Literal("api_token"),
  deleted: Schema.Literal(true)
}).annotate({ identifier: "TokenDeleted" })

const params = { token_id: idOf("tok") }

export class TokensApi extends HttpApiGroup.make("tokens")
  .add(
    HttpApiEndpoint.post("create", "/v1/tokens", {
      payload: TokenCreate,
      success: asCreated(TokenWithSecret),
      error: writeErrors
    }).annotateMerge(
      operation("createToken", "Make a token; its secret is shown this once", {
        access: "tokens:write",
        idempotency: "supported",
        secret: true
      })
    )
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/tokens", {
      query: listQuery,
      success: listOf(Token),
      error: readErrors
    }).annotateMerge(operation("listTokens", "Tokens, newest first", { access: "tokens:read" }))
  )
  .add(
    HttpApiEndpoint.get("get", "/v1/tokens/:token_id", { params, success: Token, error: readErrors }).annotateMerge(
      operation("getToken", "One token", { access: "tokens:read" })
    )
  )
  .add(
    HttpApiEndpoint.patch("update", "/v1/tokens/:token_id", {
      params,
      payload: TokenUpdate,
      success: Token,
      error: writeErrors
    }).annotateMerge(
      operation("updateToken", "Change the name or the limits of a token; what is absent stays", {
        access: "tokens:write"
      })
    )
  )
  .add(
    HttpApiEndpoint.delete("delete", "/v1/tokens/:token_id", {
      params,
      success: TokenDeleted,
      error: readErrors
    }).annotateMerge(operation("deleteToken", "Disable a token at once", { access: "tokens:write" }))
  )
  .add(
    HttpApiEndpoint.post("rotate", "/v1/tokens/:token_id/rotate", {
      params,
      payload: TokenRotate,
      success: TokenWithSecret,
      error: writeErrors
    }).annotateMerge(
      operation("rotateToken", "Replace a token; the old one dies at once or after the overlap", {
        access: "tokens:write",
        idempotency: "supported",
        secret: true,
        bodyOptional: true
      })
    )
  )
  .annotateMerge(about("API tokens: made, rotated and disabled.")) {}
