/** CallStore's promises about the tallies of stored calls. */
import { assert } from "@effect/vitest"
import { type CallStore, indexedBytesMax } from "@limbeck/capture/call/CallStore"
import { type CapturedCall, Outcome, ServedBy } from "@limbeck/capture/call/CapturedCall"
import { type CallTally, type TallyRange, TallyWidth } from "@limbeck/capture/metrics/CallTally"
import * as TallyRules from "@limbeck/capture/metrics/TallyRules"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Calls from "../fixtures/Calls.ts"
import * as Fresh from "../fixtures/Fresh.ts"
import { describePort } from "./AllPorts.ts"
import { open } from "./calls.ts"

const hour = TallyRules.widthMillis.hour
const day = TallyRules.widthMillis.day
const midnight = Fresh.start - (Fresh.start % day)
const ever = { from: 0, until: Number.MAX_SAFE_INTEGER }

const sorted = (tallies: ReadonlyArray<CallTally>) => {
  const placeOf = (tally: CallTally) => `${tally.startsAt} ${TallyRules.keyOf(tally)}`
  return tallies.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
}

const read = (store: CallStore["Service"], partition: Partition, range: TallyRange) =>
  Effect.map(Stream.runCollect(store.tallies(partition, range)), sorted)

/** The tallies of these calls by the rules, one call after the other. */
const counted = (calls: ReadonlyArray<CapturedCall>, wanted: TallyWidth) => {
  const tallies = new Map<string, CallTally>()
  for (const [width, tally] of calls.flatMap(TallyRules.talliesOf)) {
    if (width !== wanted) continue
    const key = `${tally.startsAt} ${TallyRules.keyOf(tally)}`
    const known = tallies.get(key)
    tallies.set(key, known === undefined ? tally : TallyRules.add(known, tally))
  }
  return sorted([...tallies.values()])
}

const assertCounted = Effect.fnUntraced(function* (
  store: CallStore["Service"],
  partition: Partition,
  calls: ReadonlyArray<CapturedCall>
) {
  for (const width of TallyWidth.literals) {
    assert.deepStrictEqual(yield* read(store, partition, { width, ...ever }), counted(calls, width), width)
  }
})

/** One of the values, by a number. */
const pick = <A>(values: ReadonlyArray<A>, n: number): A => values[n % values.length]!

/** Calls of every kind, over three days: neighbours differ in each field that is counted or told apart. */
const various = (count: number) =>
  Calls.calls(count, (n) => {
    const luck = Math.imul(n + 1, 2_654_435_761) >>> 9
    return {
      createdAt: midnight - 1 + (n % 3) * day + (luck % 5) * hour,
      source: pick(["src_1", "src_2", null], luck),
      model: pick(["large", "", null, "m".repeat(indexedBytesMax), 'a "b" \\ ü'], luck >>> 2),
      servedBy: pick(ServedBy.literals, luck >>> 4),
      deployment: pick([null, "dep_1", "dep_2"], luck >>> 6),
      outcome: pick(Outcome.literals, luck >>> 8),
      costMicros: pick([null, 0, 12, 3_000_000], luck >>> 10),
      ...(luck % 4 === 0 ? { studentMicros: luck % 11 } : {}),
      usage: pick([null, { inputTokens: luck % 1_000, outputTokens: luck % 7, cachedTokens: 1 }], luck >>> 12),
      latencyMillis: pick([0, 1, 5, 18, 19, 250, 4_000_000, 5_000_000, luck % 3_000], luck >>> 13),
      ...(n % 10 === 9 ? { verifies: { call: Calls.call().id, deployment: "dep_1" } } : {})
    }
  })

