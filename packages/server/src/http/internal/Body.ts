/** Reads a request's body within limits of size and time. The mount provides the reader, which may have a faster way. */

import { joinPieces } from "@limbeck/core/bytes/Bytes"
import { type InvalidInput, invalid, type Overloaded, RequestTimeout, TooLarge } from "@limbeck/core/errors/Errors"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Stream from "effect/Stream"
import { Limits } from "../../internal/Limits.ts"

export type BodyError = TooLarge | Overloaded | InvalidInput | RequestTimeout

/** Called with the length so far at every piece; an error ends the reading. */
type AdmissionCheck = (length: number) => TooLarge | Overloaded | undefined

export interface BodyReader {
  /** All of it, asked for once. Fails when no piece has come for `bodyIdleMillisMax`, or when all takes longer than `bodyMillisMax`. */
  readonly read: (request: HttpServerRequest, admit: AdmissionCheck) => Effect.Effect<Uint8Array, BodyError>
}

export const tooLarge = (bytesMax: number) => new TooLarge({ content: "body", bytesMax })

export const unreadable = () => invalid(null, "The body could not be read")

const seconds = (millis: number) => millis / 1_000

/** In milliseconds. */
export interface ReadTimes {
  /** Between two pieces. */
  readonly idleMax: number
  /** Of the whole. */
  readonly wholeMax: number
}

export interface BodyTimes extends ReadTimes {
  /** Of what is left after the answer. */
  readonly lingerMax: number
}

const times: BodyTimes = {
  idleMax: Limits.bodyIdleMillisMax,
  wholeMax: Limits.bodyMillisMax,
  lingerMax: Limits.lingerMillis
}

/** The time limits for a body on a node:http mount. */
export const BodyTimes = Context.Reference<BodyTimes>("@limbeck/server/http/BodyTimes", { defaultValue: () => times })

/** Whether a body is too late; null: in time, to be checked again after `wait` milliseconds. */
export const lateness = ({ idleMax, wholeMax }: ReadTimes, beganAt: number, lastAt: number, now: number) => {
  const wait = Math.min(lastAt + idleMax, beganAt + wholeMax) - now
  if (now >= beganAt + wholeMax) {
    return { wait, error: new RequestTimeout({ fault: "incomplete", seconds: seconds(wholeMax) }) }
  }
  return { wait, error: wait > 0 ? null : new RequestTimeout({ fault: "idle", seconds: seconds(idleMax) }) }
}

/** A Fetch request without a body has no stream either. */
const isBodiless = ({ source }: HttpServerRequest): boolean => "body" in source && source.body === null

const pieces = (request: HttpServerRequest, admit: AdmissionCheck) =>
  Effect.suspend(() => {
    if (isBodiless(request)) return Effect.succeed(new Uint8Array(0))
    let length = 0
    const admitted = Stream.mapEffect(Stream.mapError(request.stream, unreadable), (piece) => {
      length += piece.length
      const refusal = admit(length)
      return refusal === undefined ? Effect.succeed(piece) : Effect.fail(refusal)
    })
    return Effect.map(Stream.runCollect(admitted), joinPieces)
  })

/** Checks only at possible deadlines. */
const late = Effect.fnUntraced(function* (lastAt: () => number, beganAt: number) {
  while (true) {
    const { error, wait } = lateness(times, beganAt, lastAt(), yield* Clock.currentTimeMillis)
    if (error !== null) return yield* error
    yield* Effect.sleep(wait)
  }
})

/** As any request can be read. */
const usual: BodyReader = {
  read: (request, admit) =>
    Effect.clockWith((clock) => {
      const beganAt = clock.currentTimeMillisUnsafe()
      let lastAt = beganAt
      const watched: AdmissionCheck = (length) => {
        lastAt = clock.currentTimeMillisUnsafe()
        return admit(length)
      }
      return Effect.raceFirst(
        pieces(request, watched),
        late(() => lastAt, beganAt)
      )
    })
}

export class ReadBody extends Context.Reference<BodyReader>("@limbeck/server/http/ReadBody", {
  defaultValue: () => usual
}) {}
