/**
 * A receiver for Fastify, as a plugin: `app.register(receiver({ secret, handler }), { prefix: "/hooks" })`. It leaves
 * bodies unparsed in its own scope, and changes nothing outside.
 */

import {
  answer,
  type BodyOptions,
  bodyBytesMax,
  type ReadResult,
  type ReceiverOptions,
  saysTooLarge
} from "./internal/receiver.ts"
import { type ByteStream, headerIn, type NodeHeaders, readStream } from "./node.ts"
import type { OwnResources } from "./verify.ts"

/** The used part of Fastify's request. */
export interface FastifyRequestLike {
  readonly headers: NodeHeaders
  /** What the parser below leaves; nothing where no body was sent. */
  readonly body: unknown
}

/** The used part of Fastify's reply. */
export interface FastifyReplyLike {
  code(status: number): FastifyReplyLike
  headers(values: Record<string, string>): FastifyReplyLike
  send(body?: string): unknown
}

/** The used part of a Fastify instance. */
export interface FastifyLike {
  removeAllContentTypeParsers(): unknown
  addContentTypeParser(
    contentType: string,
    parser: (request: unknown, payload: ByteStream, done: (error: Error | null, body?: unknown) => void) => void
  ): unknown
  post(path: string, handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>): unknown
}

const isStream = (body: unknown): body is ByteStream => typeof body === "object" && body !== null && "on" in body

const readBody = async ({ body, headers }: FastifyRequestLike, options: BodyOptions): Promise<ReadResult> => {
  if (saysTooLarge(options, headerIn(headers, "content-length"))) return "too_large"
  return isStream(body) ? readStream(body, bodyBytesMax(options)) : { bytes: new Uint8Array() }
}

/**
 * 204 when your handler took the event, 400 for an invalid webhook, 500 when your handler failed (the event is sent again).
 * Responds to POST at the prefix of its registration.
 */
export const receiver =
  <Own extends OwnResources = Record<never, never>>(options: ReceiverOptions<Own>) =>
  async (app: FastifyLike): Promise<void> => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser("*", (_request, payload, done) => done(null, payload))
    app.post("/", async (request, reply) => {
      const read = await readBody(request, options)
      const { body, headers, status } = await answer(options, read, (name) => headerIn(request.headers, name))
      const closing = status === 413 ? { connection: "close" } : {}
      return reply
        .code(status)
        .headers({ ...headers, ...closing })
        .send(body ?? undefined)
    })
  }
