/** Pairs of storage layers on one storage, for tests with two servers. */
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import * as Database from "@limbeck/testing/database/Database"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const sharedStorages = {
  memory: Effect.map(Layer.build(StorageMemory.layer), (ports) => {
    const storage = Layer.succeedContext(ports)
    return [storage, storage] as const
  }),
  Postgres: Effect.map(
    Database.twoStoragesOn(StoragePostgres.layer),
    ({ one, two }) => [Layer.succeedContext(one), Layer.succeedContext(two)] as const
  )
}
