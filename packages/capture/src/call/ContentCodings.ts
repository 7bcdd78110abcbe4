/** What `Content-Encoding` says of a body (RFC 9110, 8.4). */
import { CodingUnsupported, type InvalidInput, invalid, TooLarge } from "@limbeck/core/errors/Errors"
import * as Effect from "effect/Effect"
import { CaptureLimits } from "../Limits.ts"
import { Decoder, type UnpackFailure } from "./Decoder.ts"

const header = "Content-Encoding"

/** The codings in which requests are read. */
const readable = ["gzip", "deflate", "br", "zstd"]

/** The codings of a header in decoding order; null for more than `codingsMax`. */
export const codingsOf = (contentEncoding: string): ReadonlyArray<string> | null => {
  const named = contentEncoding.toLowerCase().split(",", CaptureLimits.codingNamesMax)
  const codings = named.map((name) => name.trim()).filter((name) => name !== "" && name !== "identity")
  return codings.length > CaptureLimits.codingsMax ? null : codings.reverse()
}

const refusalOf = (coding: string, bytesMax: number) => {
  const refuse = ({ reason }: UnpackFailure): CodingUnsupported | InvalidInput | TooLarge => {
    switch (reason) {
      case "unknown_coding":
        return new CodingUnsupported({ coding, readable })
      case "damaged":
        return invalid(header, `The body is not whole, or is not packed by ${coding}`)
      case "too_long":
        return new TooLarge({ content: "unpacked body", bytesMax })
    }
  }
  return refuse
}

/** The plain body of a request, of at most `bytesMax` bytes. An empty body is plain. */
export const unpackBody = Effect.fnUntraced(function* (contentEncoding: string, packed: Uint8Array, bytesMax: number) {
  const decoder = yield* Decoder
  const codings = codingsOf(contentEncoding)
  if (codings === null) return yield* new CodingUnsupported({ coding: contentEncoding.slice(0, 100), readable })
  let bytes = packed
  for (const coding of packed.length === 0 ? [] : codings) {
    bytes = yield* Effect.mapError(decoder.unpackWhole(coding, bytes, bytesMax), refusalOf(coding, bytesMax))
  }
  return bytes
})
