/**
 * Failures between a caller and a model, one class per fact. The table of `api` gives each its status, message and `param`.
 */
import { Fact } from "@limbeck/core/errors/Fact"
import * as Schema from "effect/Schema"

/** Source names are unique per partition. */
export class SourceNameTaken extends Fact<SourceNameTaken>()("SourceNameTaken", {
  name: Schema.String
}) {}

/** Another source names this one as its fallback. */
export class SourceIsFallback extends Fact<SourceIsFallback>()("SourceIsFallback", {
  id: Schema.String,
  /** Its name. */
  source: Schema.String
}) {}

/** A call names no source, and there is no default one. `field`: where it would be named. */
export class NoDefaultSource extends Fact<NoDefaultSource>()("NoDefaultSource", {
  field: Schema.String
}) {}

/** A managed source does not have this model; nothing was asked of it. */
export class TeacherModelUnknown extends Fact<TeacherModelUnknown>()("TeacherModelUnknown", {
  source: Schema.String,
  /** Null: the body names none. */
  model: Schema.NullOr(Schema.String)
}) {}

/** A managed model refused the call, or failed. */
export class TeacherRefused extends Fact<TeacherRefused>()("TeacherRefused", {
  source: Schema.String,
  /** What the model's server answered. */
  upstreamStatus: Schema.Int,
  /** When it said how long to wait. */
  retryAfterSeconds: Schema.optionalKey(Schema.Finite)
}) {}

/** A managed source cannot be reached, or speaks no HTTP. */
export class TeacherUnreachable extends Fact<TeacherUnreachable>()("TeacherUnreachable", {
  source: Schema.String,
  reason: Schema.String
}) {}

/** A managed source did not answer within its limit. */
export class TeacherTimeout extends Fact<TeacherTimeout>()("TeacherTimeout", { source: Schema.String }) {}

/** What models a managed source has cannot be read now, and was not read before. */
export class CatalogUnavailable extends Fact<CatalogUnavailable>()("CatalogUnavailable", {
  source: Schema.String
}) {}

/** Who was asked: a source by its name, or the student of a deployment by its model. */
const upstream = { kind: Schema.Literals(["source", "student"]), name: Schema.String }

/** The upstream cannot be reached, or gives no answer that a client could be given. `reason` ends a sentence that begins with its name. */
export class UpstreamUnreachable extends Fact<UpstreamUnreachable>()("UpstreamUnreachable", {
  ...upstream,
  reason: Schema.String
}) {}

/** The upstream did not answer within its limit. */
export class UpstreamTimeout extends Fact<UpstreamTimeout>()("UpstreamTimeout", upstream) {}

/** A call that would come back to this service through a source (contract 15.10). */
export class ProxyLoop extends Fact<ProxyLoop>()("ProxyLoop", {
  /** `came_back`: the call leads back to this service; `too_many`: the call passed through more proxies than allowed. */
  fault: Schema.Literals(["came_back", "too_many"]),
  proxies: Schema.Int
}) {}

/** A request for decisions that no upstream can answer. It is captured and not sent. */
export class DecisionRefused extends Fact<DecisionRefused>()("DecisionRefused", {
  /** `questions`: `questions` is neither a list nor a map; `stream`: the request asks for a stream. */
  fault: Schema.Literals(["questions", "stream"])
}) {}

/** What may go wrong with one call. */
export type GatewayError =
  | DecisionRefused
  | TeacherModelUnknown
  | TeacherRefused
  | TeacherUnreachable
  | TeacherTimeout
  | CatalogUnavailable
  | UpstreamUnreachable
  | UpstreamTimeout
  | ProxyLoop

export type CaptureError = SourceNameTaken | SourceIsFallback | NoDefaultSource | GatewayError
