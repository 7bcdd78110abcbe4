/** What a cache knew before a restart stands in for a storage that fails after it. */
import { assert, describe, it } from "@effect/vitest"
import * as Recent from "@limbeck/core/cache/Recent"
import { type SnapshotStore, Snapshots } from "@limbeck/core/cache/SnapshotStore"
import { StorageError } from "@limbeck/core/errors/Errors"
import { Limits } from "@limbeck/core/Limits"
import type { Queue } from "@limbeck/core/queue/Queue"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"

const away = Effect.fail(new StorageError({ operation: "test", cause: "away" }))

/** A disk; counts what is written to it. */
const disk = () => {
  const texts = new Map<string, string>()
  const state = { texts, writes: 0 }
  const store: SnapshotStore = {
    load: (name) => Effect.sync(() => texts.get(name) ?? null),
    save: (name, text) =>
      Effect.sync(() => {
        state.writes++
        texts.set(name, text)
        return true
      })
  }
  return { state, store }
}

type Cached = Option.Option<string>

const cache = Recent.make<Cached>("test", {
  name: "cache",
  encode: Option.getOrNull,
  decode: (json) => Option.map(Schema.decodeUnknownOption(Schema.String)(json), Option.some)
})

/** A process that ends in order. */
const inProcess = <A, E>(
  { store }: ReturnType<typeof disk>,
  use: (recent: Recent.Recent<Cached>) => Effect.Effect<A, E, Queue | Scope.Scope>
) => Effect.scoped(Effect.flatMap(cache, use)).pipe(Effect.provideService(Snapshots, store))

const knows = (key: string, value: string | null) => (recent: Recent.Recent<Cached>) =>
  recent.get(key, Effect.succeed(Option.fromNullishOr(value)))

/** The cached value of the key during an outage; undefined without one. */
const inOutage = (key: string) => (recent: Recent.Recent<Cached>) =>
  Effect.map(Effect.result(recent.get(key, away)), (result) =>
    Result.isSuccess(result) ? Option.getOrNull(result.success) : undefined
  )

const provided = <A, E>(test: Effect.Effect<A, E, Queue>) => Effect.provide(test, StorageMemory.layer)

