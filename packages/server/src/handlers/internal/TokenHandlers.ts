/** The token routes (contract 2). */

import { TokensApi } from "@limbeck/api/TokensApi"
import { invalid } from "@limbeck/core/errors/Errors"
import { fromIso } from "@limbeck/core/time/Timestamp"
import * as TokenLimitRules from "@limbeck/core/tokens/TokenLimitRules"
import * as TokenResource from "@limbeck/core/tokens/TokenResource"
import { type NewTokenWithSecret, Tokens } from "@limbeck/core/tokens/Tokens"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Lists from "../../http/internal/Lists.ts"
import { type Handlers, handlersOf } from "../../http/internal/Routes.ts"

const withSecret = ({ partition, secret, token }: NewTokenWithSecret) =>
  Effect.map(Clock.currentTimeMillis, (now) => ({ ...TokenResource.render(partition, token, now), secret }))

const expiry = (text: string | null | undefined) => {
  if (text === null || text === undefined) return Effect.succeed(null)
  const at = fromIso(text)
  return at === undefined ? Effect.fail(invalid("expires_at", "This is not an ISO 8601 time")) : Effect.succeed(at)
}

export const make: Effect.Effect<Handlers<typeof TokensApi>, never, Tokens> = Effect.map(Tokens, (tokens) =>
  handlersOf(TokensApi)({
    create: ({ caller, payload }) =>
      Effect.gen(function* () {
        const livemode = payload.environment === undefined ? caller.partition.livemode : payload.environment === "live"
        const expiresAt = yield* expiry(payload.expires_at)
        const limits = yield* Effect.fromResult(TokenLimitRules.read(payload.limits))
        const { name, scopes } = payload
        return yield* withSecret(yield* tokens.create(caller, { name, scopes, livemode, expiresAt, limits }))
      }),
    list: ({ caller: { partition }, query }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Lists.page(
          { partition, list: "tokens", query },
          (request) => tokens.page(partition, request),
          (items) => items.map((token) => TokenResource.render(partition, token, now))
        )
      ),
    get: ({ caller: { partition }, params }) =>
      Effect.gen(function* () {
        const token = yield* tokens.get(partition, params.token_id)
        return TokenResource.render(partition, token, yield* Clock.currentTimeMillis)
      }),
    update: ({ caller, params, payload: { limits: given, name } }) =>
      Effect.gen(function* () {
        const limits =
          given === undefined ? undefined : ((yield* Effect.fromResult(TokenLimitRules.read(given))) ?? null)
        const token = yield* tokens.update(caller, params.token_id, { name, limits })
        return TokenResource.render(caller.partition, token, yield* Clock.currentTimeMillis)
      }),
    delete: ({ caller: { partition }, params }) =>
      Effect.map(tokens.disable(partition, params.token_id), ({ id }) => ({
        id,
        object: "api_token" as const,
        deleted: true as const
      })),
    rotate: ({ caller, params, payload }) =>
      Effect.flatMap(tokens.rotate(caller, params.token_id, payload.expires_in_seconds ?? 0), withSecret)
  })
)
