/** Removes what nobody needs any more, in batches, now and then; nothing is ever right or wrong by when that happens. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

const every = "10 minutes"
const batch = 1_000

/** `sweep` answers how many it removed, up to `batch`. */
export const sweeping = (what: string, sweep: (now: Millis, batch: number) => Effect.Effect<number, StorageError>) => {
  const sweepAll = Effect.flatMap(Clock.currentTimeMillis, (now) => sweep(now, batch)).pipe(
    Effect.repeat({ while: (removed) => removed === batch }),
    Effect.catchCause((cause) => Effect.logWarning(`${what} could not be swept`, cause))
  )
  return Effect.forever(Effect.andThen(Effect.sleep(every), sweepAll))
}
