/** The bytes of a request's body, within a limit. How they are read is the mount's to say: its requests may have a quicker way. */
import { type InvalidInput, invalid, TooLarge } from "@limbeck/core/errors/Errors"
import * as ByteSize from "effect/ByteSize"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

/** All of it, at most so many bytes; asked for once. */
export type Read = (request: HttpServerRequest, bytesMax: number) => Effect.Effect<Uint8Array, TooLarge | InvalidInput>

export const tooLarge = (bytesMax: number) => new TooLarge({ message: `The body is larger than ${bytesMax} bytes` })

export const unreadable = () => invalid(null, "The body could not be read")

/** As any request can be read. */
const usual: Read = (request, bytesMax) =>
  request.arrayBuffer.pipe(
    Effect.provideService(MaxBodySize, ByteSize.bytes(bytesMax + 1)),
    Effect.mapError(({ reason }) =>
      reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge" ? tooLarge(bytesMax) : unreadable()
    ),
    Effect.flatMap((bytes) =>
      bytes.byteLength > bytesMax ? Effect.fail(tooLarge(bytesMax)) : Effect.succeed(new Uint8Array(bytes))
    )
  )

export class ReadBody extends Context.Reference<Read>("@limbeck/server/http/ReadBody", { defaultValue: () => usual }) {}
