import { assert, describe, it } from "@effect/vitest"
import { EventStore } from "@limbeck/core/events/EventStore"
import * as Page from "@limbeck/core/pages/Page"
import * as Partition from "@limbeck/core/partition/Partition"
import { Pools } from "@limbeck/core/pools/Pools"
import { sizeAlone } from "@limbeck/core/pools/Shares"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Connector from "@limbeck/distill/connector/Connector"
import { Connectors } from "@limbeck/distill/connector/Connectors"
import { Datasets } from "@limbeck/distill/dataset/Datasets"
import { VersionBuilder } from "@limbeck/distill/dataset/VersionBuilder"
import { DistillLimits } from "@limbeck/distill/Limits"
import * as Pull from "@limbeck/distill/pull/Pull"
import { Pulls } from "@limbeck/distill/pull/Pulls"
import { PullWorker } from "@limbeck/distill/pull/PullWorker"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { answer, broken, eventTypes, live, makeSite, pulled, queued, rowsOf, secret, worldOf } from "./World.ts"

const content = rowsOf(20)
const half = Math.floor(content.length / 2)
const etag = { etag: '"one"' }

/** Lets the time pass that a pull waits between its tries. */
const patiently = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    for (let passed = 0; passed < 40; passed++) yield* TestClock.adjust(500)
    return yield* Fiber.join(fiber)
  })

const from = (offset: number, headers: Readonly<Record<string, string>> = etag) =>
  answer(206, content.slice(offset), {
    ...headers,
    "content-range": `bytes ${offset}-${content.length - 1}/${content.length}`
  })

describe("PullWorker: connections that break", () => {
  it.effect("what is missing is asked for, under the tag of what is here, as often as it breaks", () => {
    const site = makeSite()
    site.serve = (request, number) => {
      const offset = Number(/\d+/.exec(request.headers["range"] ?? "")?.[0] ?? 0)
      const range = { "content-range": `bytes ${offset}-${content.length - 1}/${content.length}` }
      return number < 12
        ? answer(number === 0 ? 200 : 206, content.slice(offset), { ...etag, ...(number === 0 ? {} : range) }, 30)
        : from(offset)
    }
    return Effect.gen(function* () {
      const pull = yield* patiently(pulled())
      assert.deepInclude(pull, { status: "succeeded", rows: 20 })
      assert.strictEqual(pull.blob?.bytes, content.length)
      assert.deepStrictEqual(
        site.asked.map(({ headers }) => headers["range"]),
        [undefined, ...Array.from({ length: 12 }, (_, index) => `bytes=${(index + 1) * 30}-`)]
      )
      assert.isTrue(site.asked.slice(1).every(({ headers }) => headers["if-range"] === '"one"'))
      assert.isTrue(site.asked.every(({ headers }) => headers["authorization"] === secret))
    }).pipe(Effect.provide(worldOf(site)))
  })

  it.effect("a server that sends the same file whole again is heard from where it broke", () => {
    const site = makeSite()
    site.serve = (_, number) => (number === 0 ? answer(200, content, etag, half) : answer(200, content, etag))
    return Effect.gen(function* () {
      const pull = yield* patiently(pulled())
      assert.strictEqual(pull.blob?.bytes, content.length)
      assert.deepInclude(pull, { status: "succeeded", rows: 20 })
    }).pipe(Effect.provide(worldOf(site)))
  })

  const others = [
    ["another file", () => answer(200, content, { etag: '"two"' })],
    ["a part of another file", () => from(half, { etag: '"two"' })],
    ["another part", () => from(half + 1)],
    ["no such part", () => answer(416)]
  ] as const
  for (const [what, second] of others) {
    it.effect(`who gets ${what} reads from the first byte again, and mixes nothing`, () => {
      const site = makeSite()
      const changed = rowsOf(5)
      site.serve = (_, number) => {
        if (number === 0) return answer(200, content, etag, half)
        return number === 1 ? second() : answer(200, changed, { etag: '"two"' })
      }
      return Effect.gen(function* () {
        const pull = yield* patiently(pulled())
        assert.deepInclude(pull, { status: "succeeded", rows: 5 })
        assert.strictEqual(pull.blob?.bytes, changed.length)
        assert.isUndefined(site.asked[2]?.headers["range"])
      }).pipe(Effect.provide(worldOf(site)))
    })
  }

  it.effect("a content without a strong tag that keeps breaking is given up, and says why", () => {
    const site = makeSite()
    site.serve = () => answer(200, content, { etag: 'W/"one"' }, half)
    return Effect.gen(function* () {
      const pull = yield* patiently(pulled())
      assert.strictEqual(pull.status, "failed")
      assert.strictEqual(pull.error?.code, "connection_reset")
      assert.strictEqual(site.asked.length, 1 + DistillLimits.pullRestartsMax)
      assert.deepStrictEqual(yield* eventTypes, ["distill.pull.failed"])
    }).pipe(Effect.provide(worldOf(site)))
  })

  it.effect("who does not answer, or is busy, is asked a few times, ever later; who refuses is not", () => {
    const cases = [
      [() => broken("connection_refused"), "connection_refused", DistillLimits.pullTriesMax],
      [() => broken("timeout"), "timeout", DistillLimits.pullTriesMax],
      [() => answer(503), "status", DistillLimits.pullTriesMax],
      [() => answer(429), "status", DistillLimits.pullTriesMax],
      [() => answer(401), "status", 1],
      [() => answer(302, "", { location: "https://elsewhere.example" }), "status", 1],
      [() => broken("blocked_address"), "blocked_address", 1],
      [() => answer(200, content, { "content-encoding": "br" }), "invalid_answer", 1]
    ] as const
    return Effect.forEach(cases, ([serve, code, times]) => {
      const site = makeSite()
      site.serve = serve
      return Effect.gen(function* () {
        const pull = yield* patiently(pulled())
        assert.deepInclude(pull, { status: "failed", rows: null, blob: null })
        assert.strictEqual(pull.error?.code, code)
        assert.notStrictEqual(pull.error?.message, "", code)
        assert.strictEqual(site.asked.length, times, code)
      }).pipe(Effect.provide(Layer.fresh(worldOf(site))))
    })
  })

  it.effect("a content that never ends, or never comes, ends at its limit", () => {
    const site = makeSite()
    site.serve = () => Effect.succeed({ statusCode: 200, headers: {}, body: Stream.never })
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(pulled())
      yield* TestClock.adjust(DistillLimits.pullMillis)
      const pull = yield* Fiber.join(fiber)
      assert.strictEqual(pull.status, "failed")
      assert.strictEqual(pull.error?.code, "timeout")
    }).pipe(Effect.provide(worldOf(site)))
  })
})

