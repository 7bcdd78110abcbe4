import { assert, describe, it } from "@effect/vitest"
import * as Flow from "@limbeck/core/bytes/Flow"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

const one: Flow.Portion<string> = { _tag: "Chunks", chunks: [Uint8Array.of(1)], first: null }
const two: Flow.Portion<string> = { _tag: "Chunks", chunks: [Uint8Array.of(2), Uint8Array.of(3)], first: null }

/** A flow whose portions arrive one by one, each on request. */
const slowly = (portions: ReadonlyArray<Flow.Portion<string>>): Flow.Flow<string> => {
  let there = 0
  let taken = 0
  return {
    take: () => (taken < there ? portions[taken++] : undefined),
    onAvailable: (call) =>
      queueMicrotask(() => {
        there++
        call()
      })
  }
}

describe("the stream of a flow", () => {
  it.effect("says what the flow says, to its end or until it breaks", () =>
    Effect.gen(function* () {
      const whole = Flow.toStream(slowly([one, two, { _tag: "Ended", first: null }]))
      assert.deepStrictEqual(
        yield* Stream.runCollect(whole),
        [1, 2, 3].map((byte) => Uint8Array.of(byte))
      )
      const heard: Array<number> = []
      const broken = Flow.toStream(slowly([one, { _tag: "Broken", error: "gone", first: null }]))
      const reading = Stream.runForEach(broken, ([byte]) => Effect.sync(() => heard.push(byte ?? 0)))
      assert.deepStrictEqual([yield* Effect.flip(reading), heard], ["gone", [1]])
    })
  )

  it.effect("passes a portion on when all that taps ask for is done, in their order", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const noting = (name: string) => (portion: Flow.Portion<string>) =>
        portion._tag === "Chunks" ? null : Effect.sync(() => void order.push(name))
      const flow = slowly([one, { _tag: "Ended", first: null }])
      const tapped = Flow.toStream(Flow.tap(Flow.tap(flow, noting("inner")), noting("outer")))
      yield* Stream.runDrain(Stream.tap(tapped, () => Effect.sync(() => void order.push("piece"))))
      assert.deepStrictEqual(order, ["piece", "inner", "outer"])
    })
  )
})
