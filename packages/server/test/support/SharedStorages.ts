/** Pairs of storage layers on one storage, and tests of two servers on such a pair. */
import { afterAll, beforeAll, describe } from "@effect/vitest"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import * as Database from "@limbeck/testing/database/Database"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { House, type HouseOptions } from "./House.ts"

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

/** Runs tests with two servers on one storage, once per storage. */
export const onTwoServers = (
  subject: string,
  tests: (first: House, second: House) => void,
  options: HouseOptions = {}
) => {
  for (const name of ["memory", "Postgres"] as const) {
    describe(`${subject}, on ${name}`, () => {
      const scope = Scope.makeUnsafe()
      const [first, second] = [new House(), new House()]
      beforeAll(async () => {
        const storages = await Effect.runPromise(Scope.provide(sharedStorages[name], scope))
        await first.open(storages[0], options)
        await second.open(storages[1], options)
      })
      afterAll(async () => {
        await first.close()
        await second.close()
        await Effect.runPromise(Scope.close(scope, Exit.void))
      })
      tests(first, second)
    })
  }
}
