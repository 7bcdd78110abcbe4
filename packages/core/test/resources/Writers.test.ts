import { assert, describe, it } from "@effect/vitest"
import { notFound } from "@limbeck/core/errors/Errors"
import { RevisionConflict } from "@limbeck/core/resources/ResourceStore"
import * as Writers from "@limbeck/core/resources/Writers"
import * as Effect from "effect/Effect"

const met = new RevisionConflict({ kind: "thing", id: "thing_1", revision: 0 })

/** A change that meets another writer so many times before it gets through. */
const meeting = (times: number) => {
  let left = times
  return Effect.suspend(() => (left-- > 0 ? Effect.fail(met) : Effect.succeed("changed")))
}

describe("writers of one resource", () => {
  it.effect("who comes second makes its change again", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Writers.inTurn("Thing", "thing_1")(meeting(30)), "changed")
    })
  )

  it.effect("who never gets through is told that somebody else changes it", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Writers.inTurn("Thing", "thing_1")(meeting(1_000)))
      assert.strictEqual(error._tag, "Conflict")
      assert.include(error.message, "Thing thing_1 was changed by somebody else")
    })
  )

  it.effect("any other refusal is the answer at once", () =>
    Effect.gen(function* () {
      let made = 0
      const gone = notFound("thing", "thing_1")
      const change = Effect.suspend(() => {
        made++
        return Effect.fail(gone)
      })
      assert.strictEqual(yield* Effect.flip(Writers.inTurn("Thing", "thing_1")(change)), gone)
      assert.strictEqual(made, 1)
    })
  )
})
