/** The transactions that hosts have begun on their clients, with the changes that their commits will make. */
import { type HostClient, HostTransactionError } from "@limbeck/core/storage/HostTransaction"
import * as Effect from "effect/Effect"
import type { DeferredChanges, MemoryDatabase } from "./MemoryDatabase.ts"

const open = new WeakMap<HostClient, Map<MemoryDatabase, Array<DeferredChanges>>>()

/** A second `BEGIN` changes nothing, as on Postgres. */
export const begin = (client: HostClient): void => {
  if (!open.has(client)) open.set(client, new Map())
}

export const rollBack = (client: HostClient): void => void open.delete(client)

/** Makes the changes in the order of their statements, all or none. */
export const commit = (client: HostClient): Effect.Effect<void> =>
  Effect.suspend(() => {
    const changes = open.get(client) ?? new Map<MemoryDatabase, Array<DeferredChanges>>()
    open.delete(client)
    return Effect.forEach(changes, ([database, all]) => database.make(all), { discard: true })
  })

const refuse = (code: string | null, message: string) => new HostTransactionError({ message, code, cause: null })

/** Runs `self` now and applies its changes at the commit. A failure of `self` leaves the host's transaction open. */
export const join = <A, E, R>(
  database: MemoryDatabase,
  client: HostClient,
  self: Effect.Effect<A, E, R>
): Effect.Effect<A, E | HostTransactionError, R> =>
  Effect.suspend((): Effect.Effect<A, E | HostTransactionError, R> => {
    const transaction = open.get(client)
    if (transaction === undefined) {
      return Effect.fail(
        refuse(
          "25P01",
          "The client has no transaction: send BEGIN on it first. Storage in memory takes a HostClient of @limbeck/storage-memory/HostClient"
        )
      )
    }
    return Effect.map(Effect.uninterruptible(database.defer(self)), ({ changes, result }) => {
      transaction.set(database, [...(transaction.get(database) ?? []), changes])
      return result
    })
  })
