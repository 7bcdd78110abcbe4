/**
 * Writes an answer whose body is a flow to a response of node:http, as it comes and no faster than its client reads. Between two
 * things that are to be done, pieces pass by callbacks alone: a stream of small pieces costs half of what Effect's way takes.
 */
import { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { joined } from "@limbeck/core/bytes/Bytes"
import * as Flow from "@limbeck/core/bytes/Flow"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"

/** How pieces get into a response. */
interface Sink {
  /** Returns whether more may be written at once. */
  readonly write: (chunks: Flow.Chunks) => boolean
  readonly end: () => void
}

const nothing = new Uint8Array(0)
const lastFrame = Buffer.from("0\r\n\r\n")

/** What the chunks are in a message of chunks (RFC 9112, 7.1). */
const frameOf = (chunks: Flow.Chunks): Uint8Array => {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  // A frame without bytes is the last one.
  if (length === 0) return nothing
  const head = `${length.toString(16)}\r\n`
  const frame = Buffer.allocUnsafe(head.length + length + 2)
  let at = frame.write(head, "latin1")
  for (const chunk of chunks) {
    frame.set(chunk, at)
    at += chunk.length
  }
  frame.write("\r\n", at, "latin1")
  return frame
}

/**
 * Of a response whose head was written. Where Node chose to frame what it is given, it does so by four writes for each piece; made
 * here, a frame is one, and a stream of small pieces costs a fifth less. Whoever has put himself between, as one that compresses,
 * gets the pieces as they are.
 */
const sinkOf = (response: ServerResponse): Sink => {
  if (!response.chunkedEncoding || response.write !== ServerResponse.prototype.write) {
    return { write: (chunks) => response.write(joined(chunks)), end: () => response.end() }
  }
  response.chunkedEncoding = false
  return { write: (chunks) => response.write(frameOf(chunks)), end: () => response.end(lastFrame) }
}

/** Ends the response with the flow. Begins with `due`, where it was taken before and what came first is done. */
const poured = <E>(
  flow: Flow.Flow<E>,
  response: ServerResponse,
  sink: Sink,
  due?: Flow.Portion<E>
): Effect.Effect<void, E> =>
  Effect.callback<void, E>((resume) => {
    let isOver = false
    const leave = (next: Effect.Effect<void, E>) => {
      isOver = true
      resume(next)
    }
    /** Returns whether another may be written at once. */
    const write = (portion: Flow.Portion<E>): boolean => {
      if (portion._tag === "Chunks") {
        if (sink.write(portion.chunks)) return true
        response.once("drain", go)
      } else if (portion._tag === "Ended") {
        sink.end()
        leave(Effect.void)
      } else leave(Effect.fail(portion.error))
      return false
    }
    const go = () => {
      if (isOver) return
      for (let portion = flow.take(); portion !== undefined; portion = flow.take()) {
        if (portion.first !== null) return leave(Effect.andThen(portion.first, poured(flow, response, sink, portion)))
        if (!write(portion)) return
      }
      flow.whenThere(go)
    }
    if (due === undefined || write(due)) go()
    return Effect.sync(() => {
      isOver = true
      response.off("drain", go)
    })
  })

const isFlushed = ({ headers }: HttpServerResponse.HttpServerResponse): boolean => !("content-length" in headers)

const sent = <E>(flow: Flow.Flow<E>, answer: HttpServerResponse.HttpServerResponse, response: ServerResponse) =>
  Effect.suspend(() => {
    response.writeHead(answer.status, answer.headers)
    const sink = sinkOf(response)
    // The head waits for no piece, and goes with those that are there.
    if (isFlushed(answer)) response.write(nothing)
    return poured(flow, response, sink)
  })

const flowOf = ({ body, status }: HttpServerResponse.HttpServerResponse): Flow.Flow<unknown> | undefined =>
  body._tag === "Stream" && ![204, 205, 304].includes(status) ? Flow.of(body.stream) : undefined

/**
 * The answer, when all of it is written where its body is a flow. One that breaks off, or whose client leaves, is broken off. A
 * flow has as many bytes as the head says that it has.
 */
export const written = (answer: HttpServerResponse.HttpServerResponse) => {
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
