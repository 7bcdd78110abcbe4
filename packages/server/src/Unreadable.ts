/** A `clientError` listener that answers unreadable requests with the envelope, too. */
import type { Duplex } from "node:stream"
import { versionHeader, wire } from "@limbeck/api/Brand"
import { render } from "@limbeck/api/ErrorTable"
import { invalid } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import { newest } from "@limbeck/core/versions/ApiVersions"
import * as Effect from "effect/Effect"
import { browserHeaders, noStoreHeaders } from "./http/AnswerHeaders.ts"
import { ServerSettings } from "./Settings.ts"

/** node:http's arguments: the parse error, and the socket. */
export type Refuse = (error: NodeJS.ErrnoException, socket: Duplex) => void

/** By the codes of node:http's errors. */
const refusals: { readonly [code: string]: readonly [status: string, message: string] } = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The headers are too large"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["413 Payload Too Large", "The extensions of the body's chunks are too large"],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request did not come in time"]
}
const malformed = ["400 Bad Request", "This is not an HTTP request"] as const

/** Closes the connection, since its further bytes cannot be parsed. */
export const make = Effect.gen(function* () {
  const ids = yield* Ids
  const { brand, publicUrl } = yield* ServerSettings
  const fixedHeaders = Object.entries({ ...browserHeaders(publicUrl), ...noStoreHeaders })
  const run = Effect.runSyncWith(yield* Effect.context<never>())
  const refuse: Refuse = ({ code = "" }, socket) => {
    if (!socket.writable || code === "ECONNRESET") return void socket.destroy()
    const [status, message] = refusals[code] ?? malformed
    const id = run(ids.make("req"))
    const body = JSON.stringify(render(invalid(null, message), id))
    const head = [
      `HTTP/1.1 ${status}`,
      "content-type: application/json",
      `content-length: ${body.length}`,
      `${wire.requestId}: ${id}`,
      `${versionHeader(brand)}: ${newest}`,
      ...fixedHeaders.map(([name, value]) => `${name}: ${value}`),
      "connection: close"
    ]
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`)
  }
  return refuse
})
