/** What may go wrong, said in the domain's words: one class per fact. Their HTTP status is given in `api`, nowhere else. */
import * as Schema from "effect/Schema"

/** A value that breaks a rule. `param` is the path of the first such field, e.g. `recipe.stages[1].config.epochs`. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  message: Schema.String,
  param: Schema.NullOr(Schema.String)
}) {}

/** More bytes than the limit that the message names. */
export class TooLarge extends Schema.TaggedError<TooLarge>()("TooLarge", { message: Schema.String }) {}

/** No token, or one that is malformed, unknown, expired, disabled or replaced: the caller is not told which. */
export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()("Unauthenticated", {}) {}

/** A valid token that may not do this. */
export class PermissionDenied extends Schema.TaggedError<PermissionDenied>()("PermissionDenied", {
  message: Schema.String,
  param: Schema.NullOr(Schema.String)
}) {}

/** No such thing in the caller's partition; whether it is elsewhere cannot be told. `param`: the field that names it. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  message: Schema.String,
  param: Schema.optionalKey(Schema.String)
}) {}

/** It was there, and is no more. */
export class Gone extends Schema.TaggedError<Gone>()("Gone", { message: Schema.String }) {}

/** The state of a resource does not allow this. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", {
  message: Schema.String,
  param: Schema.NullOr(Schema.String)
}) {}

export class IdempotencyKeyInFlight extends Schema.TaggedError<IdempotencyKeyInFlight>()(
  "IdempotencyKeyInFlight",
  {}
) {}

export class IdempotencyKeyReused extends Schema.TaggedError<IdempotencyKeyReused>()("IdempotencyKeyReused", {}) {}

export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  retryAfterSeconds: Schema.Finite
}) {}

/** Storage did not answer, or answered with a failure that is not the caller's fault. The outcome of a write is unknown. */
export class StorageError extends Schema.TaggedError<StorageError>()("StorageError", {
  operation: Schema.String,
  cause: Schema.Defect()
}) {
  /** For logs and hosts; callers of the API are told a fixed sentence. */
  override get message(): string {
    const why = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `Storage failed in ${this.operation}: ${why}`
  }
}

/** What a caller may be told. */
export type DomainError =
  | InvalidInput
  | TooLarge
  | Unauthenticated
  | PermissionDenied
  | NotFound
  | Gone
  | Conflict
  | IdempotencyKeyInFlight
  | IdempotencyKeyReused
  | RateLimited
  | StorageError

/** Said alike for unknown ids and for those of another partition. `param`: where it is a field that names it, not the path. */
export const notFound = (what: string, id: string, param?: string) =>
  new NotFound({ message: `No such ${what}: ${id}`, ...(param === undefined ? {} : { param }) })

export const invalid = (param: string | null, message: string) => new InvalidInput({ message, param })

export const conflict = (message: string, param: string | null = null) => new Conflict({ message, param })
