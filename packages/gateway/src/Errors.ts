/** What may go wrong between a caller and a model, one class per fact. Their HTTP status is given in `api`. */
import * as Schema from "effect/Schema"

/** A managed source does not have this model; nothing was asked of it. */
export class TeacherModelUnknown extends Schema.TaggedError<TeacherModelUnknown>()("TeacherModelUnknown", {
  message: Schema.String,
  param: Schema.NullOr(Schema.String)
}) {}

/** A managed model failed. `status`: its own; where it did not answer, the one that says so. */
export class TeacherUnavailable extends Schema.TaggedError<TeacherUnavailable>()("TeacherUnavailable", {
  message: Schema.String,
  status: Schema.Int,
  /** When it said how long to wait. */
  retryAfterSeconds: Schema.optionalKey(Schema.Finite)
}) {}

/** What models a managed source has cannot be read now, and was not read before. */
export class CatalogUnavailable extends Schema.TaggedError<CatalogUnavailable>()("CatalogUnavailable", {
  message: Schema.String
}) {}

/** The upstream cannot be reached, or speaks no HTTP. */
export class UpstreamUnreachable extends Schema.TaggedError<UpstreamUnreachable>()("UpstreamUnreachable", {
  message: Schema.String
}) {}

/** The upstream did not answer within the source's limit. */
export class UpstreamTimeout extends Schema.TaggedError<UpstreamTimeout>()("UpstreamTimeout", {
  message: Schema.String
}) {}

export type GatewayError =
  | TeacherModelUnknown
  | TeacherUnavailable
  | CatalogUnavailable
  | UpstreamUnreachable
  | UpstreamTimeout