describe("a cache after a restart", () => {
  it.effect("continues with what it knew while storage is away (P886)", () =>
    Effect.gen(function* () {
      const kept = disk()
      yield* inProcess(kept, knows("a", "1"))
      assert.strictEqual(yield* inProcess(kept, inOutage("a")), "1")
      assert.isUndefined(yield* inProcess(kept, inOutage("b")))
    }).pipe(provided)
  )

  it.effect("asks storage first, and believes it (P887)", () =>
    Effect.gen(function* () {
      const kept = disk()
      yield* inProcess(kept, knows("a", "1"))
      const after = inProcess(kept, (recent) =>
        Effect.gen(function* () {
          const said = yield* recent.get("a", Effect.succeed(Option.some("2")))
          yield* TestClock.adjust(Limits.recentMillis)
          return [said, yield* inOutage("a")(recent)]
        })
      )
      assert.deepStrictEqual(yield* after, [Option.some("2"), "2"])
      // A refusal cannot be cached, and forgets the earlier value.
      const refused = yield* inProcess(kept, (recent) => Effect.result(recent.get("a", Effect.fail("refused"))))
      assert.isTrue(Result.isFailure(refused))
      assert.isUndefined(yield* inProcess(kept, inOutage("a")))
    }).pipe(provided)
  )

  it.effect("gives callers that come while storage is asked nothing older than what it says (P887)", () =>
    Effect.gen(function* () {
      const kept = disk()
      yield* inProcess(kept, knows("a", "1"))
      const second = inProcess(kept, (recent) =>
        Effect.gen(function* () {
          yield* Effect.forkScoped(recent.get("a", Effect.never), { startImmediately: true })
          return yield* recent.get("a", Effect.succeed(Option.some("2")))
        })
      )
      assert.deepStrictEqual(yield* second, Option.some("2"))
    }).pipe(provided)
  )

  it.effect("continues for an hour after storage said so, and no longer (P886)", () =>
    Effect.gen(function* () {
      const kept = disk()
      yield* inProcess(kept, knows("a", "1"))
      yield* TestClock.adjust(Limits.recentStaleMillis - 1)
      assert.strictEqual(yield* inProcess(kept, inOutage("a")), "1")
      yield* TestClock.adjust(1)
      assert.isUndefined(yield* inProcess(kept, inOutage("a")))
    }).pipe(provided)
  )

  it.effect("does not know what a process has removed or changed before its end, asked for or not (P887)", () =>
    Effect.gen(function* () {
      const kept = disk()
      yield* inProcess(kept, (recent) => Effect.andThen(knows("a", "1")(recent), knows("b", "1")(recent)))
      // The change comes from a process without requests for these keys.
      yield* TestClock.adjust(1)
      yield* inProcess(kept, (recent) =>
        Effect.sync(() => recent.revise((_, key) => (key === "a" ? undefined : Option.some("2"))))
      )
      assert.isUndefined(yield* inProcess(kept, inOutage("a")))
      assert.strictEqual(yield* inProcess(kept, inOutage("b")), "2")
    }).pipe(provided)
  )

  it.effect("believes the later of two processes that share a disk (P887)", () =>
    Effect.gen(function* () {
      const kept = disk()
      const later = inProcess(kept, (recent) =>
        Effect.gen(function* () {
          yield* knows("a", "1")(recent)
          yield* TestClock.adjust(1_000)
          // Another process sees the removal, and ends before this one.
          yield* inProcess(kept, knows("a", "2"))
          yield* TestClock.adjust(1_000)
          yield* knows("b", "1")(recent)
        })
      )
      yield* later
      assert.strictEqual(yield* inProcess(kept, inOutage("a")), "2")
      assert.strictEqual(yield* inProcess(kept, inOutage("b")), "1")
    }).pipe(provided)
  )

  it.effect("was saved within seconds of what it learned, though its process was killed (P886)", () =>
    Effect.gen(function* () {
      const kept = disk()
      const killed = inProcess(kept, (recent) =>
        Effect.gen(function* () {
          yield* knows("a", "1")(recent)
          yield* TestClock.adjust(Limits.snapshotMillis)
          const atItsDeath = new Map(kept.state.texts)
          // The same answer every second is not written again, until its time is old.
          const writes = kept.state.writes
          for (let seconds = 0; seconds < 20; seconds++) {
            yield* TestClock.adjust(Limits.recentMillis)
            yield* knows("a", "1")(recent)
          }
          assert.strictEqual(kept.state.writes, writes)
          return atItsDeath
        })
      )
      const texts = yield* killed
      kept.state.texts.clear()
      for (const [name, text] of texts) kept.state.texts.set(name, text)
      assert.strictEqual(yield* inProcess(kept, inOutage("a")), "1")
    }).pipe(provided)
  )

  it.effect("keeps the keys that are there, however many others are asked for", () =>
    Effect.gen(function* () {
      const kept = disk()
      yield* inProcess(kept, (recent) =>
        Effect.gen(function* () {
          yield* knows("a", "1")(recent)
          for (let key = 0; key < Limits.snapshotMax - 1; key++) yield* knows(`no ${key}`, null)(recent)
        })
      )
      assert.strictEqual(yield* inProcess(kept, inOutage("a")), "1")
      const { states } = JSON.parse(kept.state.texts.get("cache") ?? "")
      assert.lengthOf(states, 1)
    }).pipe(provided)
  )

  it.effect("takes a text that is no snapshot for none", () =>
    Effect.gen(function* () {
      const kept = disk()
      for (const text of ["", "{}", '{"version":2,"states":[]}', '{"version":1,"states":[{"key":1}]}']) {
        kept.state.texts.set("cache", text)
        assert.isUndefined(yield* inProcess(kept, inOutage("a")))
      }
    }).pipe(provided)
  )
})
