import { assert, describe, it } from "@effect/vitest"
import * as Final from "@limbeck/core/cache/Final"
import * as Effect from "effect/Effect"

describe("documents that never change again", () => {
  /** A store that counts how often it is asked for each. */
  const counting = (isFinal: (value: string) => boolean, keptMax: number) => {
    const asked: Array<string> = []
    const final = Final.make(isFinal, keptMax)
    const get = (key: string, value = "ready") =>
      final.get(
        key,
        Effect.sync(() => {
          asked.push(key)
          return value
        })
      )
    return { asked, get }
  }

  it.effect("are looked up once, and those that may change each time", () =>
    Effect.gen(function* () {
      const { asked, get } = counting((value) => value === "ready", 10)
      assert.strictEqual(yield* get("a", "building"), "building")
      assert.strictEqual(yield* get("a", "building"), "building")
      for (let times = 0; times < 3; times++) assert.strictEqual(yield* get("a"), "ready")
      assert.deepStrictEqual(asked, ["a", "a", "a"])
    })
  )

  it.effect("are kept up to a number; the one that was asked for longest ago goes first", () =>
    Effect.gen(function* () {
      const { asked, get } = counting(() => true, 2)
      for (const key of ["a", "b", "a", "c", "a", "b"]) yield* get(key)
      assert.deepStrictEqual(asked, ["a", "b", "c", "b"])
    })
  )

  it.effect("are not kept where the look-up fails", () =>
    Effect.gen(function* () {
      const final = Final.make<string>(() => true, 2)
      assert.strictEqual(yield* Effect.flip(final.get("a", Effect.fail("gone"))), "gone")
      assert.strictEqual(yield* final.get("a", Effect.succeed("there")), "there")
    })
  )
})
