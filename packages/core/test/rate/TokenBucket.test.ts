import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { type Bucket, full, fullAfterMillis, learn, take, tell, untoldMax } from "../../src/rate/TokenBucket.ts"

const limit = { perSecond: 50, burst: 100 }

/** Whole numbers below a bound, the same for the same seed. */
const randomOf = (seed: number) => {
  let state = seed >>> 0
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** What one server knows, and has let through without telling. */
class Server {
  bucket = full(limit, 0)
  count = 0
  from = 0

  /** Whether it let one through. */
  take(now: number): boolean {
    if (this.count >= untoldMax(limit)) return false
    const { allowed, bucket } = take(limit, this.bucket, now)
    this.bucket = bucket
    if (!allowed) return false
    if (this.count === 0) this.from = now
    this.count += 1
    return true
  }

  /** Returns the shared bucket after the report. */
  tell(shared: Bucket, now: number): Bucket {
    const told = tell(limit, shared, this.count === 0 ? { count: 0, from: now } : this)
    this.count = 0
    this.bucket = learn(limit, this.bucket, told, 0, now)
    return told
  }
}

const int = Schema.Int

describe("a bucket", () => {
  it("lets a burst through, then as much as time brings", () => {
    let bucket = full(limit, 0)
    const allowed = (now: number) => {
      const taken = take(limit, bucket, now)
      bucket = taken.bucket
      return taken.allowed
    }
    for (let use = 0; use < 100; use++) assert.isTrue(allowed(0))
    assert.isFalse(allowed(19))
    assert.isTrue(allowed(20))
    assert.isFalse(allowed(20))
  })

  it.prop("that one server alone shares is the one it would have without sharing", [int], ([seed]) => {
    const random = randomOf(seed)
    const server = new Server()
    let own = full(limit, 0)
    let shared = full(limit, 0)
    for (let step = 0, now = 0; step < 300; step++, now += random(60)) {
      if (random(4) === 0 || server.count === untoldMax(limit)) shared = server.tell(shared, now)
      const alone = take(limit, own, now)
      own = alone.bucket
      assert.strictEqual(server.take(now), alone.allowed)
      assert.closeTo(server.bucket.tokens, own.tokens, 1e-6)
    }
  })

  it.prop(
    "that servers share lets through no more than one server, and `untoldMax` for each other",
    [int],
    ([seed]) => {
      const random = randomOf(seed)
      const servers = Array.from({ length: 1 + random(4) }, () => new Server())
      const most = (now: number) =>
        limit.burst + (limit.perSecond * now) / 1_000 + (servers.length - 1) * untoldMax(limit)
      let shared = full(limit, 0)
      let allowed = 0
      for (let step = 0, now = 0; step < 2_000; step++, now += random(4)) {
        const server = servers[random(servers.length)]!
        if (random(10) === 0) shared = server.tell(shared, now)
        else if (server.take(now)) allowed += 1
        assert.isAtMost(allowed, most(now) + 1e-6)
      }
    }
  )

  it.prop("is full when it may be forgotten, however deep the debt was", [int], ([seed]) => {
    const random = randomOf(seed)
    let shared = full(limit, 0)
    for (let told = 0; told < 10; told++) shared = tell(limit, shared, { count: random(300), from: random(1_000) })
    const later = shared.at + fullAfterMillis(limit)
    assert.strictEqual(tell(limit, shared, { count: 0, from: later }).tokens, limit.burst)
  })
})
