/** Unpacking answers, within bounds. */
import * as zlib from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Decoder } from "@limbeck/capture/call/Decoder"
import * as Effect from "effect/Effect"
import * as NodeDecoder from "../../src/capture/NodeDecoder.ts"

const codings = [
  ["gzip", zlib.gzipSync],
  ["deflate", zlib.deflateSync],
  ["deflate", zlib.deflateRawSync],
  ["br", zlib.brotliCompressSync],
  ["zstd", zlib.zstdCompressSync]
] as const

layer(NodeDecoder.layer)("what is packed", (it) => {
  it.effect("is unpacked whole, small and large", () =>
    Effect.gen(function* () {
      const decoder = yield* Decoder
      for (const [coding, pack] of codings) {
        for (const size of [1, 5_000, 200_000]) {
          const bytes = Buffer.from(
            Uint32Array.from({ length: size / 4 + 1 }, (_, at) => (at * 2_654_435_761) >>> 9).buffer
          )
          const unpacked = yield* decoder.unpack(coding, pack(bytes), 1_000_000)
          assert.isTrue(unpacked !== null && bytes.equals(unpacked), `${coding} of ${size} bytes`)
        }
      }
    })
  )

  it.effect("is unpacked to no more than the bound, however much a few bytes stand for (P74)", () =>
    Effect.gen(function* () {
      const decoder = yield* Decoder
      const zeros = Buffer.alloc(20_000_000)
      for (const [coding, pack] of codings) {
        const packed = pack(zeros)
        for (const bound of [1_000, 5_000_000]) {
          const unpacked = yield* decoder.unpack(coding, packed, bound)
          assert.strictEqual(unpacked?.length, bound, coding)
        }
      }
    })
  )

  it.effect("is nothing where it is not packed so", () =>
    Effect.gen(function* () {
      const decoder = yield* Decoder
      for (const coding of ["gzip", "br", "zstd", "compress", "constructor"]) {
        assert.isNull(yield* decoder.unpack(coding, new TextEncoder().encode("{}"), 1_000), coding)
      }
    })
  )

  it.effect("is unpacked whole or not at all where the whole is wanted (P802)", () =>
    Effect.gen(function* () {
      const decoder = yield* Decoder
      const bytes = new TextEncoder().encode('{"model": "gpt"}')
      const reasonOf = (coding: string, packed: Uint8Array, bytesMax = 1_000) =>
        Effect.map(Effect.flip(decoder.unpackWhole(coding, packed, bytesMax)), ({ reason }) => reason)
      for (const [coding, pack] of codings) {
        const packed = pack(bytes)
        assert.deepStrictEqual(Uint8Array.from(yield* decoder.unpackWhole(coding, packed, bytes.length)), bytes)
        assert.strictEqual(yield* reasonOf(coding, packed, bytes.length - 1), "too_long")
        assert.strictEqual(yield* reasonOf(coding, packed.subarray(0, -1)), "damaged")
        assert.strictEqual(yield* reasonOf(coding, Buffer.concat([packed, bytes])), "damaged")
        assert.strictEqual(yield* reasonOf(coding, bytes), "damaged")
      }
      assert.strictEqual(yield* reasonOf("compress", bytes), "unknown_coding")
    })
  )
})
