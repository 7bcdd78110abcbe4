/**
 * A receiver for whatever speaks Fetch: Bun, Deno, workers, Hono (`c.req.raw`), a Next.js route. Takes a request, answers
 * with a response, after your handler is done.
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

const readBody = async (request: Request, options: BodyOptions): Promise<ReadResult> => {
  if (request.bodyUsed || request.body?.locked === true) return "already_read"
  if (saysTooLarge(options, request.headers.get("content-length"))) return "too_large"
  if (request.body === null) return { bytes: new Uint8Array() }
  const reader = request.body.getReader()
  const chunks: Array<Uint8Array> = []
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { bytes: concat(chunks) }
      chunks.push(value)
      size += value.length
      if (size > bodyBytesMax(options)) {
        await reader.cancel()
        return "too_large"
      }
    }
  } catch {
    return "broken_off"
  }
}

/**
 * 204 when your handler took the event, 400 when it is not a valid webhook, 500 when your handler failed (it is sent again
 * then). Never rejects.
 */
export const receiver =
  <Own extends OwnResources = Record<never, never>>(options: ReceiverOptions<Own>) =>
  async (request: Request): Promise<Response> => {
    const { body, headers, status } =
      request.method === "POST"
        ? await answer(options, await readBody(request, options), (name) => request.headers.get(name))
        : methodNotAllowed
    return new Response(body, { status, headers: { ...headers } })
  }
