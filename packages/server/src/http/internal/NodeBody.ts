// @effect-diagnostics globalTimers:off globalTimersInEffect:off
/**
 * Reads a node:http request's body from its events. Effect's way also waits for the request's close, a tenth of a proxy
 * call's cost.
 */
import { performance } from "node:perf_hooks"
import { clearTimeout, setTimeout } from "node:timers"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Gathering } from "@limbeck/core/bytes/Bytes"
import * as Effect from "effect/Effect"
import * as Body from "./Body.ts"

/** Enforces the times with a bare timer: a race of fibers per body would cost another tenth. */
const read =
  (times: Body.ReadTimes): Body.BodyReader["read"] =>
  (request, admit) =>
    Effect.callback<Uint8Array, Body.BodyError>((resume) => {
      const message = NodeHttpServerRequest.toIncomingMessage(request)
      // Its end was heard by somebody before us.
      if (message.readableEnded) return resume(Effect.succeed(new Uint8Array(0)))
      if (message.destroyed) return resume(Effect.fail(Body.unreadable()))
      const gathering = new Gathering(Number(message.headers["content-length"] ?? 0) || 0)
      const beganAt = performance.now()
      let lastAt = beganAt
      const letGo = () => {
        clearTimeout(timer)
        message.off("data", add).off("end", finish).off("error", fail).off("close", fail)
      }
      const finish = () => {
        letGo()
        resume(Effect.succeed(gathering.bytes()))
      }
      const fail = () => {
        letGo()
        resume(Effect.fail(Body.unreadable()))
      }
      const refuse = (refusal: Body.BodyError) => {
        letGo()
        // The client sees the response only if its body is still consumed; the mount ends endless bodies.
        message.resume()
        resume(Effect.fail(refusal))
      }
      const add = (chunk: Uint8Array) => {
        lastAt = performance.now()
        const refusal = admit(gathering.length + chunk.length)
        if (refusal === undefined) gathering.add(chunk)
        else refuse(refusal)
      }
      const look = () => {
        const { error, wait } = Body.lateness(times, beganAt, lastAt, performance.now())
        if (error === null) timer = setTimeout(look, Math.ceil(wait))
        else refuse(error)
      }
      let timer = setTimeout(look, Math.min(times.idleMax, times.wholeMax))
      message.on("data", add).on("end", finish).on("error", fail).on("close", fail)
      return Effect.sync(() => {
        letGo()
        message.resume()
      })
    })

export const make = (times: Body.ReadTimes): Body.BodyReader => ({ read: read(times) })
