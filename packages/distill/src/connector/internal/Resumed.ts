/** Reads a content to its end through broken connections: requests the missing part again, after a wait. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { DistillLimits } from "../../Limits.ts"
import * as PullFailure from "./PullFailure.ts"

export type Bytes = Stream.Stream<Uint8Array, PullFailure.PullFailure>

/** How far one reading has come. Mutable, and held by nobody else. */
export interface Place {
  received: number
  /** The strong ETag of the received part. Without one nothing proves that two parts belong together. */
  etag: string | null
  /** Tries since the last byte. */
  failures: number
  resumptions: number
}

const mayGoOn = (place: Place): boolean =>
  place.failures < DistillLimits.pullTriesMax && place.resumptions < DistillLimits.pullResumptionsMax

/** Waits longer from try to try. */
const backoffMillis = (failures: number): number => DistillLimits.pullBackoffMillis * 2 ** (failures - 1)

/** Asks again where that may help. */
export const persistently = <A>(
  once: Effect.Effect<A, PullFailure.PullFailure>,
  tried = 1
): Effect.Effect<A, PullFailure.PullFailure> =>
  Effect.catchTag(once, "PullFailure", (failure) =>
    failure.again === "here" && tried < DistillLimits.pullTriesMax
      ? Effect.andThen(Effect.sleep(backoffMillis(tried)), persistently(once, tried + 1))
      : Effect.fail(failure)
  )

/** `open`: opens the missing part from a place, and records its ETag. */
export const content = (open: (place: Place) => Effect.Effect<Bytes, PullFailure.PullFailure, Scope.Scope>): Bytes =>
  Stream.suspend(() => {
    const place: Place = { received: 0, etag: null, failures: 0, resumptions: 0 }

    const rest: Bytes = Stream.suspend(() =>
      Stream.unwrap(open(place)).pipe(
        Stream.map((chunk) => {
          place.received += chunk.length
          place.failures = 0
          return chunk
        }),
        Stream.catchTag("PullFailure", again)
      )
    )

    const again = (failure: PullFailure.PullFailure): Bytes => {
      place.failures += 1
      place.resumptions += 1
      if (failure.again !== "here") return Stream.fail(failure)
      if (!mayGoOn(place)) return Stream.fail(PullFailure.instead(failure, "never"))
      if (place.received > 0 && place.etag === null) return Stream.fail(PullFailure.instead(failure, "anew"))
      return Stream.unwrap(Effect.as(Effect.sleep(backoffMillis(place.failures)), rest))
    }

    return rest
  })
