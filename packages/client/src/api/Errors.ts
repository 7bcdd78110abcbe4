/** What a request may end with: a refusal by the API, by its type, or no answer at all. */

/** The `error` of an envelope (service-api 7). */
export interface ErrorBody {
  readonly type: string
  readonly code: string
  readonly message: string
  readonly param?: string | null
  readonly request_id?: string
  readonly retry_after_seconds?: number
}

/** The API refused the request. Branch on `code`, never on the message. */
export class ApiError extends Error {
  override readonly name: string = "ApiError"
  readonly status: number
  readonly type: string
  readonly code: string
  /** The invalid field of the request, if any. */
  readonly param: string | null
  /** Include this id in reports to the server's operators. */
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null

  constructor(status: number, body: ErrorBody, requestId: string | null) {
    super(body.message)
    this.status = status
    this.type = body.type
    this.code = body.code
    this.param = body.param ?? null
    this.requestId = body.request_id ?? requestId
    this.retryAfterSeconds = body.retry_after_seconds ?? null
  }
}

/** 400, 408 and 413: the request has to change. */
export class InvalidRequestError extends ApiError {
  override readonly name = "InvalidRequestError"
}

/** 401: a missing, revoked or expired token. */
export class AuthenticationError extends ApiError {
  override readonly name = "AuthenticationError"
}

/** 403: the token lacks a scope, or the operation is for people alone. */
export class PermissionError extends ApiError {
  override readonly name = "PermissionError"
}

/** 402: the balance does not cover it. */
export class QuotaError extends ApiError {
  override readonly name = "QuotaError"
}

/** 404: unknown resource in this workspace and mode. */
export class NotFoundError extends ApiError {
  override readonly name = "NotFoundError"
}

/** 409: the resource is not in a state for this, or a key was used before. */
export class ConflictError extends ApiError {
  override readonly name = "ConflictError"
}

/** 410: it was here once. */
export class GoneError extends ApiError {
  override readonly name = "GoneError"
}

/** 429, after all retries. */
export class RateLimitError extends ApiError {
  override readonly name = "RateLimitError"
}

/** 5xx, after all retries: of a write without a key the outcome is unknown. */
export class ServerError extends ApiError {
  override readonly name = "ServerError"
}

/** No answer came, after all retries: of a write without a key the outcome is unknown. The message names URL and cause. */
export class ConnectionError extends Error {
  override readonly name: string = "ConnectionError"
}

/** No answer came in time. */
export class TimeoutError extends ConnectionError {
  override readonly name = "TimeoutError"
}

/** A wait is over, and the resource has not ended: it goes on. Wait for it again by its id. */
export class WaitTimeoutError<A> extends Error {
  override readonly name = "WaitTimeoutError"
  /** As it was last seen. */
  readonly last: A

  constructor(last: A) {
    super("The wait is over before the resource has ended; it goes on, and can be waited for again")
    this.last = last
  }
}

const classes: Readonly<Record<number, typeof ApiError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  402: QuotaError,
  403: PermissionError,
  404: NotFoundError,
  408: InvalidRequestError,
  409: ConflictError,
  410: GoneError,
  413: InvalidRequestError,
  429: RateLimitError
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The envelope's error; a made-up one for a proxy's response. */
const bodyOf = (status: number, text: string): ErrorBody => {
  try {
    const envelope: unknown = JSON.parse(text)
    const error = isObject(envelope) ? envelope["error"] : undefined
    // The service's own envelope, by its contract.
    if (isObject(error) && typeof error["code"] === "string") return error as unknown as ErrorBody
  } catch {
    // Without JSON, so not from the service.
  }
  return { type: "unknown", code: "unknown", message: `HTTP ${status}: ${text.slice(0, 200)}` }
}

export const errorOf = (status: number, text: string, requestId: string | null): ApiError => {
  const Class = classes[status] ?? (status >= 500 ? ServerError : ApiError)
  return new Class(status, bodyOf(status, text), requestId)
}
