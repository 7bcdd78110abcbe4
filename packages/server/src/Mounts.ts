/** The app in somebody else's server: a `(req, res)` handler for node:http, Express and Fastify, and a Fetch handler. */
import type { IncomingMessage, ServerResponse } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import type * as Scope from "effect/Scope"
import type { App } from "./Server.ts"

export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void
export type FetchHandler = (request: Request) => Promise<Response>

const consumed = {
  error: {
    type: "api_error",
    code: "api_error",
    message:
      "The request body was read before it reached this handler: mount it before body parsers such as express.json()",
    param: null,
    request_id: null
  }
}

/** A body that a parser has eaten would never come: say so instead of waiting for it. */
const isConsumed = (request: IncomingMessage): boolean =>
  "body" in request && request.readableEnded && Number(request.headers["content-length"] ?? 0) > 0

/** Runs in the surrounding scope: requests under way are interrupted when it closes. */
export const node = (app: App): Effect.Effect<NodeHandler, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const handle = yield* NodeHttpServer.makeHandler(app, { scope })
    return (request: IncomingMessage, response: ServerResponse) => {
      if (!isConsumed(request)) return handle(request, response)
      response.writeHead(500, { "content-type": "application/json" }).end(JSON.stringify(consumed))
    }
  })

export const fetch = (app: App): FetchHandler => {
  const handle = HttpEffect.toWebHandler(app)
  return (request) => handle(request)
}
