/** Removes stored answers long after nobody may replay them; their validity never depends on it. */
import { IdempotencyStore } from "@limbeck/core/idempotency/IdempotencyStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

const every = "10 minutes"
const batch = 1_000

export const make = Effect.map(IdempotencyStore, (store) => {
  const sweep = Effect.flatMap(Clock.currentTimeMillis, (now) => store.sweep(now, batch)).pipe(
    Effect.repeat({ while: (removed) => removed === batch }),
    Effect.catchCause((cause) => Effect.logWarning("stored answers could not be swept", cause))
  )
  return Effect.forever(Effect.andThen(Effect.sleep(every), sweep))
})
