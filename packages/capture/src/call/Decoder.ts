/** Unpacks bodies that HTTP has packed: answers of upstreams, and requests of clients. */
import { Fact } from "@limbeck/core/errors/Fact"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** `damaged`: the bytes are not one whole body in the coding. `too_long`: they stand for more bytes than may be unpacked. */
export class UnpackFailure extends Fact<UnpackFailure>()("UnpackFailure", {
  reason: Schema.Literals(["unknown_coding", "damaged", "too_long"])
}) {}

export class Decoder extends Context.Service<
  Decoder,
  {
    /**
     * What can be unpacked, also of what breaks off or is damaged further on; at most `bytesMax`, and the rest is left out.
     * Null where it is nothing: an unknown coding, or not packed at all. `coding`: one, in lower case.
     */
    readonly unpack: (coding: string, bytes: Uint8Array, bytesMax: number) => Effect.Effect<Uint8Array | null>
    /** The whole body, of at most `bytesMax` bytes. Fails when a part is missing, or when other bytes follow it. */
    readonly unpackWhole: (
      coding: string,
      bytes: Uint8Array,
      bytesMax: number
    ) => Effect.Effect<Uint8Array, UnpackFailure>
  }
>()("@limbeck/capture/call/Decoder") {}
