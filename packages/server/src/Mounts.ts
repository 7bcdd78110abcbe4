/** The app in somebody else's server: a `(req, res)` handler for node:http, Express and Fastify, and a Fetch handler. */
import type { IncomingMessage, ServerResponse } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type * as Scope from "effect/Scope"
import type { App } from "./App.ts"
import { ReadBody } from "./http/Body.ts"
import { BodyEaten } from "./http/Edge.ts"
import * as NodeBody from "./http/NodeBody.ts"

export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void
export type FetchHandler = (request: Request) => Promise<Response>

/** Whether it had a body that a parser has eaten: it would never come. */
const isEaten = ({ headers, readableEnded }: IncomingMessage): boolean =>
  readableEnded && (Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined)

const withNodeBody = <R>({ answer, services }: App<R>): App<R> => ({
  answer,
  services: Context.add(services, ReadBody, NodeBody.read)
})

const withoutBody = <R>({ answer, services }: App<R>): App<R> => ({
  answer,
  services: Context.add(services, BodyEaten, true)
})

/** Runs in the surrounding scope: requests under way are interrupted when it closes. */
export const node = <R>(app: App<R>): Effect.Effect<NodeHandler, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const handlerOf = ({ answer, services }: App<R>) =>
      Effect.provideContext(NodeHttpServer.makeHandler(answer, { scope }), services)
    const handle = yield* handlerOf(withNodeBody(app))
    const handleEaten = yield* handlerOf(withoutBody(app))
    return (request: IncomingMessage, response: ServerResponse) =>
      isEaten(request) ? handleEaten(request, response) : handle(request, response)
  })

export const fetch = <R>(app: App<R>): FetchHandler => {
  const handlerOf = ({ answer, services }: App<R>): FetchHandler =>
    HttpEffect.toWebHandlerWith<R, HttpServerRequest | Scope.Scope | R, never>(services)(answer)
  const handle = handlerOf(app)
  const handleEaten = handlerOf(withoutBody(app))
  return (request) => (request.bodyUsed ? handleEaten(request) : handle(request))
}
