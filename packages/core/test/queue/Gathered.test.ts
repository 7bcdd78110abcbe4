import { assert, describe, it } from "@effect/vitest"
import * as Gathered from "@limbeck/core/queue/Gathered"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"

/** Performs numbers once the gate is open, and records batches; odd ones fail. */
const open = (togetherMax = 10, lingerMax = 0) =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const batches: Array<ReadonlyArray<number>> = []
    const ask = yield* Gathered.make<number, string, string>({
      togetherMax,
      lingerMax,
      perform: (items) => {
        batches.push(items)
        const exits = items.map((item) => (item % 2 === 0 ? Exit.succeed(`${item}`) : Exit.fail(`odd ${item}`)))
        return Effect.as(Deferred.await(gate), exits)
      }
    })
    return { ask, batches, gate }
  })

const settled = Effect.repeat(Effect.yieldNow, { times: 100 })

describe("Gathered", () => {
  it.effect("what is asked while one is under way goes together, and each ends as its own item does (P240)", () =>
    Effect.gen(function* () {
      const { ask, batches, gate } = yield* open()
      const first = yield* Effect.forkChild(ask(0))
      yield* settled
      const rest = yield* Effect.forEach([1, 2, 3], (item) => Effect.forkChild(Effect.result(ask(item))))
      yield* settled
      assert.deepStrictEqual(batches, [[0]])
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* Fiber.join(first), "0")
      const ended = yield* Effect.forEach(rest, (fiber) => Fiber.join(fiber))
      assert.deepStrictEqual(
        ended.map((result) => (result._tag === "Success" ? result.success : result.failure)),
        ["odd 1", "2", "odd 3"]
      )
      assert.deepStrictEqual(batches, [[0], [1, 2, 3]])
    })
  )

  it.effect("those that are ready to ask at one moment go together, as many as may", () =>
    Effect.gen(function* () {
      const { ask, batches, gate } = yield* open(2)
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.forEach([0, 2, 4, 6, 8], (item) => ask(item), { concurrency: "unbounded" })
      assert.deepStrictEqual(batches, [[0, 2], [4, 6], [8]])
    })
  )

  it.effect("while others keep coming they are waited for, and who is alone is not (P410)", () =>
    Effect.gen(function* () {
      const { ask, batches, gate } = yield* open(10, 3)
      yield* Deferred.succeed(gate, undefined)
      yield* ask(0)
      const comes = (after: number) => Effect.andThen(Effect.repeat(Effect.yieldNow, { times: after }), ask(2 * after))
      // Each comes a few turns after the one before, and the fourth when three are performed.
      yield* Effect.forEach([1, 3, 5, 7], comes, { concurrency: "unbounded" })
      assert.deepStrictEqual(batches, [[0], [2, 6, 10], [14]])
    })
  )

  it.effect("who is interrupted leaves the item to be performed, and those that come later are performed too", () =>
    Effect.gen(function* () {
      const { ask, batches, gate } = yield* open()
      const asking = yield* Effect.forkChild(ask(0))
      yield* settled
      yield* Fiber.interrupt(asking)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* ask(2), "2")
      assert.deepStrictEqual(batches, [[0], [2]])
    })
  )

  it.effect("a failure of the whole is that of each of its items, and of none that comes later", () =>
    Effect.gen(function* () {
      let calls = 0
      const ask = yield* Gathered.make<number, number, string>({
        togetherMax: 10,
        perform: (items) => {
          calls++
          if (calls === 1) return Effect.fail("refused")
          return calls === 2 ? Effect.die("broken") : Effect.succeed(items.map((item) => Exit.succeed(item)))
        }
      })
      const both = yield* Effect.forEach([1, 2], (item) => Effect.flip(ask(item)), { concurrency: "unbounded" })
      assert.deepStrictEqual(both, ["refused", "refused"])
      assert.isTrue(Exit.hasDies(yield* Effect.exit(ask(3))))
      assert.strictEqual(yield* ask(4), 4)
    })
  )
})
