import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Pools from "../src/egress/internal/Pools.ts"
import * as Receivers from "./Receivers.ts"

const make = (poolsMax?: number, ageMillisMax?: number) =>
  Pools.make({
    policy: { allowed: [] },
    resolve: () => Promise.resolve([]),
    connectMillis: 1_000,
    poolsMax,
    ageMillisMax
  })

const turn = () => new Promise((resolve) => setImmediate(resolve))

const empty = (pools: Pools.Pools) =>
  Effect.promise(async () => {
    while (pools.size() > 0) await turn()
  })

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
    assert.isTrue(second.isClosed)
    assert.isFalse(first.isClosed)
  })
)

it.live("a pool goes with its last connection", () =>
  Effect.gen(function* () {
    const { port } = yield* Receivers.http((_, response) => void response.setHeader("connection", "close").end("ok"))
    const pools = yield* make()
    const pool = pools.get(false, `http://127.0.0.1:${port}`)
    yield* Effect.promise(async () => (await pool.request({ path: "/", method: "POST" })).body.dump())
    yield* empty(pools)
    assert.isTrue(pool.isClosed)
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
    assert.isTrue(failed)
    yield* empty(pools)
  })
)

it.live("each request has a connection to itself, and the next the one that was free last (P491)", () =>
  Effect.gen(function* () {
    const asked: Array<{ readonly port: number | undefined; readonly end: () => void }> = []
    const server = yield* Receivers.http(({ socket }, response) => {
      asked.push({ port: socket.remotePort, end: () => void response.end("ok") })
    })
    const pools = yield* make()
    const pool = pools.get(false, `http://127.0.0.1:${server.port}`)
    const ask = async () => {
      const place = asked.length
      const answered = pool.request({ path: "/", method: "POST" }).then(({ body }) => body.dump())
      while (asked.length === place) await turn()
      const end = async () => {
        asked[place]?.end()
        await answered
        // undici takes a connection for free a turn after the answer's end.
        await turn()
      }
      return { port: asked[place]?.port, end }
    }
    const first = yield* Effect.promise(ask)
    const second = yield* Effect.promise(ask)
    const third = yield* Effect.promise(ask)
    assert.strictEqual(server.connections(), 3)
    yield* Effect.promise(second.end)
    yield* Effect.promise(first.end)
    const fourth = yield* Effect.promise(ask)
    const fifth = yield* Effect.promise(ask)
    assert.deepStrictEqual([fourth.port, fifth.port], [first.port, second.port])
    const sixth = yield* Effect.promise(ask)
    assert.strictEqual(server.connections(), 4)
    for (const { end } of [third, fourth, fifth, sixth]) yield* Effect.promise(end)
  })
)

it.live("a request that cannot be sent leaves its connection to the next (P491)", () =>
  Effect.gen(function* () {
    const { port } = yield* Receivers.http((_, response) => void response.setHeader("connection", "close").end("ok"))
    const pools = yield* make()
    const pool = pools.get(false, `http://127.0.0.1:${port}`)
    const ask = (headers: Record<string, string>) =>
      pool.request({ path: "/", method: "POST", headers }).then(
        async ({ body }) => {
          await body.dump()
          return true
        },
        () => false
      )
    assert.isFalse(yield* Effect.promise(() => ask({ "no name": "x" })))
    assert.isTrue(yield* Effect.promise(() => ask({})))
    yield* empty(pools)
  })
)

it.live("no request is sent on a connection that is too old: its host is looked up and checked again", () =>
  Effect.gen(function* () {
    const server = yield* Receivers.http((_, response) => void response.end("ok"))
    // With a maximum age of 0, every connection is too old when free.
    const pools = yield* make(undefined, 0)
    const pool = pools.get(false, `http://127.0.0.1:${server.port}`)
    for (const connections of [1, 2, 3]) {
      yield* Effect.promise(async () => (await pool.request({ path: "/", method: "POST" })).body.dump())
      yield* Effect.promise(turn)
      assert.strictEqual(server.connections(), connections)
    }
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
