/** The socket of the server: bound first, so that a taken port is known at once, and drained at the end. */
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import type { NodeHandler } from "@limbeck/server/Mounts"
import type { Refuse } from "@limbeck/server/Unreadable"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

export class CannotListen extends Data.TaggedError("CannotListen")<{ readonly message: string }> {}

/** How long requests under way may take to finish after a stop was asked for. */
const drainMillis = 10_000

const options: http.ServerOptions = {
  // Of all headers together. Node's own bound is 16 KiB, which a long list of tags or a token of another system passes.
  maxHeaderSize: 65_536,
  // The content of an upload may take its 24 hours; Node's own bound is 5 minutes. Headers have a minute in any case.
  requestTimeout: 86_400_000,
  // Names nothing here.
  requireHostHeader: false
}

const notReady: NodeHandler = (_request, response) => {
  response.writeHead(503, { "content-type": "application/json", "retry-after": "1" })
  response.end(
    JSON.stringify({ error: { type: "api_error", code: "backend_unavailable", message: "The server is starting" } })
  )
}

const notReadyToRefuse: Refuse = (_error, socket) => void socket.destroy()

/** A stop ends connections as they fall idle: a client that keeps one alive would hold the end up. */
const makeServer = (answer: NodeHandler, refuse: Refuse) => {
  let isStopping = false
  const latest = new WeakMap<Duplex, http.ServerResponse>()
  const server = http.createServer(options)
  const take: NodeHandler = (request, response) => {
    latest.set(request.socket, response)
    if (isStopping) response.setHeader("connection", "close")
    response.once("close", () => {
      if (isStopping) server.closeIdleConnections()
    })
    answer(request, response)
  }
  server.on("request", take)
  // What else a client expects is not known, and may be passed over (RFC 9110, 10.1.1).
  server.on("checkExpectation", take)
  server.on("clientError", (error, socket) => {
    const response = latest.get(socket)
    const isAnswering = response?.headersSent === true && !response.writableFinished
    return isAnswering ? socket.destroy() : refuse(error, socket)
  })
  const stop = Effect.callback<void>((resume) => {
    isStopping = true
    server.close(() => resume(Effect.void))
    server.closeIdleConnections()
  }).pipe(Effect.timeoutOption(drainMillis), Effect.andThen(Effect.sync(() => server.closeAllConnections())))
  return { server, stop }
}

export interface Listener {
  readonly port: number
  /** From now on requests are answered, and what is none is refused, by these; until the scope closes, which drains them. */
  readonly serve: (handler: NodeHandler, refuse: Refuse) => Effect.Effect<void>
  readonly stop: Effect.Effect<void>
}

/** Binds; answers 503 until `serve` is called. */
export const listen = (host: string, port: number): Effect.Effect<Listener, CannotListen> =>
  Effect.callback<Listener, CannotListen>((resume) => {
    let current = { handler: notReady, refuse: notReadyToRefuse }
    const { server, stop } = makeServer(
      (request, response) => current.handler(request, response),
      (error, socket) => current.refuse(error, socket)
    )
    server.once("error", (error) =>
      resume(new CannotListen({ message: `cannot listen on ${host}:${port}: ${error.message}` }))
    )
    server.listen(port, host, () =>
      resume(
        Effect.succeed({
          port: (server.address() as AddressInfo).port,
          serve: (handler, refuse) =>
            Effect.sync(() => {
              current = { handler, refuse }
            }),
          stop
        })
      )
    )
  })
