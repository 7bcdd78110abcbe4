/**
 * A receiver for node:http, Express and Connect, as middleware or as a route's handler. Reads the raw body itself, or takes
 * the bytes kept by a raw parser.
 */
import {
  answer,
  type BodyOptions,
  bodyBytesMax,
  concat,
  methodNotAllowed,
  type ReadResult,
  type ReceiverOptions,
  saysTooLarge
} from "./internal/receiver.ts"
import type { OwnResources } from "./verify.ts"

/** Headers as `node:http` has them, with names in lower case. */
export type NodeHeaders = Readonly<Record<string, string | Array<string> | undefined>>

/** The used part of a Node stream. */
export interface ByteStream {
  /** Whether somebody has read from it. */
  readonly readableDidRead?: boolean
  readonly readableEnded?: boolean
  readonly destroyed?: boolean
  on(event: "data", listener: (chunk: Uint8Array | string) => void): unknown
  on(event: "end" | "close" | "error", listener: () => void): unknown
}

/** The used part of node:http's `IncomingMessage`, with body parsers' additions. */
export interface NodeRequest extends ByteStream {
  readonly method?: string | undefined
  readonly headers: NodeHeaders
  /** Kept by some hosts (cloud functions, NestJS) beside the parsed body. */
  readonly rawBody?: unknown
  /** Bytes by `express.raw()`, text by `express.text()`, an object by `express.json()`. */
  readonly body?: unknown
}

/** The used part of node:http's `ServerResponse`. */
export interface NodeResponse {
  readonly headersSent?: boolean
  writeHead(status: number, headers: Record<string, string>): unknown
  end(body?: string): unknown
}

const utf8 = new TextEncoder()

/** The value of a header; joins the values of a repeated header by commas. */
export const headerIn = (headers: NodeHeaders, name: string): string | undefined => {
  const value = headers[name]
  return Array.isArray(value) ? value.join(",") : value
}

/** Reads and drops bytes over the limit, so that the sender gets to read the response. */
const collect = (stream: ByteStream, max: number): Promise<ReadResult> =>
  new Promise((resolve) => {
    const chunks: Array<Uint8Array> = []
    let size = 0
    stream.on("data", (chunk) => {
      const bytes = typeof chunk === "string" ? utf8.encode(chunk) : chunk
      size += bytes.length
      if (size <= max) {
        chunks.push(bytes)
      } else {
        chunks.length = 0
        resolve("too_large")
      }
    })
    stream.on("end", () => resolve({ bytes: concat(chunks) }))
    stream.on("close", () => resolve("broken_off"))
    stream.on("error", () => resolve("broken_off"))
  })

/** The bytes of an unread stream. */
export const readStream = async (stream: ByteStream, max: number): Promise<ReadResult> => {
  if (stream.readableDidRead === true || stream.readableEnded === true) return "already_read"
  return stream.destroyed === true ? "broken_off" : collect(stream, max)
}

const isRaw = (value: unknown): value is Uint8Array | string => typeof value === "string" || value instanceof Uint8Array

const readBody = async (request: NodeRequest, options: BodyOptions): Promise<ReadResult> => {
  if (saysTooLarge(options, headerIn(request.headers, "content-length"))) return "too_large"
  if (isRaw(request.rawBody)) return { bytes: request.rawBody }
  if (isRaw(request.body)) return { bytes: request.body }
  // An object in `body` alone says nothing: some parsers leave an empty one when they did not read.
  return readStream(request, bodyBytesMax(options))
}

/**
 * 204 when your handler took the event, 400 for an invalid webhook, 500 when your handler failed (the event is sent again).
 * Passes methods other than POST to `next`, if given. Never rejects.
 */
export const receiver =
  <Own extends OwnResources = Record<never, never>>(options: ReceiverOptions<Own>) =>
  async (request: NodeRequest, response: NodeResponse, next?: () => void): Promise<void> => {
    if (request.method !== "POST" && next !== undefined) return next()
    const { body, headers, status } =
      request.method === "POST"
        ? await answer(options, await readBody(request, options), (name) => headerIn(request.headers, name))
        : methodNotAllowed
    // Somebody else, a time limit perhaps, was faster.
    if (response.headersSent === true) return
    // Closes the connection instead of reading the rest of a too large body.
    response.writeHead(status, status === 413 ? { ...headers, connection: "close" } : { ...headers })
    response.end(body ?? undefined)
  }
