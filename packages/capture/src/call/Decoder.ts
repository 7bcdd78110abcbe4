/** Unpacks what an upstream packed for its client: the client's `Accept-Encoding` passes, so an answer may come as gzip. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class Decoder extends Context.Service<
  Decoder,
  {
    /**
     * What can be unpacked, also of what breaks off or is damaged further on; at most `bytesMax`, and the rest is left out.
     * Null where it is nothing: an unknown coding, or not packed at all. `coding`: one, in lower case.
     */
    readonly unpack: (coding: string, bytes: Uint8Array, bytesMax: number) => Effect.Effect<Uint8Array | null>
  }
>()("@limbeck/capture/call/Decoder") {}
