/** The rate limit of a token used at several servers at once (contract 10). */
import { assert, describe, it } from "@effect/vitest"
import { StorageError } from "@limbeck/core/errors/Errors"
import { type KeyedUses, RateStore } from "@limbeck/core/rate/RateStore"
import { full, type RateLimit, tell, untoldMax } from "@limbeck/core/rate/TokenBucket"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as RateLimiter from "../src/http/RateLimiter.ts"
import { ServerSettings } from "../src/Settings.ts"
import type { Client } from "./support/Client.ts"
import { onTwoServers } from "./support/SharedStorages.ts"

const rateLimit: RateLimit = { perSecond: 0.5, burst: 40 }
/** So slow that no token returns during a test on the real clock. */
const slowLimit: RateLimit = { ...rateLimit, perSecond: 0.05 }

onTwoServers(
  "the rate limit of two servers on one storage",
  (first, second) => {
    /** A new token, at either server. */
    const clients = async () => {
      const { live, liveToken } = await first.workspace()
      return [live, second.client(liveToken)] as const
    }

    /** Whether the number of admitted requests equals one server's limit, up to a server's allowance. */
    const assertLimited = (allowed: number, tokens: number, startedAt: number) => {
      const refilled = ((performance.now() - startedAt) / 1_000) * slowLimit.perSecond
      assert.isAtLeast(allowed, tokens)
      assert.isAtMost(allowed, tokens + refilled + untoldMax(rateLimit))
    }

    const allowedOf = (answers: ReadonlyArray<{ readonly status: number }>) =>
      answers.filter(({ status }) => status === 200).length

    const ask = (client: Client) => client.get("/v1/whoami")

    const alternate = async (pair: readonly [Client, Client], times: number) => {
      const answers = []
      for (let index = 0; index < times; index++) answers.push(await ask(pair[index % 2 === 0 ? 0 : 1]))
      return answers
    }

    it("lets a flood at both through no more than at one (P54)", async () => {
      const pair = await clients()
      const startedAt = performance.now()
      const flood = Array.from({ length: 160 }, (_, index) => ask(pair[index % 2 === 0 ? 0 : 1]))
      assertLimited(allowedOf(await Promise.all(flood)), rateLimit.burst, startedAt)
    })

    it("is for a client that alternates what it is at one, and what time brings is shared too (P54)", async () => {
      const pair = await clients()
      const startedAt = performance.now()
      const atFirst = allowedOf(await alternate(pair, 100))
      assertLimited(atFirst, rateLimit.burst, startedAt)
      for (const house of [first, second]) house.passTime(600_000)
      const later = allowedOf(await alternate(pair, 100))
      // Both together: a debt is paid first, and a leftover fraction of a token counts.
      assert.isAtLeast(later, 30 - untoldMax(rateLimit))
      assertLimited(atFirst + later, rateLimit.burst + 30, startedAt)
    })

    it("is known to the server that was not asked, from its own first answers on", async () => {
      const [one, other] = await clients()
      for (let index = 0; index < rateLimit.burst; index++) assert.strictEqual((await ask(one)).status, 200)
      const answers = []
      for (let index = 0; index < 20; index++) answers.push(await ask(other))
      const allowed = answers.filter(({ status }) => status === 200).length
      assert.isAtMost(allowed, untoldMax(rateLimit) + 1)
      assert.strictEqual(answers.at(-1)?.status, 429)
      assert.match(answers.at(-1)?.headers.get("ratelimit") ?? "", /r=0/)
    })
  },
  { settings: { rateLimit: slowLimit } }
)

/** A limiter on a scripted storage. */
const limiterOn = (store: Partial<RateStore["Service"]>) =>
  RateLimiter.layer.pipe(
    Layer.provide(
      Layer.mergeAll(
        Layer.succeed(RateStore, {
          tell: () => Effect.die("not asked"),
          sweep: () => Effect.succeed(0),
          ...store
        }),
        Layer.succeed(ServerSettings, { ...ServerSettings.defaultValue(), rateLimit })
      )
    )
  )

const remaining = (headers: Readonly<Record<string, string>>) => Number(/r=(\d+)/.exec(headers["ratelimit"] ?? "")?.[1])

describe("a server that shares its rate limits", () => {
  it.effect("tells what it let through within 200 ms, all tokens at once, and nothing while nobody asks", () => {
    const told: Array<ReadonlyArray<KeyedUses>> = []
    const store: Partial<RateStore["Service"]> = {
      tell: (limit, uses) =>
        Effect.sync(() => {
          told.push(uses)
          return uses.map((use) => tell(limit, full(limit, use.from), use))
        })
    }
    return Effect.gen(function* () {
      const limiter = yield* RateLimiter.RateLimiter
      yield* TestClock.adjust("10 seconds")
      yield* limiter.take("one")
      yield* limiter.take("other")
      yield* TestClock.adjust("199 millis")
      assert.deepStrictEqual(told, [])
      yield* TestClock.adjust("1 millis")
      const uses = { count: 1, from: 10_000 }
      assert.deepStrictEqual(told, [
        [
          { key: "one", ...uses },
          { key: "other", ...uses }
        ]
      ])
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(told.length, 1)
    }).pipe(Effect.provide(limiterOn(store)))
  })

  it.effect("goes on alone, and lets through what one server may, when storage fails", () => {
    const failing = Effect.fail(new StorageError({ operation: "RateStore.tell", cause: null }))
    return Effect.gen(function* () {
      const limiter = yield* RateLimiter.RateLimiter
      for (let left = rateLimit.burst - 1; left >= 0; left--) {
        assert.strictEqual(remaining(yield* limiter.take("one")), left)
      }
      assert.strictEqual((yield* Effect.flip(limiter.take("one")))._tag, "RateLimited")
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(remaining(yield* limiter.take("one")), 0)
    }).pipe(Effect.provide(limiterOn({ tell: () => failing })))
  })

  it.effect("waits a second at most for storage that does not answer, and only when it is far ahead", () =>
    Effect.gen(function* () {
      const limiter = yield* RateLimiter.RateLimiter
      for (let use = 0; use < untoldMax(rateLimit); use++) yield* limiter.take("one")
      const waiting = yield* Effect.forkChild(limiter.take("one"))
      yield* TestClock.adjust("999 millis")
      assert.isUndefined(waiting.pollUnsafe())
      yield* limiter.take("other")
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(waiting)
    }).pipe(Effect.provide(limiterOn({ tell: () => Effect.never })))
  )
})
