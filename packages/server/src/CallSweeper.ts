/**
 * Removes captured calls that are older than the operator keeps them, with what was said of them, and what was said of an
 * external id as long ago. What versions were made of them stays.
 */
import { dayMillis } from "@limbeck/core/time/Timestamp"
import { CallStore } from "@limbeck/gateway/capture/CallStore"
import * as Effect from "effect/Effect"
import { ServerSettings } from "./Settings.ts"
import { sweeping } from "./Sweeping.ts"

/** Does nothing where calls are kept for ever. */
export const make = Effect.map(Effect.all([CallStore, ServerSettings]), ([store, { callHistoryDays: days }]) =>
  days === null
    ? Effect.never
    : sweeping("captured calls", (now, batch) => {
        const before = now - Math.round(days * dayMillis)
        return Effect.zipWith(store.prune(before, batch), store.pruneFeedback(before, batch), Math.max)
      })
)
