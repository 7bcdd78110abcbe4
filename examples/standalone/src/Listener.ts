/** The socket of the server: bound first, so that a taken port is known at once, and drained at the end. */
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import type { NodeHandler } from "@limbeck/server/Mounts"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

export class CannotListen extends Data.TaggedError("CannotListen")<{ readonly message: string }> {}

/** How long requests under way may take to finish after a stop was asked for. */
const drainMillis = 10_000

const notReady: NodeHandler = (_request, response) => {
  response.writeHead(503, { "content-type": "application/json", "retry-after": "1" })
  response.end(
    JSON.stringify({ error: { type: "api_error", code: "backend_unavailable", message: "The server is starting" } })
  )
}

/** A stop ends connections as they fall idle: a client that keeps one alive would hold the end up. */
const makeServer = (answer: NodeHandler) => {
  let isStopping = false
  const server = http.createServer((request, response) => {
    if (isStopping) response.setHeader("connection", "close")
    response.once("close", () => {
      if (isStopping) server.closeIdleConnections()
    })
    answer(request, response)
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
  /** From now on requests are answered by this handler; until the scope closes, which drains them. */
  readonly serve: (handler: NodeHandler) => Effect.Effect<void>
  readonly stop: Effect.Effect<void>
}

/** Binds; answers 503 until `serve` is called. */
export const listen = (host: string, port: number): Effect.Effect<Listener, CannotListen> =>
  Effect.callback<Listener, CannotListen>((resume) => {
    let current = notReady
    const { server, stop } = makeServer((request, response) => current(request, response))
    server.once("error", (error) =>
      resume(new CannotListen({ message: `cannot listen on ${host}:${port}: ${error.message}` }))
    )
    server.listen(port, host, () =>
      resume(
        Effect.succeed({
          port: (server.address() as AddressInfo).port,
          serve: (handler) =>
            Effect.sync(() => {
              current = handler
            }),
          stop
        })
      )
    )
  })
