import { assert, it } from "@effect/vitest"
import { IdempotencyStore } from "@limbeck/core/idempotency/IdempotencyStore"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { twoPools } from "./Database.ts"

const record = (key: string) => ({ key, fingerprint: "f", status: 201, body: "{}", sealed: false, expiresAt: 1 })

it.live("of many callers in two processes, exactly one executes each key (P1)", () =>
  Effect.gen(function* () {
    const { one, two } = yield* twoPools
    const stores = [Context.get(one, IdempotencyStore), Context.get(two, IdempotencyStore)] as const
    const partition = Fresh.partition()
    const executed = new Map<string, number>()

    const call = (caller: number) => {
      const store = stores[caller % 2 === 0 ? 0 : 1]
      const key = `key-${Math.floor(caller / 8)}`
      const once = Effect.gen(function* () {
        if (Option.isSome(yield* store.find(partition, key))) return
        executed.set(key, (executed.get(key) ?? 0) + 1)
        yield* store.record(partition, record(key))
      })
      return Effect.retry(store.exclusively(partition, key, once), {
        while: (e) => e._tag === "IdempotencyKeyInFlight"
      })
    }
    yield* Effect.forEach(Array.from({ length: 400 }).keys(), call, { concurrency: 16, discard: true })
    assert.deepStrictEqual([...executed.values()], Array(50).fill(1))
  })
)

it.live("a process whose connection dies holding a key frees it, keeps nothing, and fails as storage (P2)", () =>
  Effect.gen(function* () {
    const { one, schema, sql, two } = yield* twoPools
    const partition = Fresh.partition()
    const scope = JSON.stringify([schema, partition.key, "key"])
    const kill = sql`
      SELECT pg_terminate_backend(pid, 5000) FROM pg_locks
      WHERE locktype = 'advisory' AND ((classid::bigint << 32) | objid::bigint) = hashtextextended(${scope}, 0)`

    const first = Context.get(one, IdempotencyStore)
    const cutShort = Effect.all([first.record(partition, record("key")), kill, first.find(partition, "key")])
    const error = yield* Effect.flip(first.exclusively(partition, "key", cutShort))
    assert.strictEqual(error._tag, "StorageError")

    const second = Context.get(two, IdempotencyStore)
    const found = yield* second.exclusively(partition, "key", second.find(partition, "key"))
    assert.deepStrictEqual(found, Option.none())
    // The pool has other connections after losing one.
    assert.deepStrictEqual(yield* first.exclusively(partition, "key", Effect.succeed(1)), 1)
  })
)
