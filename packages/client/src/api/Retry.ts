/** Which requests are retried, and when (service-api 7.4). Pure. */
import { ApiError, ConnectionError } from "./Errors.ts"

/** What decides whether a second request could do something twice. */
export interface Repeatable {
  readonly method: string
  /** The key under which the server executes a write once. */
  readonly idempotencyKey: string | undefined
}

const [firstMillis, mostMillis] = [500, 8_000]
/** A longer wait is left to the caller, who knows whether the request is worth it. */
const retryAfterMillisMax = 60_000

const reads = new Set(["GET", "HEAD"])

/** Whether the request may have done its work, and would not do it again. */
const isSafe = ({ idempotencyKey, method }: Repeatable): boolean => reads.has(method) || idempotencyKey !== undefined

const isPassing = (request: Repeatable, error: unknown): boolean => {
  if (error instanceof ConnectionError) return isSafe(request)
  if (!(error instanceof ApiError)) return false
  // Neither was executed.
  if (error.status === 429 || error.code === "idempotency_key_in_flight") return true
  return error.status >= 500 && isSafe(request)
}

/**
 * How long to wait before the request is sent again, in milliseconds; undefined: it is not. `attempts` were made. `random`: a
 * number in [0, 1).
 */
export const delayMillis = (
  request: Repeatable,
  error: unknown,
  attempts: number,
  random: number
): number | undefined => {
  if (!isPassing(request, error)) return undefined
  const asked = error instanceof ApiError ? error.retryAfterSeconds : null
  if (asked !== null && asked * 1000 > retryAfterMillisMax) return undefined
  const backoff = Math.min(mostMillis, firstMillis * 2 ** (attempts - 1)) * (0.5 + random / 2)
  return asked === null ? backoff : Math.max(asked * 1000, backoff / 8)
}
