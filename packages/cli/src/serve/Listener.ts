/** The socket of the server: bound first, so that a taken port is known at once, and drained at the end. */
import * as http from "node:http"
import type * as net from "node:net"
import type { Duplex } from "node:stream"
import type { NodeHandler } from "@limbeck/server/Mounts"
import { notReady } from "@limbeck/server/NotReady"
import type { Refuse } from "@limbeck/server/Unreadable"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Drain from "./Drain.ts"
import { Limits } from "./Limits.ts"

export class CannotListen extends Data.TaggedError("CannotListen")<{ readonly message: string }> {}

export const cannotListen = ({ host, port }: Pick<ListenOptions, "host" | "port">, error: Error) =>
  new CannotListen({
    message: `cannot listen on ${host}:${port}: ${error.message}; PORT names the port, and LIMBECK_URL the server to the other commands`
  })

const serverOptions: http.ServerOptions = {
  maxHeaderSize: Limits.headBytesMax,
  // Heads have Node's own minute in any case.
  requestTimeout: Limits.requestMillisMax,
  // Names nothing here.
  requireHostHeader: false
}

const notReadyToRefuse: Refuse = (_error, socket) => void socket.destroy()

export const urlOf = (host: string, port: number) => `http://${host.includes(":") ? `[${host}]` : host}:${port}`

/** Marks connections beyond the limit when they arrive. */
const watchRoom = (server: http.Server, connectionsMax: number) => {
  const refused = new WeakSet<net.Socket>()
  let open = 0
  server.maxConnections = connectionsMax + Limits.refusedConnectionsMax
  server.on("connection", (socket) => {
    open += 1
    if (open > connectionsMax) refused.add(socket)
    socket.once("close", () => {
      open -= 1
    })
  })
  return refused
}

/** Sends `100 Continue` only when somebody reads the body: a client with `Expect` so never sends a refused body. */
const continueWhenRead = (request: http.IncomingMessage, response: http.ServerResponse): void => {
  const read = request._read
  request._read = (size) => {
    request._read = read
    // After a response, the rest of the body is discarded.
    if (!response.headersSent) response.writeContinue()
    read.call(request, size)
  }
}

const makeServer = ({ answer, full, refuse }: Responder, { connectionsMax, keepAliveSeconds }: ConnectionOptions) => {
  const latest = new WeakMap<Duplex, http.ServerResponse>()
  // Each response says it, as `Keep-Alive: timeout`; the connection closes a second later.
  const server = http.createServer({ ...serverOptions, keepAliveTimeout: keepAliveSeconds * 1_000 })
  const refused = watchRoom(server, connectionsMax)
  const drain = Drain.make(server)
  const take: NodeHandler = (request, response) => {
    latest.set(request.socket, response)
    drain.follow(response)
    if (!refused.has(request.socket)) return answer(request, response)
    response.setHeader("connection", "close")
    full(request, response)
  }
  server.on("request", take)
  server.on("checkContinue", (request, response) => {
    continueWhenRead(request, response)
    take(request, response)
  })
  // What else a client expects is not known, and may be passed over (RFC 9110, 10.1.1).
  server.on("checkExpectation", take)
  server.on("clientError", (error, socket) => {
    const response = latest.get(socket)
    const isAnswering = response?.headersSent === true && !response.writableFinished
    return isAnswering ? socket.destroy() : refuse(error, socket)
  })
  return { server, drained: drain.drained }
}

/** Who deals with what comes. */
interface Responder {
  readonly answer: NodeHandler
  /** Refuses a request for lack of connections, and closes the connection. */
  readonly full: NodeHandler
  /** Refuses what is no request. */
  readonly refuse: Refuse
}

interface DrainableResponder extends Responder {
  /** Runs before the drain cuts the remaining requests. */
  readonly cutting: Effect.Effect<void>
}

interface ConnectionOptions {
  readonly connectionsMax: number
  /** How long an idle connection stays open. */
  readonly keepAliveSeconds: number
}

export interface ListenOptions extends ConnectionOptions {
  readonly host: string
  readonly port: number
}

export interface Listener {
  readonly port: number
  /** Replaces the handlers of incoming requests. */
  readonly serve: (served: DrainableResponder) => Effect.Effect<void>
  /** Drains: ends when no connection is left. */
  readonly stop: Effect.Effect<void>
}

/** Answers 503 until `serve` is called. */
const prepare = (options: ConnectionOptions, hurry: Effect.Effect<void>) => {
  let current: DrainableResponder = { answer: notReady, full: notReady, refuse: notReadyToRefuse, cutting: Effect.void }
  const answering: Responder = {
    answer: (request, response) => current.answer(request, response),
    full: (request, response) => current.full(request, response),
    refuse: (error, socket) => current.refuse(error, socket)
  }
  const { drained, server } = makeServer(answering, options)
  const cut = Effect.suspend(() =>
    Effect.andThen(
      current.cutting,
      Effect.sync(() => server.closeAllConnections())
    )
  )
  const late = Effect.timeoutOption(hurry, Limits.drainMillis)
  const stop = Effect.raceFirst(drained, Effect.andThen(late, cut))
  const serve = (served: DrainableResponder) =>
    Effect.sync(() => {
      current = served
    })
  return { server, listener: { serve, stop } }
}

/** Binds. `hurry`: ends a drain at once. */
export const listen = (options: ListenOptions, hurry: Effect.Effect<void>): Effect.Effect<Listener, CannotListen> =>
  Effect.callback<Listener, CannotListen>((resume) => {
    const { host, port } = options
    const { listener, server } = prepare(options, hurry)
    server.once("error", (error) => resume(cannotListen(options, error)))
    // It listens on a port.
    server.listen(port, host, () =>
      resume(Effect.succeed({ ...listener, port: (server.address() as net.AddressInfo).port }))
    )
  })

/** As `listen`, where another process listens and hands connections over: `connections` tells of each. */
export const takeConnections = (
  options: ListenOptions,
  hurry: Effect.Effect<void>,
  connections: (take: (socket: net.Socket) => void) => void
): Effect.Effect<Listener> =>
  Effect.sync(() => {
    const { listener, server } = prepare(options, hurry)
    // From then on Node watches the time limits of requests.
    server.emit("listening")
    connections((socket) => void server.emit("connection", socket))
    return { ...listener, port: options.port }
  })
