/** Removes stored responses of writes once they may not be replayed any more. */
import * as Effect from "effect/Effect"
import * as RetentionRule from "../retention/RetentionRule.ts"
import { IdempotencyStore } from "./IdempotencyStore.ts"

export const rule = Effect.map(IdempotencyStore, (store) =>
  RetentionRule.ofRows({ name: "idempotency records", setting: null, remove: store.sweep })
)
