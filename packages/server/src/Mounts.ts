/** The app in somebody else's server: a `(req, res)` handler for node:http, Express and Fastify, and a Fetch handler. */
import type { IncomingMessage, ServerResponse } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import type * as Scope from "effect/Scope"
import type { App } from "./App.ts"
import { BodyEaten } from "./http/Edge.ts"

export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void
export type FetchHandler = (request: Request) => Promise<Response>

/** Whether it had a body that a parser has eaten: it would never come. */
const isEaten = ({ headers, readableEnded }: IncomingMessage): boolean =>
  readableEnded && (Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined)

const withoutBody = (app: App): App => Effect.provideService(app, BodyEaten, true)

/** Runs in the surrounding scope: requests under way are interrupted when it closes. */
export const node = (app: App): Effect.Effect<NodeHandler, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const handle = yield* NodeHttpServer.makeHandler(app, { scope })
    const handleEaten = yield* NodeHttpServer.makeHandler(withoutBody(app), { scope })
    return (request: IncomingMessage, response: ServerResponse) =>
      isEaten(request) ? handleEaten(request, response) : handle(request, response)
  })

export const fetch = (app: App): FetchHandler => {
  const handle = HttpEffect.toWebHandler(app)
  const handleEaten = HttpEffect.toWebHandler(withoutBody(app))
  return (request) => (request.bodyUsed ? handleEaten(request) : handle(request))
}
