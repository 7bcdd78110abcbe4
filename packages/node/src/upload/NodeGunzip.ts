/** Gunzip by zlib, which continues across members. */
import { Readable } from "node:stream"
import { createGunzip, type Gunzip as ZlibGunzip } from "node:zlib"
import { Gunzip, NotGzip } from "@limbeck/distill/upload/Gunzip"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const reasons: Readonly<Record<string, string>> = {
  Z_BUF_ERROR: "it ends before its last member does",
  Z_DATA_ERROR: "what is packed is damaged, or something else follows it"
}

const reasonOf = (cause: unknown): string => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""
  return reasons[code] ?? "it cannot be unpacked"
}

/** zlib silently stops at zeros after a member, so the bytes consumed are compared with the bytes given. */
const checkEnd = (zlib: ZlibGunzip, given: () => number) =>
  Effect.suspend(() =>
    zlib.bytesWritten === given()
      ? Effect.void
      : Effect.fail(new NotGzip({ reason: "something else follows its last member" }))
  )

const unpack = <E>(content: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E | NotGzip> =>
  Stream.unwrap(
    Effect.gen(function* () {
      let failure: { readonly error: E } | undefined
      let given = 0
      const watched = content.pipe(
        Stream.tap((chunk) => Effect.sync(() => (given += chunk.length))),
        Stream.tapError((error) => Effect.sync(() => (failure = { error })))
      )
      const source = Readable.from(yield* Stream.toAsyncIterableEffect(watched))
      const zlib = createGunzip()
      source.on("error", (cause) => zlib.destroy(cause))
      const unpacked = Stream.fromAsyncIterable<Uint8Array, E | NotGzip>(
        source.pipe(zlib),
        (cause) => failure?.error ?? new NotGzip({ reason: reasonOf(cause) })
      )
      const end = Stream.drain(Stream.fromEffect(checkEnd(zlib, () => given)))
      const close = Effect.sync(() => {
        source.destroy()
        zlib.destroy()
      })
      return Stream.ensuring(Stream.concat(unpacked, end), close)
    })
  )

export const layer: Layer.Layer<Gunzip> = Layer.succeed(Gunzip, { unpack })
