/** Waiting copies of calls, beside a workspace whose copies never end. */
import { assert, it } from "@effect/vitest"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Pools } from "@limbeck/core/pools/Pools"
import { sizeAlone } from "@limbeck/core/pools/Shares"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Lanes from "../src/shadow/internal/Lanes.ts"

type Lane = "endpoint" | "upstream"

interface Copy {
  readonly lane: Lane
  readonly partition: Partition
  /** Absent: each copy has a deployment of its own. */
  readonly deployment?: string
  readonly bytes: number
}

const pools = { endpoint: Pools.shadowEndpoints, upstream: Pools.verifications }
const settle = Effect.repeat(Effect.yieldNow, { times: 100 })
const [hostile, victim] = [Fresh.partition(), Fresh.partition()]

/** Lanes in which no copy ends, and the copies that have begun. */
const open = Effect.gen(function* () {
  const begun: Array<Copy> = []
  let offered = 0
  const lanes = yield* Lanes.make<Lane, Copy>({
    pools,
    partitionOf: ({ partition }) => partition,
    deploymentOf: ({ deployment }) => deployment ?? String(++offered),
    sizeOf: ({ bytes }) => bytes,
    perform: (copy) =>
      Effect.andThen(
        Effect.sync(() => begun.push(copy)),
        Effect.never
      )
  })
  const offer = Effect.fnUntraced(function* (copy: Copy, count: number) {
    for (let number = 0; number < count; number++) lanes.offer(copy)
    yield* settle
  })
  const begunOf = ({ key }: Partition) => begun.filter(({ partition }) => partition.key === key).length
  return { begunOf, figures: lanes.figures, offer }
})

for (const lane of ["endpoint", "upstream"] as const) {
  it.effect(`a copy at the ${lane} begins at once beside any number of another workspace that never end (P820)`, () =>
    Effect.gen(function* () {
      const { begunOf, offer } = yield* open
      yield* offer({ lane, partition: hostile, bytes: 100 }, Pools.shadowCopies.size)
      assert.strictEqual(begunOf(hostile), sizeAlone(pools[lane].size))
      yield* offer({ lane, partition: victim, bytes: 100 }, 1)
      assert.strictEqual(begunOf(victim), 1)
    })
  )
}

it.effect("copies of one workspace that wait leave room for those of another, by count and by bytes (P820)", () =>
  Effect.gen(function* () {
    for (const bytes of [100, Pools.shadowCopyBytes.size / 8]) {
      const { figures, offer } = yield* open
      yield* offer({ lane: "endpoint", partition: hostile, bytes }, 2 * Pools.shadowCopies.size)
      const { dropped, waiting } = yield* figures
      assert.strictEqual(waiting, bytes === 100 ? sizeAlone(Pools.shadowCopies.size) : 4)
      yield* offer({ lane: "endpoint", partition: victim, bytes }, 2)
      assert.deepStrictEqual(yield* figures, { waiting: waiting + 2, dropped })
    }
  })
)

it.effect(
  "copies of one alias that wait leave room for those of another in the same workspace, by count and by bytes (P1510)",
  () =>
    Effect.gen(function* () {
      for (const bytes of [100, Pools.shadowCopyBytes.size / 16]) {
        const { figures, offer } = yield* open
        const busy = { lane: "upstream", partition: hostile, deployment: "busy", bytes } as const
        yield* offer(busy, 2 * Pools.shadowCopies.size)
        const { dropped, waiting } = yield* figures
        assert.strictEqual(waiting, bytes === 100 ? sizeAlone(sizeAlone(Pools.shadowCopies.size)) : 4)
        for (const deployment of ["calm", "quiet"]) yield* offer({ ...busy, deployment }, 1)
        assert.deepStrictEqual(yield* figures, { waiting: waiting + 2, dropped })
      }
    })
)

it.effect("verifications of the aliases of a workspace take turns, however many of one wait (P1510)", () =>
  Effect.gen(function* () {
    const begun: Array<string> = []
    const lanes = yield* Lanes.make<Lane, Copy>({
      pools,
      partitionOf: ({ partition }) => partition,
      deploymentOf: ({ deployment = "" }) => deployment,
      sizeOf: ({ bytes }) => bytes,
      perform: ({ deployment = "" }) =>
        Effect.andThen(
          Effect.sync(() => begun.push(deployment)),
          Effect.sleep(1_000)
        )
    })
    const offer = (deployment: string, count: number) => {
      for (let copy = 0; copy < count; copy++) {
        lanes.offer({ lane: "upstream", partition: victim, deployment, bytes: 100 })
      }
    }
    offer("busy", 200)
    yield* settle
    for (const deployment of ["one", "two", "three"]) offer(deployment, 10)
    const atOnce = sizeAlone(pools.upstream.size)
    const seconds = 12
    for (let second = 0; second < seconds; second++) yield* Effect.andThen(TestClock.adjust(1_000), settle)
    const counts = ["one", "two", "three"].map((deployment) => begun.filter((name) => name === deployment).length)
    assert.deepStrictEqual(counts, [10, 10, 10])
    assert.strictEqual(begun.length, atOnce * (seconds + 1))
  })
)
