/** Long work in turns. */
import { assert, describe, it } from "@effect/vitest"
import * as Turns from "@limbeck/core/turns/Turns"
import * as Effect from "effect/Effect"

/** So many parts of that cost each; tells of each part that is done. */
function* working(parts: number, cost: number, tell: () => void = () => {}): Turns.Steps<number> {
  for (let part = 0; part < parts; part++) {
    tell()
    yield cost
  }
  return parts
}

describe("Turns", () => {
  it.effect("others run after each turn's worth of work, and the work comes to the same (P124)", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const pause = Effect.sync(() => said.push("pause"))
      const work = Turns.forEach([1, 2, 3] as const, (n) =>
        working(n, Turns.turnCost / 2, () => said.push(`part of ${n}`))
      )
      const done = yield* Effect.provideService(work, Turns.Pause, Effect.asVoid(pause))
      assert.deepStrictEqual(done, [1, 2, 3])
      const [one, two, three] = ["part of 1", "part of 2", "part of 3"]
      assert.deepStrictEqual(said, [one, two, "pause", two, three, "pause", three, three, "pause"])
    })
  )

  it.effect("by default other tasks that can run do", () =>
    Effect.gen(function* () {
      let others = 0
      const count = Effect.andThen(
        Effect.sync(() => others++),
        Effect.yieldNow
      )
      yield* Effect.forkChild(Effect.forever(count))
      const { run } = yield* Turns.make
      yield* run(working(100, Turns.turnCost))
      assert.isAtLeast(others, 50)
    })
  )

  it("a work can be done at once", () => {
    assert.strictEqual(Turns.atOnce(working(7, Turns.turnCost)), 7)
  })
})
