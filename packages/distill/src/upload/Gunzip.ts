/** Unpacks gzip files (RFC 1952): one member after the other, to the last byte. */
import { Fact } from "@limbeck/core/errors/Fact"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

/** The reason is for the caller. */
export class NotGzip extends Fact<NotGzip>()("NotGzip", { reason: Schema.String }) {}

interface Unpacking {
  /** Fails at the end when the last member is cut short, or what follows it is none. */
  readonly unpack: <E>(content: Stream.Stream<Uint8Array, E>) => Stream.Stream<Uint8Array, E | NotGzip>
}

/** A port without a default: an assembly that forgets it does not compile. */
export class Gunzip extends Context.Service<Gunzip, Unpacking>()("@limbeck/distill/upload/Gunzip") {}

/** Works on every platform, for files of a single gzip member. */
export const layerPortable: Layer.Layer<Gunzip> = Layer.succeed(Gunzip, {
  unpack: <E>(content: Stream.Stream<Uint8Array, E>) => {
    let failure: { readonly error: E } | undefined
    const remembered = Stream.tapError(content, (error) => Effect.sync(() => (failure = { error })))
    return Stream.unwrap(
      Effect.map(Stream.toReadableStreamEffect(remembered), (bytes) =>
        Stream.fromReadableStream<Uint8Array, E | NotGzip>({
          // The platform's types ask for chunks over an unshared buffer; it takes any.
          evaluate: () =>
            (bytes as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new DecompressionStream("gzip")),
          onError: () => failure?.error ?? new NotGzip({ reason: "it is not one whole member" })
        })
      )
    )
  }
})
