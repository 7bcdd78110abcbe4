import { assert, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { MemoryDatabase } from "../src/internal/database/MemoryDatabase.ts"

const counter = (db: MemoryDatabase) => {
  let value = 0
  const add = db.sync((journal) => {
    value += 1
    journal.undo(() => {
      value -= 1
    })
  })
  return { add, read: db.sync(() => value) }
}

it.effect("a fiber that outlives the transaction it was forked in is outside of it", () =>
  Effect.gen(function* () {
    const db = new MemoryDatabase()
    const { add, read } = counter(db)
    const ended = yield* Deferred.make<void>()
    const fork = Effect.forkDetach(Effect.andThen(Deferred.await(ended), add))
    const fiber = yield* db.transaction(fork)
    yield* Deferred.succeed(ended, undefined)
    yield* Fiber.join(fiber)
    assert.strictEqual(yield* read, 1)
    assert.strictEqual(yield* Effect.flip(db.transaction(Effect.andThen(add, Effect.fail("refused")))), "refused")
    assert.strictEqual(yield* read, 1)
  })
)

it.effect("a transaction of one database is none of another, also inside it", () =>
  Effect.gen(function* () {
    const [here, there] = [new MemoryDatabase(), new MemoryDatabase()]
    const [mine, theirs] = [counter(here), counter(there)]
    const inner = there.transaction(Effect.andThen(theirs.add, mine.add))
    yield* Effect.flip(here.transaction(Effect.andThen(inner, Effect.fail("refused"))))
    assert.deepStrictEqual(yield* Effect.all([mine.read, theirs.read]), [0, 1])
  })
)

it.effect("an operation that throws takes back what it had done, and the transaction around it may go on", () =>
  Effect.gen(function* () {
    const db = new MemoryDatabase()
    const { add, read } = counter(db)
    let other = 0
    const broken = db.sync((journal) => {
      other = 1
      journal.undo(() => {
        other = 0
      })
      throw new Error("broken")
    })
    yield* db.transaction(Effect.andThen(add, Effect.exit(broken)))
    yield* Effect.exit(broken)
    assert.deepStrictEqual([yield* read, other], [1, 0])
  })
)

it.effect("who is interrupted while waiting for its turn leaves the turn to others", () =>
  Effect.gen(function* () {
    const db = new MemoryDatabase()
    const { add, read } = counter(db)
    const release = yield* Deferred.make<void>()
    const holder = yield* Effect.forkChild(db.transaction(Deferred.await(release)), { startImmediately: true })
    const waiting = yield* Effect.forkChild(db.transaction(add), { startImmediately: true })
    yield* Fiber.interrupt(waiting)
    yield* Deferred.succeed(release, undefined)
    yield* Fiber.join(holder)
    yield* add
    assert.strictEqual(yield* read, 1)
  })
)
