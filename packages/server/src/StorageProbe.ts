/** What storage can do at present, asked with little patience. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { StorageState } from "@limbeck/core/storage/Storage"
import { Storage } from "@limbeck/core/storage/Storage"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Overdue from "@limbeck/webhooks/delivery/Overdue"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"

const patienceMillis = 1_000

export type ProbedState = StorageState | "unavailable"

/** The result of a read of storage; none if it failed, or took more than a second. */
const readSoon = Effect.fnUntraced(function* <A, R>(read: Effect.Effect<A, StorageError, R>) {
  const fiber = yield* Effect.forkDetach(read)
  const exit = yield* Effect.timeoutOption(Fiber.await(fiber), patienceMillis)
  if (Option.isSome(exit)) return Exit.getSuccess(exit.value)
  // Not awaited: the interruption of a query may take long, too.
  fiber.interruptUnsafe()
  return Option.none<A>()
})

/** `unavailable`: it did not answer within a second. */
export const make: Effect.Effect<Effect.Effect<ProbedState>, never, Storage> = Effect.map(Storage, ({ health }) =>
  Effect.map(
    readSoon(health),
    Option.getOrElse((): ProbedState => "unavailable")
  )
)

/** How long the oldest due delivery has waited, in milliseconds; none: storage did not answer within a second. */
export const makeOldestDue: Effect.Effect<Effect.Effect<Option.Option<number>>, never, DeliveryStore> = Effect.map(
  DeliveryStore,
  (store) => readSoon(Effect.provideService(Overdue.oldestMillis, DeliveryStore, store))
)
