/** Removes stored answers long after nobody may replay them; their validity never depends on it. */
import { IdempotencyStore } from "@limbeck/core/idempotency/IdempotencyStore"
import * as Effect from "effect/Effect"
import { sweeping } from "./Sweeping.ts"

export const make = Effect.map(IdempotencyStore, (store) => sweeping("stored answers", store.sweep))
