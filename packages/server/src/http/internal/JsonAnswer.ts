/** Sends a possibly long response: a short one at once, a long one at the client's speed, in turns with other requests. */
import * as JsonPieces from "@limbeck/core/json/JsonPieces"
import { Pause } from "@limbeck/core/turns/Turns"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import * as RequestVersion from "./RequestVersion.ts"

interface Part {
  readonly text: string
  readonly isLast: boolean
}

/** What is made in one turn. */
const partOf = (pieces: Iterator<string, void, void>): Part => {
  let text = ""
  for (let piece = pieces.next(); !piece.done; piece = pieces.next()) {
    text += piece.value
    if (piece.value === "" || text.length >= JsonPieces.pieceLength) return { text, isLast: false }
  }
  return { text, isLast: true }
}

const encoder = new TextEncoder()

/** 200, with what `JsonPieces` writes. */
export const of = (value: unknown): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(Effect.zip(Pause, RequestVersion.render(value)), ([pause, rendered]) => {
    const pieces = JsonPieces.of(rendered)
    const first = partOf(pieces)
    const options = { contentType: "application/json" }
    if (first.isLast) return HttpServerResponse.text(first.text, options)
    const rest = Stream.unfold(first, (part: Part | undefined) =>
      part === undefined
        ? Effect.undefined
        : Effect.map(pause, () => [encoder.encode(part.text), part.isLast ? undefined : partOf(pieces)] as const)
    )
    return HttpServerResponse.stream(rest, options)
  })
