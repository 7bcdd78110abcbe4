/**
 * Calls of the cluster, by Node's own client: Ray takes what the platform's `fetch` sends for a browser, by its
 * `sec-fetch-mode`, and refuses it whatever changes something.
 */
import * as http from "node:http"
import * as https from "node:https"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"

/** `status`: null when there was no answer. */
export class RayError extends Data.TaggedError("RayError")<{
  readonly status: number | null
  readonly message: string
}> {}

export interface Answer {
  readonly status: number
  readonly text: string
}

export interface Call {
  readonly method: "GET" | "POST"
  readonly url: string
  readonly body?: Schema.JsonObject
}

const textOf = async (response: http.IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of response) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

/** Node's error code; for a name with several addresses, that of the first. */
const reasonOf = (error: unknown): string => {
  const [first] = error instanceof AggregateError ? error.errors : [error]
  if (!(first instanceof Error)) return String(first)
  return "code" in first ? String(first.code) : first.message
}

/** Fails when there is no answer, and for no status. */
export const call = ({ body, method, url }: Call): Effect.Effect<Answer, RayError> =>
  Effect.tryPromise({
    try: (signal) =>
      new Promise<Answer>((resolve, reject) => {
        const { request } = url.startsWith("https:") ? https : http
        const headers = body === undefined ? {} : { "content-type": "application/json" }
        const sent = request(url, { method, headers, signal }, (response) => {
          textOf(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject)
        })
        sent.on("error", reject)
        sent.end(body === undefined ? undefined : JSON.stringify(body))
      }),
    catch: (error) => new RayError({ status: null, message: reasonOf(error) })
  })
