/**
 * The error envelope (service-api 7.2) and the one table that gives every domain error its status, type and code. A new
 * error does not compile until it has a row.
 */
import type { DomainError } from "@limbeck/core/errors/Errors"
import type { GatewayError } from "@limbeck/gateway/Errors"
import * as Schema from "effect/Schema"

export const ErrorEnvelope = Schema.Struct({
  error: Schema.Struct({
    type: Schema.String,
    code: Schema.String,
    message: Schema.String,
    param: Schema.NullOr(Schema.String),
    request_id: Schema.String,
    retry_after_seconds: Schema.optionalKey(Schema.Finite)
  })
}).annotate({ identifier: "Error" })
export type ErrorEnvelope = typeof ErrorEnvelope.Type

/** Whatever a handler may fail with. */
export type ContractError = DomainError | GatewayError

export interface ErrorRow {
  readonly status: number
  readonly type: string
  readonly code: string
}

const same = (status: number, name: string): ErrorRow => ({ status, type: name, code: name })

export const errorTable: { readonly [Tag in ContractError["_tag"]]: ErrorRow } = {
  InvalidInput: same(400, "invalid_request_error"),
  TooLarge: same(413, "invalid_request_error"),
  Unauthenticated: same(401, "authentication_error"),
  PermissionDenied: same(403, "permission_error"),
  NotFound: same(404, "not_found_error"),
  Gone: { status: 410, type: "not_found_error", code: "gone" },
  Conflict: same(409, "conflict_error"),
  IdempotencyKeyInFlight: { status: 409, type: "conflict_error", code: "idempotency_key_in_flight" },
  IdempotencyKeyReused: { status: 409, type: "conflict_error", code: "idempotency_key_reused" },
  RateLimited: same(429, "rate_limit_error"),
  StorageError: same(503, "api_error"),
  TeacherModelUnknown: { status: 400, type: "invalid_request_error", code: "teacher_model_unknown" },
  /** Of a model that did not answer at all; else its own status. */
  TeacherUnavailable: { status: 502, type: "api_error", code: "teacher_unavailable" },
  CatalogUnavailable: { status: 503, type: "api_error", code: "catalog_unavailable" },
  UpstreamUnreachable: same(502, "api_error"),
  UpstreamTimeout: same(504, "api_error")
}

export const statusOf = (error: ContractError): number =>
  error._tag === "TeacherUnavailable" ? error.status : errorTable[error._tag].status

/** What a defect looks like from outside. */
export const defectRow: ErrorRow = same(500, "api_error")

/** The sentences of the errors that carry none. */
const fixedMessages: { readonly [tag: string]: string } = {
  Unauthenticated: "A valid API token is required: Authorization: Bearer <API_TOKEN>",
  IdempotencyKeyInFlight: "The first request with this Idempotency-Key is still being processed",
  IdempotencyKeyReused: "This Idempotency-Key was used with another request",
  RateLimited: "Too many requests",
  StorageError: "Storage did not answer; the outcome of a write is unknown, retry with the same Idempotency-Key"
}

export const render = (error: ContractError, requestId: string): ErrorEnvelope => {
  const { code, type } = errorTable[error._tag]
  return {
    error: {
      type,
      code,
      message: fixedMessages[error._tag] ?? error.message,
      param: "param" in error ? (error.param ?? null) : null,
      request_id: requestId,
      ...("retryAfterSeconds" in error ? { retry_after_seconds: error.retryAfterSeconds } : {})
    }
  }
}
