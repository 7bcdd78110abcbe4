/** How long the oldest due delivery has waited for a worker: the lag of all workers on a storage. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { DeliveryStore } from "./DeliveryStore.ts"

/** Milliseconds, read by index; 0 where no delivery is due. A delivery under way is due again at the end of its lease. */
export const oldestMillis: Effect.Effect<number, StorageError, DeliveryStore> = Effect.gen(function* () {
  const dueAt = yield* (yield* DeliveryStore).nextDueAt
  return dueAt === null ? 0 : Math.max(0, (yield* Clock.currentTimeMillis) - dueAt)
})
