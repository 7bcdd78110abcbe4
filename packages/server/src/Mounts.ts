/** The app in somebody else's server: a `(req, res)` handler for node:http, Express and Fastify, and a Fetch handler. */
import type { IncomingMessage, ServerResponse } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpEffect from "effect/http/HttpEffect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import type { App } from "./App.ts"
import { type BodyReader, BodyTimes, ReadBody } from "./http/internal/Body.ts"
import { Hindrance } from "./http/internal/Edge.ts"
import * as NodeBody from "./http/internal/NodeBody.ts"
import * as NodeFlow from "./http/internal/NodeFlow.ts"

/** For `node:http`, Express and Fastify. */
export interface NodeHandler {
  (request: IncomingMessage, response: ServerResponse): void
  /** The headers of every response, for a handler in front that responds itself. */
  readonly responseHeaders?: () => Readonly<Record<string, string>>
}
/** For hosts that speak Fetch. */
export type FetchHandler = (request: Request) => Promise<Response>

/** Whether it had a body that a parser has eaten: it would never come. */
const isEaten = ({ headers, readableEnded }: IncomingMessage): boolean =>
  readableEnded && (Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined)

/** The parts of an app that answer requests. */
type Responder<R> = Pick<App<R>, "answer" | "services">

const withReader = <R>({ answer, services }: Responder<R>, reader: BodyReader): Responder<R> => ({
  answer,
  services: Context.add(services, ReadBody, reader)
})

const withoutBody = <R>({ answer, services }: Responder<R>): Responder<R> => ({
  answer,
  services: Context.add(services, Hindrance, "body eaten")
})

const withoutRoom = <R>({ answer, services }: Responder<R>): Responder<R> => ({
  answer,
  services: Context.add(services, Hindrance, "no room")
})

/** For requests of unknown length: a response before the end of the body is the last of its connection, and announces so. */
const withUnmeasuredBody = <R>({ answer, services }: Responder<R>): Responder<R> => ({
  answer: Effect.flatMap(HttpServerRequest, (request) =>
    Effect.map(answer, (response) =>
      NodeHttpServerRequest.toIncomingMessage(request).complete
        ? response
        : HttpServerResponse.setHeader(response, "connection", "close")
    )
  ),
  services
})

/** Effect need not write a response that was already written here. */
const withFlows = <R>({ answer, services }: Responder<R>): Responder<R> => ({
  answer: Effect.flatMap(answer, NodeFlow.writeFlow),
  services
})

/** Each request has the services of the app alone, whatever surrounds the server. */
const handlerOf = <R>({ answer, services }: Responder<R>, scope: Scope.Scope) =>
  Effect.updateContext(
    NodeHttpServer.makeHandler(answer, { scope }),
    (_surrounding: Context.Context<never>): Context.Context<R> => services
  )

/** For a server that has no room for another connection: tells callers to retry. */
export const full = <R>(app: App<R>): Effect.Effect<NodeHandler, never, Scope.Scope> =>
  Effect.flatMap(Effect.scope, (scope) => handlerOf(withoutRoom(app), scope))

/**
 * Effect closes the connection of such a request half a second after the response, without further reads. A slower sender
 * gets a reset before the response. The replacement is below.
 */
const withoutTeardown =
  (handle: NodeHandler): NodeHandler =>
  (request, response) => {
    const known = response.listeners("finish")
    handle(request, response)
    const [first] = response.listeners("finish")
    // Every listener of an emitter has this call form.
    if (first !== undefined && !known.includes(first)) response.off("finish", first as () => void)
  }

/** The last response of a connection ends only our half until the rest of the body has arrived (RFC 9112, 9.6). */
const halfClose = (request: IncomingMessage) => {
  const { socket } = request
  socket.destroySoon = () => void socket.end()
  request.once("close", () => {
    // Restores the prototype's method for later requests on this socket.
    Reflect.deleteProperty(socket, "destroySoon")
    if (socket.writableEnded) socket.destroySoon()
  })
}

/** A request with a length of zero, or without either header, has no body (RFC 9112, 6.3). */
const mayHaveBody = ({ headers }: IncomingMessage): boolean =>
  Number(headers["content-length"] ?? 0) !== 0 || headers["transfer-encoding"] !== undefined

/** Closes the connection of a request answered before the end of its body, unless it closes by itself in time. */
const linger = (request: IncomingMessage, millis: number) =>
  Effect.andThen(
    Effect.sleep(millis),
    Effect.sync(() => {
      if (!request.complete) request.socket.destroy()
    })
  )

/**
 * Strips the host from an absolute target (RFC 9112, 3.2.2). Parsing it as a URL would take longer than everything else
 * before authentication, and change the path.
 */
const originForm = (target = ""): string => {
  const host = /^https?:\/\/[^/?#]*/i.exec(target)?.[0]
  if (host === undefined) return target
  const rest = target.slice(host.length)
  return rest.startsWith("/") ? rest : `/${rest}`
}

/** Runs in the surrounding scope, whose close interrupts requests under way. */
export const node = <R>(app: App<R>): Effect.Effect<NodeHandler, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const times = yield* BodyTimes
    const reading = withReader(app, NodeBody.make(times))
    const handle = withoutTeardown(yield* handlerOf(withFlows(reading), scope))
    const handleUnmeasured = withoutTeardown(yield* handlerOf(withFlows(withUnmeasuredBody(reading)), scope))
    const handleEaten = yield* handlerOf(withoutBody(app), scope)
    const run = Effect.runForkWith(app.services)
    /** A client that still sends when it is answered reads its answer all the same. */
    const outlast = (request: IncomingMessage, response: ServerResponse) => {
      const isComing = () => !(request.complete || request.destroyed)
      response.once("prefinish", () => {
        if (isComing()) halfClose(request)
      })
      response.once("finish", () => {
        if (!isComing()) return
        request.resume()
        const lingering = Fiber.runIn(run(linger(request, times.lingerMax)), scope)
        request.once("close", () => lingering.interruptUnsafe())
      })
    }
    const answer = (request: IncomingMessage, response: ServerResponse) => {
      request.url = originForm(request.url)
      if (mayHaveBody(request)) outlast(request, response)
      if (isEaten(request)) return handleEaten(request, response)
      const isMeasured = request.headers["transfer-encoding"] === undefined
      return isMeasured ? handle(request, response) : handleUnmeasured(request, response)
    }
    return Object.assign(answer, { responseHeaders: app.responseHeaders })
  })

export const fetch = <R>(app: App<R>): FetchHandler => {
  const handlerOf = ({ answer, services }: Responder<R>): FetchHandler =>
    HttpEffect.toWebHandlerWith<R, HttpServerRequest | Scope.Scope | R, never>(services)(answer)
  const handle = handlerOf(app)
  const handleEaten = handlerOf(withoutBody(app))
  return (request) => (request.bodyUsed ? handleEaten(request) : handle(request))
}
