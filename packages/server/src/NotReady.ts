/** The responses of a server with an open port whose services are still starting. */
import { defaultBrand, versionHeader, wire } from "@limbeck/api/Brand"
import * as Id from "@limbeck/core/ids/Id"
import { newest } from "@limbeck/core/versions/ApiVersions"
import { noStoreHeaders } from "./http/AnswerHeaders.ts"
import type { NodeHandler } from "./Mounts.ts"

/** The same body as that of examples/edge without a reachable server. */
const body = JSON.stringify({
  error: { type: "api_error", code: "backend_unavailable", message: "The server is starting" }
})

export const notReady: NodeHandler = (_request, response) => {
  response.writeHead(503, {
    "content-type": "application/json",
    "retry-after": "1",
    "x-content-type-options": "nosniff",
    ...noStoreHeaders,
    [wire.requestId]: Id.fromBytes("req", crypto.getRandomValues(new Uint8Array(16))),
    [versionHeader(defaultBrand)]: newest
  })
  response.end(body)
}
