/** Reads and writes the JSON bodies of whole answers. */
import * as Body from "@limbeck/core/bytes/Body"
import * as Bytes from "@limbeck/core/bytes/Bytes"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { CaptureLimits } from "../Limits.ts"
import { UpstreamFailure, type UpstreamResponse } from "../upstream/Upstream.ts"

const encoder = new TextEncoder()

export const invalidAnswer = () => new UpstreamFailure({ reason: "invalid_response" })

const parsed = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

/** The parsed body; undefined for invalid JSON. Fails with `invalid_response` for a compressed body. */
export const read = Effect.fnUntraced(function* (
  response: UpstreamResponse
): Effect.fn.Return<unknown, UpstreamFailure> {
  const { "content-encoding": coding = "identity" } = response.headers
  if (coding !== "identity") return yield* invalidAnswer()
  return parsed(yield* Bytes.whole(Body.toStream(response.body), CaptureLimits.answerBytesMax, invalidAnswer))
})

export const write = (body: Schema.JsonObject, headers: UpstreamResponse["headers"] = {}): UpstreamResponse => {
  const bytes = encoder.encode(JSON.stringify(body))
  return {
    status: 200,
    headers: { ...headers, "content-type": "application/json", "content-length": String(bytes.length) },
    body: Body.whole(bytes)
  }
}
