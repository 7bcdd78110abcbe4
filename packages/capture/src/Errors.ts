/** What may go wrong between a caller and a model, one class per fact. Status, message and `param` of each are rows of `api`'s table. */
import * as Schema from "effect/Schema"

/** Names of sources are unique in a partition. */
export class SourceNameTaken extends Schema.TaggedError<SourceNameTaken>()("SourceNameTaken", {
  name: Schema.String
}) {}

/** A call names no source, and there is no default one. `field`: where it would be named. */
export class NoDefaultSource extends Schema.TaggedError<NoDefaultSource>()("NoDefaultSource", {
  field: Schema.String
}) {}

/** A managed source does not have this model; nothing was asked of it. */
export class TeacherModelUnknown extends Schema.TaggedError<TeacherModelUnknown>()("TeacherModelUnknown", {
  message: Schema.String,
  param: Schema.NullOr(Schema.String)
}) {}

/** A managed model refused the call, or failed. */
export class TeacherRefused extends Schema.TaggedError<TeacherRefused>()("TeacherRefused", {
  source: Schema.String,
  /** What the model's server answered. */
  upstreamStatus: Schema.Int,
  /** When it said how long to wait. */
  retryAfterSeconds: Schema.optionalKey(Schema.Finite)
}) {}

/** A managed source cannot be reached, or speaks no HTTP. */
export class TeacherUnreachable extends Schema.TaggedError<TeacherUnreachable>()("TeacherUnreachable", {
  source: Schema.String,
  reason: Schema.String
}) {}

/** A managed source did not answer within its limit. */
export class TeacherTimeout extends Schema.TaggedError<TeacherTimeout>()("TeacherTimeout", { source: Schema.String }) {}

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

/** A call that would come back to this service through a source (contract 15.10). */
export class ProxyLoop extends Schema.TaggedError<ProxyLoop>()("ProxyLoop", {
  message: Schema.String
}) {}

/** What may go wrong with one call. */
export type GatewayError =
  | TeacherModelUnknown
  | TeacherRefused
  | TeacherUnreachable
  | TeacherTimeout
  | CatalogUnavailable
  | UpstreamUnreachable
  | UpstreamTimeout
  | ProxyLoop

export type CaptureError = SourceNameTaken | NoDefaultSource | GatewayError
