/** What storage can do at present, asked with little patience. */
import type { StorageState } from "@limbeck/core/storage/Storage"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"

const patienceMillis = 1_000

export type ProbedState = StorageState | "unavailable"

/** `unavailable`: it did not answer within a second. */
export const make: Effect.Effect<Effect.Effect<ProbedState>, never, Storage> = Effect.map(Storage, (storage) =>
  Effect.gen(function* () {
    const asked = yield* Effect.forkDetach(storage.health)
    const answer = yield* Effect.timeoutOption(Fiber.await(asked), patienceMillis)
    if (Option.isSome(answer)) return Exit.isSuccess(answer.value) ? answer.value.value : "unavailable"
    // Left alone: to take the question back may take long, too.
    asked.interruptUnsafe()
    return "unavailable"
  })
)
