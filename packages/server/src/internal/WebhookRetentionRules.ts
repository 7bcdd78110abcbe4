/** The retention rules of every server, including webhooks alone. */
import * as IdempotencyRetention from "@limbeck/core/idempotency/IdempotencyRetention"
import * as RateRetention from "@limbeck/core/rate/RateRetention"
import type { RetentionRule } from "@limbeck/core/retention/RetentionRule"
import * as DeliveryRetention from "@limbeck/webhooks/retention/DeliveryRetention"
import * as EventRetention from "@limbeck/webhooks/retention/EventRetention"
import * as Effect from "effect/Effect"
import { signInLimit } from "../http/SignInLimit.ts"
import { ServerSettings } from "../Settings.ts"

/** The rule where the setting has a value; null: it is kept for ever. */
export const ruleOf = <Value, R>(
  setting: Value | null,
  rule: (value: Value) => Effect.Effect<RetentionRule, never, R>
): Effect.Effect<ReadonlyArray<RetentionRule>, never, R> =>
  setting === null ? Effect.succeed([]) : Effect.map(rule(setting), (made) => [made])

export const always = <R>(rule: Effect.Effect<RetentionRule, never, R>) => Effect.map(rule, (made) => [made])

export const webhookRules = Effect.gen(function* () {
  const { eventHistoryDays, rateLimit, webhookHistoryDays } = yield* ServerSettings
  const rules = yield* Effect.all([
    always(DeliveryRetention.rule(webhookHistoryDays)),
    ruleOf(eventHistoryDays, EventRetention.rule),
    always(IdempotencyRetention.rule),
    always(RateRetention.rule(rateLimit === null ? [signInLimit] : [rateLimit, signInLimit]))
  ])
  return rules.flat()
})
