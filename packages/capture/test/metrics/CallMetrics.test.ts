import { assert, it } from "@effect/vitest"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Calls from "@limbeck/testing/fixtures/Calls"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CallStore } from "../../src/call/CallStore.ts"
import { CaptureLimits } from "../../src/Limits.ts"
import { CallMetrics, layer } from "../../src/metrics/CallMetrics.ts"

it.effect("metrics of more groups than a response may have are refused, and those of fewer are whole (P1306)", () =>
  Effect.gen(function* () {
    const [store, metrics] = [yield* CallStore, yield* CallMetrics]
    const partition = Fresh.partition()
    const max = CaptureLimits.metricRowsMax
    const query = { from: Fresh.start, to: Fresh.start + 1, interval: "hour", groupBy: "model" } as const
    const many = Calls.calls(max, (n) => ({ createdAt: Fresh.start, model: `model ${n}` }))
    yield* store.append(Calls.inPartition(partition, many))
    assert.lengthOf((yield* metrics.over(partition, query)).rows, max)
    yield* store.append(Calls.inPartition(partition, [Calls.call({ model: "one more" })]))
    const refused = yield* Effect.flip(metrics.over(partition, query))
    assert.deepInclude(refused, { _tag: "InvalidInput", param: "to" })
    const { rows } = yield* metrics.over(partition, { ...query, groupBy: undefined })
    assert.deepStrictEqual(
      rows.map(({ group, tally }) => [group, tally.calls]),
      [[null, max + 1]]
    )
  }).pipe(Effect.provide(Layer.provideMerge(layer, StorageMemory.layer)))
)
