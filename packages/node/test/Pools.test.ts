import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Pools from "../src/egress/internal/Pools.ts"
import * as Receivers from "./Receivers.ts"

const make = (poolsMax?: number) =>
  Pools.make({ policy: { allowed: [] }, resolve: () => Promise.resolve([]), connectMillis: 1_000, poolsMax })

it.effect("one pool serves an origin, and another one the same origin in the other mode", () =>
  Effect.gen(function* () {
    const pools = yield* make()
    const [live, test] = [pools.get(true, "https://a.example"), pools.get(false, "https://a.example")]
    assert.notStrictEqual(live, test)
    assert.strictEqual(pools.get(true, "https://a.example"), live)
    assert.strictEqual(pools.size(), 2)
  })
)

it.effect("over the bound the pool unused for longest makes room", () =>
  Effect.gen(function* () {
    const pools = yield* make(2)
    const first = pools.get(true, "https://a.example")
    const second = pools.get(true, "https://b.example")
    pools.get(true, "https://a.example")
    pools.get(true, "https://c.example")
    assert.strictEqual(pools.size(), 2)
    assert.isTrue(second.closed)
    assert.isFalse(first.closed)
  })
)

it.live("a pool goes with its last connection", () =>
  Effect.gen(function* () {
    const { port } = yield* Receivers.http((_, response) => void response.setHeader("connection", "close").end("ok"))
    const pools = yield* make()
    const pool = pools.get(false, `http://127.0.0.1:${port}`)
    const gone = new Promise((resolve) => pool.on("disconnect", resolve))
    yield* Effect.promise(async () => (await pool.request({ path: "/", method: "POST" })).body.dump())
    yield* Effect.promise(() => gone)
    assert.deepStrictEqual([pools.size(), pool.closed], [0, true])
  })
)

it.live("a pool that reached nobody does not stay", () =>
  Effect.gen(function* () {
    const pools = yield* make()
    const pool = pools.get(true, "https://nobody.example")
    const failed = yield* Effect.promise(() =>
      pool.request({ path: "/", method: "POST" }).then(
        () => false,
        () => true
      )
    )
    assert.deepStrictEqual([failed, pools.size()], [true, 0])
  })
)

it.live("closing the scope breaks off what is under way", () =>
  Effect.gen(function* () {
    const { port } = yield* Receivers.raw(() => {})
    const pending = yield* Effect.scoped(
      Effect.gen(function* () {
        const pools = yield* make()
        const ended = pools
          .get(false, `http://127.0.0.1:${port}`)
          .request({ path: "/", method: "POST" })
          .then(
            () => "answered",
            () => "broken off"
          )
        return { ended }
      })
    )
    assert.strictEqual(yield* Effect.promise(() => pending.ended), "broken off")
  })
)