describe("PullWorker: workers that are lost", () => {
  /** What a worker leaves that was killed: a lease that nobody prolongs. */
  const killed = Effect.gen(function* () {
    const queue = yield* Queue
    const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    yield* queue.claim({ topic: Pull.topic, now, limit: 1, leaseUntil: now + DistillLimits.leaseMillis })
  })

  it.effect("nothing of half a content is seen, and the next worker brings it whole (P56)", () => {
    const site = makeSite()
    site.serve = (_, number) =>
      number === 0
        ? Effect.succeed({
            statusCode: 200,
            headers: etag,
            body: Stream.concat(Stream.make(new Uint8Array(9)), Stream.never)
          })
        : answer(200, content, etag)
    return Effect.gen(function* () {
      const pulls = yield* Pulls
      const worker = yield* PullWorker
      const { id } = yield* queued()
      const first = yield* Effect.forkChild(worker.runOnce)
      yield* TestClock.adjust(1)
      const running = yield* pulls.get(live, id)
      assert.deepInclude(running, { status: "running", starts: 1, blob: null, rows: null })
      yield* Fiber.interrupt(first)
      yield* worker.runOnce
      assert.deepInclude(yield* pulls.get(live, id), { status: "succeeded", rows: 20, starts: 2 })
      assert.deepStrictEqual(yield* eventTypes, ["distill.pull.succeeded"])
    }).pipe(Effect.provide(worldOf(site)))
  })

  it.effect("the lease of one that was killed runs out, and another begins", () => {
    const site = makeSite()
    site.serve = () => answer(200, content)
    return Effect.gen(function* () {
      const worker = yield* PullWorker
      const { id } = yield* queued()
      yield* killed
      assert.strictEqual(yield* worker.runOnce, 0)
      yield* TestClock.adjust(DistillLimits.leaseMillis)
      assert.strictEqual(yield* worker.runOnce, 1)
      assert.deepInclude(yield* (yield* Pulls).get(live, id), { status: "succeeded", rows: 20 })
    }).pipe(Effect.provide(worldOf(site)))
  })

  it.effect("content that is here whole is not fetched again", () => {
    const site = makeSite()
    site.serve = () => answer(200, content)
    return Effect.gen(function* () {
      const resources = yield* ResourceStore
      const done = yield* pulled()
      const again = {
        ...done,
        id: "pull_00000000000000000000000009",
        status: "running",
        rows: null,
        finishedAt: null
      } as const
      yield* resources.insert(live, Pull.kind, again)
      yield* (yield* Queue).offer(live, Pull.topic, again.id, 0)
      yield* (yield* PullWorker).runOnce
      assert.deepInclude(yield* (yield* Pulls).get(live, again.id), { status: "succeeded", rows: 20 })
      assert.strictEqual(site.asked.length, 1)
    }).pipe(Effect.provide(worldOf(site)))
  })

  it.effect("a pull over which worker after worker is lost fails in the end", () => {
    const site = makeSite()
    return Effect.gen(function* () {
      const resources = yield* ResourceStore
      const pull = yield* queued()
      const lost = {
        ...pull,
        id: "pull_00000000000000000000000009",
        status: "running",
        starts: DistillLimits.pullStartsMax
      } as const
      yield* resources.insert(live, Pull.kind, lost)
      yield* (yield* Queue).offer(live, Pull.topic, lost.id, 0)
      yield* (yield* PullWorker).runOnce
      const failed = yield* (yield* Pulls).get(live, lost.id)
      assert.strictEqual(failed.error?.code, "interrupted")
    }).pipe(Effect.provide(worldOf(site)))
  })

  it.effect("a connector that was removed meanwhile fails its pull", () => {
    const site = makeSite()
    return Effect.gen(function* () {
      const { connector, id } = yield* queued()
      yield* (yield* Connectors).remove(live, connector)
      yield* (yield* PullWorker).runOnce
      const pull = yield* (yield* Pulls).get(live, id)
      assert.strictEqual(pull.error?.code, "connector_gone")
      assert.isEmpty(site.asked)
    }).pipe(Effect.provide(worldOf(site)))
  })
})

