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
     * Unpacks as much as possible, even of truncated or damaged content; at most `bytesMax`, dropping the rest. Null for an
     * unknown coding or unpacked content. `coding`: a single one, in lower case.
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