export const suite = describePort("CallStore: tallies", (it) => {
  it.effect("stored calls are tallied by the rules, those that verify in none, whatever they say (P1300)", () =>
    Effect.gen(function* () {
      const { append, others, partition, store } = yield* open
      const calls = various(1_200)
      yield* append(...calls.slice(0, 700))
      yield* append(...calls.slice(700))
      yield* assertCounted(store, partition, calls)
      for (const other of others) yield* assertCounted(store, other, [])
    })
  )

  it.effect(
    "a call is tallied once: not again, not when its append is undone, and for its partition alone (P1300)",
    () =>
      Effect.gen(function* () {
        const { append, others, partition, store } = yield* open
        const storage = yield* Storage
        const [first, second, third] = Calls.calls(3, () => ({ deployment: "dep_1" }))
        yield* append(first!, first!)
        const undone = yield* Effect.flip(storage.transaction(Effect.andThen(append(second!), Effect.fail("no"))))
        assert.strictEqual(undone, "no")
        yield* append({ ...first!, model: "other", latencyMillis: 9 }, third!)
        yield* storage.transaction(append(third!, first!))
        yield* store.append(Calls.inPartition(others[0], [first!]))
        yield* assertCounted(store, partition, [first!, third!])
        yield* assertCounted(store, others[0], [first!])
      })
  )

  it.effect("appends that run at once with the same calls tally each once (P1300)", () =>
    Effect.gen(function* () {
      const { partition, store } = yield* open
      const calls = various(300)
      const appends = Array.from({ length: 8 }, (_, n) => {
        const rotated = [...calls.slice(n * 30), ...calls.slice(0, n * 30)]
        return store.append(Calls.inPartition(partition, rotated))
      })
      yield* Effect.all(appends, { concurrency: "unbounded" })
      yield* assertCounted(store, partition, calls)
    })
  )

  it.effect("tallies stay when their calls are removed or pruned (P1301)", () =>
    Effect.gen(function* () {
      const { append, partition, store } = yield* open
      // Older than any of another case, because pruning knows no partition.
      const at = (n: number) => 900_000_000_000 + n
      const calls = Calls.calls(3, (n) => ({ createdAt: at(n), deployment: "dep_1" }))
      yield* append(...calls)
      assert.isTrue(yield* store.remove(partition, calls[0]!.id))
      yield* assertCounted(store, partition, calls)
      assert.strictEqual(yield* store.prune(at(5), 100), 3)
      yield* assertCounted(store, partition, calls)
    })
  )

  it.effect("old tallies of one width are pruned, the oldest first, in batches, for all partitions (P1671)", () =>
    Effect.gen(function* () {
      const { append, others, partition, store } = yield* open
      // Older than any of another case, because pruning knows no partition.
      const start = TallyRules.startOf("day", 600_000_000_000)
      const calls = Calls.calls(6, (n) => ({ createdAt: start + n * hour, deployment: "dep_1" }))
      const elsewhere = Calls.call({ createdAt: start + 2 * hour })
      yield* append(...calls)
      yield* store.append(Calls.inPartition(others[0], [elsewhere]))
      const hours = read(store, partition, { width: "hour", ...ever })
      assert.strictEqual(yield* store.pruneTallies("hour", start + 4 * hour, 2), 2)
      assert.deepStrictEqual(yield* hours, counted(calls.slice(2), "hour"))
      const pruned = yield* Effect.forEach([2, 2, 2], (limit) => store.pruneTallies("hour", start + 4 * hour, limit))
      assert.deepStrictEqual(pruned, [2, 1, 0])
      assert.deepStrictEqual(yield* hours, counted(calls.slice(4), "hour"))
      assert.deepStrictEqual(yield* read(store, others[0], { width: "hour", ...ever }), [])
      for (const width of ["day", "all"] as const) {
        assert.deepStrictEqual(yield* read(store, partition, { width, ...ever }), counted(calls, width), width)
      }
      assert.strictEqual(yield* store.pruneTallies("day", start + day, 10), 2)
      assert.deepStrictEqual(yield* read(store, partition, { width: "all", ...ever }), counted(calls, "all"))
      // The call is known, so its tally does not come back; that of a new call of this hour does.
      const late = Calls.call({ createdAt: start })
      yield* append(calls[0]!, late)
      assert.deepStrictEqual(yield* hours, counted([late, ...calls.slice(4)], "hour"))
      assert.strictEqual(yield* store.pruneTallies("hour", start + day, 10), 3)
      assert.strictEqual(yield* store.pruneTallies("day", start + day, 10), 1)
      assert.strictEqual(yield* store.prune(start + day, 100), calls.length + 2)
    })
  )

  it.effect("a range has the tallies that start in it, however many there are (P1300)", () =>
    Effect.gen(function* () {
      const { append, partition, store } = yield* open
      const calls = Calls.calls(2_300, (n) => ({ createdAt: midnight + n * hour }))
      yield* append(...calls)
      const within = (from: number, until: number) =>
        read(store, partition, { width: "hour", from: midnight + from, until: midnight + until })
      assert.deepStrictEqual(yield* within(0, 2_300 * hour), counted(calls, "hour"))
      assert.deepStrictEqual(yield* within(hour, 3 * hour), counted(calls.slice(1, 3), "hour"))
      assert.deepStrictEqual(yield* within(hour + 1, 3 * hour + 1), counted(calls.slice(2, 4), "hour"))
      assert.deepStrictEqual(yield* within(-hour, 0), [])
      const days = yield* read(store, partition, { width: "day", from: midnight + day, until: midnight + 2 * day })
      assert.deepStrictEqual(days, counted(calls.slice(24, 48), "day"))
    })
  )
})
