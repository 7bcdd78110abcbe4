/** Unpacks the codings that HTTP clients ask for, by zlib: gzip, deflate, br, zstd. */
import type { Transform } from "node:stream"
import * as zlib from "node:zlib"
import { Decoder, UnpackFailure } from "@limbeck/capture/call/Decoder"
import { Gathering } from "@limbeck/core/bytes/Bytes"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

interface Coding {
  /** Fails on what is damaged. */
  readonly atOnce: (bytes: Uint8Array, maxOutputLength: number) => Uint8Array
  readonly engine: () => Transform
  /** Fails on what breaks off. */
  readonly strict: () => Transform & zlib.Zlib
}

/** Limits of synchronous unpacking, which takes 20 µs where a separate engine takes 100. */
const atOnceMax = { packed: 16_384, unpacked: 1024 ** 2 }

/** Bytes per output chunk of an engine: many small pieces cost more than their content. */
const chunkSize = 256 * 1024

/** What breaks off is no error: what came of it is flushed. */
const { BROTLI_OPERATION_FLUSH, ZSTD_e_flush, Z_SYNC_FLUSH } = zlib.constants
const plain = { finishFlush: Z_SYNC_FLUSH }
const brotli = { finishFlush: BROTLI_OPERATION_FLUSH }
const zstandard = { finishFlush: ZSTD_e_flush }

const gzip: Coding = {
  atOnce: (bytes, maxOutputLength) => zlib.gunzipSync(bytes, { ...plain, maxOutputLength }),
  engine: () => zlib.createGunzip({ ...plain, chunkSize }),
  strict: () => zlib.createGunzip({ chunkSize })
}
const deflate: Coding = {
  atOnce: (bytes, maxOutputLength) => zlib.inflateSync(bytes, { ...plain, maxOutputLength }),
  engine: () => zlib.createInflate({ ...plain, chunkSize }),
  strict: () => zlib.createInflate({ chunkSize })
}
const deflateRaw: Coding = {
  atOnce: (bytes, maxOutputLength) => zlib.inflateRawSync(bytes, { ...plain, maxOutputLength }),
  engine: () => zlib.createInflateRaw({ ...plain, chunkSize }),
  strict: () => zlib.createInflateRaw({ chunkSize })
}
const br: Coding = {
  atOnce: (bytes, maxOutputLength) => zlib.brotliDecompressSync(bytes, { ...brotli, maxOutputLength }),
  engine: () => zlib.createBrotliDecompress({ ...brotli, chunkSize }),
  strict: () => zlib.createBrotliDecompress({ chunkSize })
}
const zstd: Coding = {
  atOnce: (bytes, maxOutputLength) => zlib.zstdDecompressSync(bytes, { ...zstandard, maxOutputLength }),
  engine: () => zlib.createZstdDecompress({ ...zstandard, chunkSize }),
  strict: () => zlib.createZstdDecompress({ chunkSize })
}

/** RFC 9110 means the zlib format; some servers send its content alone. */
const deflateOf = ([first = 0, second = 0]: Uint8Array): Coding =>
  (first & 15) === 8 && (first * 256 + second) % 31 === 0 ? deflate : deflateRaw

const codingOf = (name: string, bytes: Uint8Array): Coding | undefined => {
  switch (name) {
    case "gzip":
    case "x-gzip":
      return gzip
    case "deflate":
      return deflateOf(bytes)
    case "br":
      return br
    case "zstd":
      return zstd
    default:
      return undefined
  }
}

const orNull = (bytes: Uint8Array): Uint8Array | null => (bytes.length === 0 ? null : bytes)

/** Undefined for too large or damaged content. */
const unpackAtOnce = ({ atOnce }: Coding, bytes: Uint8Array, bytesMax: number): Uint8Array | null | undefined => {
  if (bytes.length > atOnceMax.packed) return undefined
  try {
    return orNull(atOnce(bytes, Math.min(bytesMax, atOnceMax.unpacked)))
  } catch {
    return undefined
  }
}

const unpackByAndBy = (engine: Transform, bytes: Uint8Array, bytesMax: number) =>
  Effect.callback<Uint8Array | null>((resume) => {
    const gathering = new Gathering()
    const finish = () => {
      engine.destroy()
      resume(Effect.succeed(orNull(gathering.bytes().subarray(0, bytesMax))))
    }
    engine.on("data", (part: Uint8Array) => {
      gathering.add(part)
      if (gathering.length >= bytesMax) finish()
    })
    engine.once("end", finish)
    engine.on("error", finish)
    engine.end(bytes)
    return Effect.sync(() => void engine.destroy())
  })

const failure = (reason: UnpackFailure["reason"]) => Effect.fail(new UnpackFailure({ reason }))

const unpackStrictly = ({ strict }: Coding, bytes: Uint8Array, bytesMax: number) =>
  Effect.callback<Uint8Array, UnpackFailure>((resume) => {
    const engine = strict()
    const gathering = new Gathering()
    const finish = (result: Effect.Effect<Uint8Array, UnpackFailure>) => {
      engine.destroy()
      resume(result)
    }
    engine.on("data", (part: Uint8Array) => {
      gathering.add(part)
      if (gathering.length > bytesMax) finish(failure("too_long"))
    })
    // Bytes that the engine did not read follow the packed body.
    engine.once("end", () =>
      finish(engine.bytesWritten === bytes.length ? Effect.succeed(gathering.bytes()) : failure("damaged"))
    )
    engine.on("error", () => finish(failure("damaged")))
    engine.end(bytes)
    return Effect.sync(() => void engine.destroy())
  })

export const layer: Layer.Layer<Decoder> = Layer.succeed(Decoder, {
  unpack: (name, bytes, bytesMax) =>
    Effect.suspend(() => {
      const coding = codingOf(name, bytes)
      if (coding === undefined) return Effect.succeed(null)
      const unpacked = unpackAtOnce(coding, bytes, bytesMax)
      return unpacked === undefined ? unpackByAndBy(coding.engine(), bytes, bytesMax) : Effect.succeed(unpacked)
    }),
  unpackWhole: (name, bytes, bytesMax) => {
    const coding = codingOf(name, bytes)
    return coding === undefined ? failure("unknown_coding") : unpackStrictly(coding, bytes, bytesMax)
  }
})
