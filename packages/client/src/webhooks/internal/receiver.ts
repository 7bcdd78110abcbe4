// A receiver has no Effect logger.
// @effect-diagnostics globalConsole:off
/**
 * Common steps of all receivers: verify the raw bytes, pass the event on, and respond only then, so that a 2xx means a
 * handled event (service-api 6.3).
 */
import { type OwnResources, type VerifyOptions, verify, type WebhookEvent } from "../verify.ts"

/** Larger bodies are refused by default; an event is a resource or two. */
const defaultBodyBytesMax = 1024 * 1024

export interface VerifiedEvent<Own extends OwnResources = Record<never, never>> {
  /** A union by `type`. */
  readonly event: WebhookEvent<Own>
  /**
   * The deduplication key: the same each time the event is sent. `Service-Event-Id` by name, taken from the body, because
   * the signature covers the body and no header.
   */
  readonly eventId: string
  /** `Service-Delivery-Id`, not covered by the signature: for logs. */
  readonly deliveryId: string | null
}

export interface ReceiverOptions<Own extends OwnResources = Record<never, never>> extends VerifyOptions {
  /** The endpoint's whole secret; several while you rotate it, or for several endpoints. */
  readonly secret: string | ReadonlyArray<string>
  /**
   * Handles the event. The response waits for it: 2xx, or 500 if it throws, after which the event is sent again. It has
   * less than 5 seconds: put the event into a queue, do the work later.
   */
  readonly handler: (received: VerifiedEvent<Own>) => unknown
  /** Begins the header names; `Service` unless the sender has a name of its own. */
  readonly brand?: string
  /** A larger body is answered with 413; 1 MiB by default. */
  readonly bodyBytesMax?: number
  /** Hears what was answered with 500; writes to the console by default. */
  readonly onError?: (error: unknown) => void
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** What came of reading a body. */
export type ReadResult = { readonly bytes: Uint8Array | string } | "too_large" | "broken_off" | "already_read"

const problem = (
  status: number,
  reason: string,
  hint: string,
  headers: Readonly<Record<string, string>> = {}
): Answer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify({ error: { reason, hint } })
})

/** Options for reading a body. */
export type BodyOptions = Pick<ReceiverOptions, "bodyBytesMax">

type ErrorOptions = Pick<ReceiverOptions, "onError">

export const bodyBytesMax = (options: BodyOptions): number => options.bodyBytesMax ?? defaultBodyBytesMax

/** Whether the Content-Length exceeds the limit. */
export const saysTooLarge = (options: BodyOptions, contentLength: string | null | undefined): boolean =>
  Number(contentLength ?? 0) > bodyBytesMax(options)

export const concat = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

export const methodNotAllowed: Answer = problem(405, "method_not_allowed", "webhooks are sent by POST", {
  allow: "POST"
})

/** Reports to the operators; an error in their callback cannot change the response. */
const report = (options: ErrorOptions, error: unknown): void => {
  try {
    const { onError = (cause) => console.error("A webhook was received and not handled:", cause) } = options
    onError(error)
  } catch {
    // There is nobody left to tell.
  }
}

const failed = (options: ErrorOptions, error: unknown): Answer => {
  report(options, error)
  return problem(500, "handler_failed", "the receiver could not take the event")
}

const eaten =
  "a body parser has read the request before, and the raw bytes are gone: put the receiver before it, or give this route a parser that keeps bytes"

/** The answer to a request, after the handler has taken its event. Never rejects. */
export const answer = async <Own extends OwnResources>(
  options: ReceiverOptions<Own>,
  read: ReadResult,
  header: (name: string) => string | null | undefined
): Promise<Answer> => {
  if (read === "too_large") return problem(413, "too_large", `the body has more than ${bodyBytesMax(options)} bytes`)
  if (read === "broken_off") return problem(400, "broken_off", "the request ended before its body did")
  if (read === "already_read") {
    // A 500, so that the event is sent again after the repair, and not lost.
    report(options, new Error(eaten))
    return problem(500, "body_already_read", eaten)
  }
  const { brand = "Service", handler, secret } = options
  try {
    const result = await verify<Own>(read.bytes, header(`${brand}-signature`.toLowerCase()), secret, options)
    if (!result.valid) return problem(400, result.reason, result.hint)
    const deliveryId = header(`${brand}-delivery-id`.toLowerCase()) ?? null
    await handler({ event: result.event, eventId: result.event.id, deliveryId })
    return { status: 204, headers: {}, body: null }
  } catch (error) {
    return failed(options, error)
  }
}
