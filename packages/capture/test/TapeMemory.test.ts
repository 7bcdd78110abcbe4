/** The memory of all answers under way: bounded, and complete in the end with a disk. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TapeBuffer, type TapeContent, TapeMemory } from "../src/tape/internal/TapeMemory.ts"
import { SpillFailed, type SpillPlace } from "../src/tape/Spill.ts"

const bounds = { heldBytesMax: 10_000, cutBytes: 100 }

/** A place that counts open files, and fails beyond `room` bytes. */
const placeOf = (room = Number.POSITIVE_INFINITY) => {
  const state = { open: 0, bytes: 0, most: 0 }
  const place: SpillPlace = {
    open: Effect.sync(() => {
      state.open++
      const kept: Array<Uint8Array> = []
      return {
        append: (chunks) =>
          Effect.andThen(
            Effect.yieldNow,
            Effect.suspend(() => {
              const bytes = chunks.reduce((sum, { length }) => sum + length, 0)
              if (state.bytes + bytes > room) return Effect.fail(new SpillFailed({ cause: "full" }))
              state.bytes += bytes
              kept.push(...chunks.map((chunk) => chunk.slice()))
              return Effect.void
            })
          ),
        read: Effect.sync(() => new Uint8Array(Buffer.concat(kept))),
        close: Effect.sync(() => void state.open--)
      }
    })
  }
  return { place, state }
}

const chunkOf = (reel: number, index: number) => new Uint8Array(500).fill((reel * 31 + index) % 251)

const pushing = Effect.fnUntraced(function* (memory: TapeMemory, reel: TapeBuffer, number: number, chunks: number) {
  let most = 0
  for (let index = 0; index < chunks; index++) {
    reel.push(chunkOf(number, index))
    most = Math.max(most, memory.held)
    yield* memory.relief ?? Effect.void
    yield* Effect.yieldNow
  }
  return most
})

const takenOf = (reel: TapeBuffer) =>
  reel.use(({ chunks, isCut }: TapeContent) => Effect.succeed({ bytes: Buffer.concat(chunks), isCut }))

const whole = (number: number, chunks: number) =>
  Buffer.concat(Array.from({ length: chunks }, (_, index) => chunkOf(number, index)))

describe("answers under way", () => {
  const count = 20

  it.effect("hold no more than the bound and what each brings at once, and are whole in the end (P128)", () =>
    Effect.gen(function* () {
      const { place, state } = placeOf()
      const memory = new TapeMemory(place, bounds)
      const reels = Array.from({ length: count }, () => new TapeBuffer(memory))
      const most = yield* Effect.forEach(reels, (reel, number) => pushing(memory, reel, number, 40 + number), {
        concurrency: "unbounded"
      })
      assert.isAtMost(Math.max(...most), bounds.heldBytesMax + count * 500)
      assert.isAbove(state.bytes, count * 40 * 500 - 2 * bounds.heldBytesMax)
      for (const [number, reel] of reels.entries()) {
        const { bytes, isCut } = yield* takenOf(reel)
        assert.isFalse(isCut)
        assert.isTrue(bytes.equals(whole(number, 40 + number)))
      }
      assert.deepStrictEqual([memory.held, state.open], [0, 0])
    })
  )

  it.effect("have their last bytes at hand wherever the rest is", () =>
    Effect.gen(function* () {
      for (const place of [placeOf().place, null]) {
        const memory = new TapeMemory(place, { heldBytesMax: 0, cutBytes: 1 })
        const reel = new TapeBuffer(memory)
        for (const text of ["data: 1\n\n", "data: [DO", "NE]\n\n"]) {
          reel.push(Buffer.from(text))
          yield* memory.relief ?? Effect.void
        }
        assert.include(["NE]\n\n", "data: [DONE]\n\n"], Buffer.concat(reel.end).toString())
      }
    })
  )

  it.effect("are cut where there is no disk, the longest first, and say so (P128)", () =>
    Effect.gen(function* () {
      const memory = new TapeMemory(null, bounds)
      const [short, long] = [new TapeBuffer(memory), new TapeBuffer(memory)]
      yield* pushing(memory, short, 0, 2)
      const most = yield* pushing(memory, long, 1, 100)
      assert.isAtMost(most, bounds.heldBytesMax + 500)
      assert.isAtMost(memory.held, bounds.heldBytesMax)
      const cut = yield* takenOf(long)
      assert.isTrue(cut.isCut)
      assert.isTrue(cut.bytes.equals(whole(1, 1).subarray(0, bounds.cutBytes)))
      assert.deepInclude(yield* takenOf(short), { isCut: false, bytes: whole(0, 2) })
      assert.strictEqual(memory.held, 0)
    })
  )

  it.effect("are cut when the disk is full, and keep what is on it", () =>
    Effect.gen(function* () {
      const { place, state } = placeOf(25_000)
      const memory = new TapeMemory(place, bounds)
      const reel = new TapeBuffer(memory)
      const most = yield* pushing(memory, reel, 3, 200)
      assert.isAtMost(most, bounds.heldBytesMax + 500)
      const { bytes, isCut } = yield* takenOf(reel)
      assert.isTrue(isCut)
      assert.isAbove(bytes.length, 10_000)
      assert.isTrue(bytes.equals(whole(3, 200).subarray(0, bytes.length)))
      assert.deepStrictEqual([memory.held, state.open], [0, 0])
    })
  )

  it.effect("that nobody wants leave nothing", () =>
    Effect.gen(function* () {
      const { place, state } = placeOf()
      const memory = new TapeMemory(place, bounds)
      const reel = new TapeBuffer(memory)
      yield* pushing(memory, reel, 3, 50)
      assert.strictEqual(state.open, 1)
      yield* reel.release
      assert.deepStrictEqual([memory.held, state.open], [0, 0])
    })
  )
})