describe("PullWorker: what is kept", () => {
  it.effect("a version is built from a pull as it is from an upload", () => {
    const site = makeSite()
    site.serve = () => answer(200, `${content}${content}`)
    return Effect.gen(function* () {
      const datasets = yield* Datasets
      const pull = yield* pulled()
      const dataset = yield* datasets.create(live, { name: "pulled" })
      const { id } = yield* datasets.createVersion(live, dataset.id, { from: { pull: pull.id } })
      yield* (yield* VersionBuilder).runOnce
      const version = yield* datasets.getVersion(live, id)
      assert.deepInclude(version, { status: "ready", rows: 20, source: { pull: pull.id } })
      assert.strictEqual(version.dropped.duplicates, 20)
    }).pipe(Effect.provide(worldOf(site)))
  })

  it.effect("a credential is in no pull, no event, no log, and at rest only sealed (P56)", () => {
    const logged: Array<unknown> = []
    const logs = Logger.layer([Logger.make(({ cause, message }) => logged.push(message, cause))])
    const site = makeSite()
    site.serve = (_, number) => {
      if (number === 0) return Effect.die(new Error("The remote broke"))
      return number === 1 ? answer(500) : answer(200, `${secret}\n`)
    }
    return Effect.gen(function* () {
      const worker = yield* PullWorker
      const { connector, id } = yield* queued()
      yield* worker.runOnce
      yield* TestClock.adjust(DistillLimits.leaseMillis)
      yield* patiently(worker.runOnce)
      const pull = yield* (yield* Pulls).get(live, id)
      assert.strictEqual(pull.error?.code, "invalid_rows")
      const { items } = yield* (yield* EventStore).page(live, null, Page.firstPage(10))
      const stored = yield* (yield* ResourceStore).find(live, Connector.kind, connector)
      assert.isNotEmpty(logged)
      const all = JSON.stringify([pull, items, stored]) + logged.map(String).join("\n")
      assert.notInclude(all, "kept-to-ourselves")
    }).pipe(Effect.provide(Layer.merge(worldOf(site), logs)))
  })
})

describe("PullWorker: many slow pulls of one workspace", () => {
  it.effect("leave slots for others, and all have their turn (P95)", () => {
    const site = makeSite()
    const other = Partition.make("ws_00000000000000000000000002", true)
    const many = Pools.pulls.size + 2
    return Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      site.serve = ({ url }) =>
        Effect.flatMap(url.includes("slow") ? Deferred.await(gate) : Effect.void, () => answer(200, content))
      const connectors = yield* Connectors
      const pulls = yield* Pulls
      const begin = Effect.fnUntraced(function* (partition: Partition.Partition, url: string) {
        const asked = { kind: "http_jsonl", config: { url } } as const
        const { id } = yield* connectors.create(partition, { name: "files", asked })
        yield* pulls.create(partition, id)
      })
      yield* Effect.replicateEffect(begin(live, "https://files.example/slow"), many, { discard: true })
      yield* begin(other, "https://files.example/quick")
      yield* Effect.forkChild((yield* PullWorker).forever)
      const countOf = (partition: Partition.Partition, status: Pull.Pull["status"]) =>
        Effect.map(pulls.page(partition, { connector: null, status }, Page.firstPage(100)), ({ items }) => items.length)
      /** Second by second: digests take their time beside this clock. */
      const untilSucceeded = (partition: Partition.Partition, count: number) =>
        Effect.repeat(Effect.andThen(TestClock.adjust(1_000), countOf(partition, "succeeded")), {
          until: (found) => found === count,
          times: 1_000
        })
      assert.strictEqual(yield* untilSucceeded(other, 1), 1)
      assert.strictEqual(yield* countOf(live, "running"), sizeAlone(Pools.pulls.size))
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* untilSucceeded(live, many), many)
    }).pipe(Effect.provide(worldOf(site)))
  })
})
