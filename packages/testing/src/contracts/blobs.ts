/** What the cases of Blobs begin with. */
import { assert } from "@effect/vitest"
import { Blobs } from "@limbeck/core/blobs/Blobs"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Clock from "effect/Clock"
import { Digest, layerWebCrypto, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** Bytes without a short period, different for every `seed`. */
export const bytesOf = (length: number, seed: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  let state = seed * 2_654_435_761 + 1
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    bytes[at] = state >>> 24
  }
  return bytes
}

export const cut = (bytes: Uint8Array, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))

export const digestOf = (bytes: Uint8Array) =>
  Effect.flatMap(Digest, (digest) => digest.digestHex(sha256, bytes)).pipe(Effect.provide(layerWebCrypto))

export const readAll = Effect.fnUntraced(function* (partition: Partition, digest: string) {
  const blobs = yield* Blobs
  return Buffer.concat(yield* Stream.runCollect(blobs.get(partition, digest)))
})

/** Compares without printing megabytes. */
export const assertSame = (actual: Uint8Array, expected: Uint8Array) => {
  assert.strictEqual(actual.length, expected.length)
  assert.strictEqual(Buffer.compare(actual, expected), 0)
}

/** Of one partition: others may use the storage at the same time. */
export const quietIn = Effect.fnUntraced(function* (partition: Partition, before: number) {
  const keys = yield* Stream.runCollect((yield* Blobs).quiet(before))
  return keys.filter((key) => key.partition.key === partition.key).map(({ sha256 }) => sha256)
})

/** A time that nothing was written at yet, and everything after. */
export const nextMilli = Effect.gen(function* () {
  const last = yield* Clock.currentTimeMillis
  while ((yield* Clock.currentTimeMillis) <= last) yield* Effect.yieldNow
  return yield* Clock.currentTimeMillis
})

export const megabytes = 3 * 1024 * 1024 + 12_345
