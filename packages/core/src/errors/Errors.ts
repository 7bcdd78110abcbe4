/**
 * Failures in the domain's words: one class per fact, with the facts as fields. The table in `api` (`ErrorTable`) alone
 * gives each its HTTP status, code, message and `param`.
 */

import { format } from "effect/Formatter"
import * as Schema from "effect/Schema"
import { Fact } from "./Fact.ts"

/** A value that breaks a rule. `param` is the path of the first such field, e.g. `recipe.stages[1].config.epochs`. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  message: Schema.String,
  param: Schema.NullOr(Schema.String)
}) {}

/** More bytes than the limit of a request's body, of an upload or of a pull. */
export class TooLarge extends Fact<TooLarge>()("TooLarge", {
  content: Schema.Literals(["body", "unpacked body", "upload", "pull"]),
  bytesMax: Schema.Int,
  field: Schema.optionalKey(Schema.String)
}) {}

/** A request body with an unsupported packing. `readable`: the supported codings; empty if only plain bodies are read. */
export class CodingUnsupported extends Fact<CodingUnsupported>()("CodingUnsupported", {
  coding: Schema.String,
  readable: Schema.Array(Schema.String)
}) {}

/** The rest of a request's body arrived too late: no bytes for this many seconds, or not all bytes in time. */
export class RequestTimeout extends Fact<RequestTimeout>()("RequestTimeout", {
  fault: Schema.Literals(["idle", "incomplete"]),
  seconds: Schema.Finite
}) {}

/** The server has no capacity for another request: its connections or its buffered bytes have reached their bound. */
export class Overloaded extends Fact<Overloaded>()("Overloaded", {
  full: Schema.Literals(["connections", "bytes"]),
  retryAfterSeconds: Schema.Finite
}) {}

/**
 * No valid token or session. The error hides whether the credential is malformed, unknown, expired, disabled or
 * replaced.
 */
export class Unauthenticated extends Fact<Unauthenticated>()("Unauthenticated", {}) {}

/** An invalid sign-in link. The error hides whether the link is wrong, used or expired, or its person removed. */
export class SignInRefused extends Fact<SignInRefused>()("SignInRefused", {}) {}

/** A valid token, or a person who is signed in, that may not do this. */
export class PermissionDenied extends Schema.TaggedError<PermissionDenied>()("PermissionDenied", {
  message: Schema.String,
  param: Schema.NullOr(Schema.String)
}) {}

/** The caller's partition has no such resource. The error hides whether another partition has it. */
export class NotFound extends Fact<NotFound>()("NotFound", {
  /** The noun of the resource: `dataset version`. */
  resource: Schema.String,
  id: Schema.String,
  /** The request field with the id; absent if the id is in the path. */
  field: Schema.optionalKey(Schema.String)
}) {}

/**
 * The kinds whose id or name in a body is a value of a setting: an unknown one is a 400 with its `param` (contract 5 and 16.46).
 * An unknown id of any other kind is a 404, in a body as in a path: see `NotFound.field`.
 */
const settingKinds = ["source", "reward"] as const

/** A body names a source or a reward that the partition does not have. */
export class ReferenceUnknown extends Fact<ReferenceUnknown>()("ReferenceUnknown", {
  resource: Schema.Literals(settingKinds),
  id: Schema.String,
  field: Schema.String
}) {}

/** Concurrent writers of this resource always won. */
export class ChangedMeanwhile extends Fact<ChangedMeanwhile>()("ChangedMeanwhile", {
  resource: Schema.String,
  id: Schema.String
}) {}

/** The invited address already has a role in the workspace. */
export class AlreadyMember extends Fact<AlreadyMember>()("AlreadyMember", { id: Schema.String }) {}

/** An expired or disabled token cannot be replaced. */
export class TokenNotActive extends Fact<TokenNotActive>()("TokenNotActive", { id: Schema.String }) {}

export class IdempotencyKeyInFlight extends Fact<IdempotencyKeyInFlight>()("IdempotencyKeyInFlight", {}) {}

export class IdempotencyKeyReused extends Fact<IdempotencyKeyReused>()("IdempotencyKeyReused", {}) {}

export class RateLimited extends Fact<RateLimited>()("RateLimited", {
  retryAfterSeconds: Schema.Finite
}) {}

/** Storage did not respond, or failed without a fault of the caller. The outcome of a write is unknown. */
export class StorageError extends Schema.TaggedError<StorageError>()("StorageError", {
  operation: Schema.String,
  cause: Schema.Defect()
}) {
  /** For logs and hosts; API callers get a fixed sentence. */
  override get message(): string {
    const why = this.cause instanceof Error ? this.cause.message : format(this.cause)
    return `Storage failed in ${this.operation}: ${why}`
  }
}

/** Errors that the API shows to callers. */
export type DomainError =
  | InvalidInput
  | TooLarge
  | CodingUnsupported
  | RequestTimeout
  | Overloaded
  | Unauthenticated
  | SignInRefused
  | PermissionDenied
  | NotFound
  | ReferenceUnknown
  | ChangedMeanwhile
  | AlreadyMember
  | TokenNotActive
  | IdempotencyKeyInFlight
  | IdempotencyKeyReused
  | RateLimited
  | StorageError

/** The same for unknown ids and for those of another partition. */
export const notFound = (resource: string, id: string, field?: string) =>
  new NotFound({ resource, id, ...(field === undefined ? {} : { field }) })

export const referenceUnknown = (resource: ReferenceUnknown["resource"], id: string, field: string) =>
  new ReferenceUnknown({ resource, id, field })

export const invalid = (param: string | null, message: string) => new InvalidInput({ message, param })

/** Requests take about a second, so an earlier retry is useless. */
export const makeOverloaded = (full: Overloaded["full"]) => new Overloaded({ full, retryAfterSeconds: 1 })
