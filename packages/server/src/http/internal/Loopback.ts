/** Requests of the server to itself, by the same routes and checks as any other request, without a connection. */
import { sessionHeaders, wire } from "@limbeck/api/Brand"
import type { UnknownError } from "effect/Cause"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"

export interface LoopbackAnswer {
  readonly headers: Headers
  readonly status: number
  readonly text: string
}

type FetchHandler = (request: Request) => Promise<Response>

export interface Loopback {
  /** A response that breaks off fails: the outcome of a write is then unknown. */
  readonly fetch: (request: Request) => Effect.Effect<LoopbackAnswer, UnknownError>
  /** Sets the app, which exists after its handlers. */
  readonly open: (handler: FetchHandler) => void
}

export const make = (): Loopback => {
  let handle: FetchHandler = () => Promise.reject(new Error("The server has not started"))
  return {
    fetch: (request) =>
      Effect.tryPromise(async () => {
        const response = await handle(request)
        return { headers: response.headers, status: response.status, text: await response.text() }
      }),
    open: (handler) => {
      handle = handler
    }
  }
}

/** What identifies a person, and where their page comes from. */
const identifying = ["cookie", "host", "origin", "sec-fetch-site", "x-forwarded-for", "x-forwarded-proto"]

/** The headers of a signed-in person's request that another request of theirs needs. */
export const identityOf = ({ headers }: HttpServerRequest, brand: string): Readonly<Record<string, string>> => {
  const names = sessionHeaders(brand)
  const kept = [...identifying, wire.csrfToken, names.workspace, names.mode].map((name) => name.toLowerCase())
  return Object.fromEntries(kept.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])))
}
