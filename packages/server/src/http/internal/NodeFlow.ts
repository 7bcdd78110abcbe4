/**
 * Writes a flow body to a node:http response, at the client's speed. Between other work, pieces pass by callbacks alone: a
 * stream of small pieces costs half of Effect's way.
 */
import type { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { joinPieces } from "@limbeck/core/bytes/Bytes"
import type * as Flow from "@limbeck/core/bytes/Flow"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import { FlowBody } from "./FlowBody.ts"

/** Ends the response with the flow. Begins with `due`, the portion already taken. */
const pour = <E>(flow: Flow.Flow<E>, response: ServerResponse, due?: Flow.Portion<E>): Effect.Effect<void, E> =>
  Effect.callback<void, E>((resume) => {
    let isOver = false
    const leave = (next: Effect.Effect<void, E>) => {
      isOver = true
      resume(next)
    }
    /** Returns whether another may be written at once. A broken flow waits a turn, in which the head and its last piece leave. */
    const write = (portion: Flow.Portion<E>): boolean => {
      if (portion._tag === "Chunks") {
        if (response.write(joinPieces(portion.chunks))) return true
        response.once("drain", go)
      } else if (portion._tag === "Ended") {
        response.end()
        leave(Effect.void)
      } else leave(Effect.andThen(Effect.yieldNow, Effect.fail(portion.error)))
      return false
    }
    const go = () => {
      if (isOver) return
      for (let portion = flow.take(); portion !== undefined; portion = flow.take()) {
        if (portion.first !== null) return leave(Effect.andThen(portion.first, pour(flow, response, portion)))
        if (!write(portion)) return
      }
      flow.onAvailable(go)
    }
    if (due === undefined || write(due)) go()
    return Effect.sync(() => {
      isOver = true
      response.off("drain", go)
    })
  })

const nothing = new Uint8Array(0)

const isFlushed = ({ headers }: HttpServerResponse.HttpServerResponse): boolean => !("content-length" in headers)

const sent = <E>(flow: Flow.Flow<E>, answer: HttpServerResponse.HttpServerResponse, response: ServerResponse) =>
  Effect.suspend(() => {
    response.writeHead(answer.status, answer.headers)
    // Sends the head at once, together with available pieces.
    if (isFlushed(answer)) response.write(nothing)
    return pour(flow, response)
  })

const flowOf = ({ body, status }: HttpServerResponse.HttpServerResponse): Flow.Flow<unknown> | undefined =>
  body instanceof FlowBody && ![204, 205, 304].includes(status) ? body.flow : undefined

/**
 * Returns the response after writing a flow body. A broken flow, or a client's departure, aborts it. The flow must match
 * the head's Content-Length.
 */
export const writeFlow = (answer: HttpServerResponse.HttpServerResponse) => {
  const flow = flowOf(answer)
  if (flow === undefined) return Effect.succeed(answer)
  return Effect.flatMap(HttpServerRequest, (request) => {
    const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
    if (request.method === "HEAD" || response.destroyed) return Effect.succeed(answer)
    return sent(flow, answer, response).pipe(
      Effect.interruptible,
      Effect.onError(() => Effect.sync(() => response.destroy())),
      Effect.ignore,
      Effect.as(answer)
    )
  })
}
