/**
 * The bytes of a request's body, within limits of size and time. How they are read is the mount's to say: its requests may have a
 * quicker way.
 */

import { joined } from "@limbeck/core/bytes/Bytes"
import { type InvalidInput, invalid, type Overloaded, RequestTimeout, TooLarge } from "@limbeck/core/errors/Errors"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Stream from "effect/Stream"
import { Limits } from "../../internal/Limits.ts"

export type BodyError = TooLarge | Overloaded | InvalidInput | RequestTimeout

/** Told of the length so far at every piece that comes; what it returns ends the reading. */
export type Admit = (length: number) => TooLarge | Overloaded | undefined

export interface BodyReader {
  /** Whether the last byte is there already: then nothing is waited for. */
  readonly isThere: (request: HttpServerRequest) => boolean
  /** All of it, asked for once. */
  readonly read: (request: HttpServerRequest, admit: Admit) => Effect.Effect<Uint8Array, BodyError>
}

export const tooLarge = (bytesMax: number) => new TooLarge({ content: "body", bytesMax })

export const unreadable = () => invalid(null, "The body could not be read")

/** As any request can be read. */
const usual: BodyReader = {
  isThere: () => false,
  read: (request, admit) =>
    Effect.suspend(() => {
      let length = 0
      const admitted = Stream.mapEffect(Stream.mapError(request.stream, unreadable), (piece) => {
        length += piece.length
        const refusal = admit(length)
        return refusal === undefined ? Effect.succeed(piece) : Effect.fail(refusal)
      })
      return Effect.map(Stream.runCollect(admitted), joined)
    })
}

export class ReadBody extends Context.Reference<BodyReader>("@limbeck/server/http/ReadBody", {
  defaultValue: () => usual
}) {}

const seconds = (millis: number) => millis / 1_000

/** Fails when no piece has come for a while, or when the whole takes too long; looked at only as often as that may be so. */
const late = Effect.fnUntraced(function* (lastAt: () => number, until: number) {
  while (true) {
    const now = yield* Clock.currentTimeMillis
    if (now >= until) {
      return yield* new RequestTimeout({ fault: "incomplete", seconds: seconds(Limits.bodyMillisMax) })
    }
    const wait = lastAt() + Limits.bodyIdleMillisMax - now
    if (wait <= 0) {
      return yield* new RequestTimeout({ fault: "idle", seconds: seconds(Limits.bodyIdleMillisMax) })
    }
    yield* Effect.sleep(Math.min(wait, until - now))
  }
})

/** The whole body, in time. */
export const read = Effect.fnUntraced(function* (request: HttpServerRequest, admit: Admit) {
  const reader = yield* ReadBody
  if (reader.isThere(request)) return yield* reader.read(request, admit)
  const clock = yield* Clock.Clock
  let lastAt = clock.currentTimeMillisUnsafe()
  const watched: Admit = (length) => {
    lastAt = clock.currentTimeMillisUnsafe()
    return admit(length)
  }
  const tooLate = late(() => lastAt, lastAt + Limits.bodyMillisMax)
  return yield* Effect.raceFirst(reader.read(request, watched), tooLate)
})
