/**
 * Reads the body of a request of node:http from its events. The usual way also waits until the request is closed, and is a
 * tenth of all that a call of the proxy costs.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { joined } from "@limbeck/core/bytes/Bytes"
import type { InvalidInput, TooLarge } from "@limbeck/core/errors/Errors"
import * as Effect from "effect/Effect"
import { type Read, tooLarge, unreadable } from "./Body.ts"

export const read: Read = (request, bytesMax) =>
  Effect.callback<Uint8Array, TooLarge | InvalidInput>((resume) => {
    const message = NodeHttpServerRequest.toIncomingMessage(request)
    // Its end was heard by somebody before us.
    if (message.readableEnded) return resume(Effect.succeed(new Uint8Array(0)))
    if (message.destroyed) return resume(Effect.fail(unreadable()))
    const chunks: Array<Uint8Array> = []
    let length = 0
    const letGo = () => message.off("data", add).off("end", finish).off("error", fail).off("close", fail)
    const finish = () => {
      letGo()
      resume(Effect.succeed(joined(chunks)))
    }
    const fail = () => {
      letGo()
      resume(Effect.fail(unreadable()))
    }
    const add = (chunk: Uint8Array) => {
      length += chunk.length
      chunks.push(chunk)
      if (length <= bytesMax) return
      letGo()
      // Who is still sending hears the answer only if somebody listens; the server ends what goes on for too long.
      message.resume()
      resume(Effect.fail(tooLarge(bytesMax)))
    }
    message.on("data", add).on("end", finish).on("error", fail).on("close", fail)
    return Effect.sync(() => {
      letGo()
      message.destroy()
    })
  })
