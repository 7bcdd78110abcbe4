import { assert, describe, it } from "@effect/vitest"
import { notFound } from "@limbeck/core/errors/Errors"
import * as Partition from "@limbeck/core/partition/Partition"
import * as Kind from "@limbeck/core/resources/Kind"
import { ResourceStore, RevisionConflict } from "@limbeck/core/resources/ResourceStore"
import * as Writers from "@limbeck/core/resources/Writers"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const things = Kind.make({ name: "thing", schema: Schema.Struct({ id: Schema.String, createdAt: Schema.Int }) })

const met = new RevisionConflict({ kind: "thing", id: "thing_1", revision: 0 })

/** A change that meets concurrent writers `times` times before it succeeds. */
const meeting = (times: number) => {
  let left = times
  return Effect.suspend(() => (left-- > 0 ? Effect.fail(met) : Effect.succeed("changed")))
}

describe("writers of one resource", () => {
  it.effect("who comes second makes its change again (P97)", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Writers.inTurn(things, "thing_1")(meeting(30)), "changed")
    })
  )

  it.effect("who never gets through is told that somebody else changes it", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Writers.inTurn(things, "thing_1")(meeting(1_000)))
      assert.deepInclude(error, { _tag: "ChangedMeanwhile", resource: "thing", id: "thing_1" })
    })
  )

  it.effect(
    "of one that names a resource and one that removes it, the second sees what the first has done (P102)",
    () =>
      Effect.gen(function* () {
        const store = yield* ResourceStore
        const partition = Partition.make("ws_00000000000000000000000001", true)
        yield* store.insert(partition, things, { id: "thing_1", createdAt: 0 })
        let others = 1
        /** Another one comes first, between the look and the hold. */
        const met = ResourceStore.of({
          ...store,
          find: (...asked) =>
            Effect.tap(store.find(...asked), () =>
              others-- > 0 ? Effect.orDie(Writers.hold(store, partition, things, "thing_1")) : Effect.void
            )
        })
        const hold = Writers.hold(met, partition, things, "thing_1")
        assert.strictEqual((yield* Effect.flip(hold))._tag, "RevisionConflict")
        assert.isTrue(yield* Writers.inTurn(things, "thing_1")(hold))
        yield* store.remove(partition, things, "thing_1")
        assert.isFalse(yield* hold)
      }).pipe(Effect.provide(StorageMemory.layer))
  )

  it.effect("any other refusal is the answer at once", () =>
    Effect.gen(function* () {
      let made = 0
      const gone = notFound("thing", "thing_1")
      const change = Effect.suspend(() => {
        made++
        return Effect.fail(gone)
      })
      assert.strictEqual(yield* Effect.flip(Writers.inTurn(things, "thing_1")(change)), gone)
      assert.strictEqual(made, 1)
    })
  )
})
