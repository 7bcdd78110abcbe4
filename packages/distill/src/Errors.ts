/** Refusals of this package, one class per fact. The table of `api` gives each its status, message and `param`. */
import { Fact } from "@limbeck/core/errors/Fact"
import * as Schema from "effect/Schema"

/** The content of an upload or pull is incomplete. `field` is the request field with its id. */
export class ContentNotReady extends Fact<ContentNotReady>()("ContentNotReady", {
  resource: Schema.Literals(["upload", "pull"]),
  id: Schema.String,
  status: Schema.String,
  field: Schema.String
}) {}

/** The content of an upload or pull was removed by retention. */
export class ContentRemoved extends Fact<ContentRemoved>()("ContentRemoved", {
  resource: Schema.Literals(["upload", "pull"]),
  id: Schema.String,
  field: Schema.String
}) {}

/** `field`: the request field with the version's id; absent if the path names the version. */
export class VersionNotReady extends Fact<VersionNotReady>()("VersionNotReady", {
  id: Schema.String,
  status: Schema.String,
  field: Schema.optionalKey(Schema.String)
}) {}

/** The rows of the version were not examined: no training of the builtin student has judged them. */
export class SuspectsUnknown extends Fact<SuspectsUnknown>()("SuspectsUnknown", { id: Schema.String }) {}

/** A version without rows: nothing can be learnt from it. */
export class VersionEmpty extends Fact<VersionEmpty>()("VersionEmpty", { id: Schema.String }) {}

/** Reasons why a recipe or a run cannot use a dataset version. */
export type VersionUnusable = VersionNotReady | VersionEmpty

/** No student of the catalog fits the rows of the version. */
export class NoStudentFits extends Fact<NoStudentFits>()("NoStudentFits", {
  datasetVersion: Schema.String
}) {}

/** No executor of this server trains this student. */
export class NoExecutor extends Fact<NoExecutor>()("NoExecutor", {
  studentModel: Schema.String,
  reason: Schema.String
}) {}

/** The run named by a live run is no rehearsal of it. */
export class RehearsalUnusable extends Fact<RehearsalUnusable>()("RehearsalUnusable", {
  id: Schema.String,
  fault: Schema.Literals(["not_a_dry_run", "not_succeeded", "another_plan", "another_version"]),
  status: Schema.String
}) {}

/** The approved hash differs from that of the run. */
export class PlanHashMismatch extends Fact<PlanHashMismatch>()("PlanHashMismatch", {
  approved: Schema.NullOr(Schema.String),
  actual: Schema.String
}) {}

/** A run that has ended cannot be canceled. */
export class RunEnded extends Fact<RunEnded>()("RunEnded", {
  id: Schema.String,
  status: Schema.String
}) {}

/** Only a failed or canceled run is retried. */
export class RunNotRetryable extends Fact<RunNotRetryable>()("RunNotRetryable", {
  id: Schema.String,
  status: Schema.String
}) {}

/** A retry cannot be had for what the run has spent already. Both in millionths of a US dollar. */
export class BudgetTooSmall extends Fact<BudgetTooSmall>()("BudgetTooSmall", {
  spentMicros: Schema.Int,
  askedMicros: Schema.Int
}) {}

/** The stage at which a retry is to begin cannot be its first. */
export class StageNotRetryable extends Fact<StageNotRetryable>()("StageNotRetryable", {
  stage: Schema.Int,
  /** The first earlier stage without a result; null: the stage is not part of the run. */
  open: Schema.NullOr(Schema.Int)
}) {}

/** The content of an upload did not come in time. */
export class UploadExpired extends Fact<UploadExpired>()("UploadExpired", { id: Schema.String }) {}

/** An upload takes its content once. */
export class UploadAlreadySent extends Fact<UploadAlreadySent>()("UploadAlreadySent", {
  id: Schema.String,
  status: Schema.String
}) {}

/** A range of the content does not begin at the end of the previous one. */
export class ContentOutOfOrder extends Fact<ContentOutOfOrder>()("ContentOutOfOrder", {
  id: Schema.String,
  nextByte: Schema.Int
}) {}

/** More bytes came than the range says. */
export class RangeExceeded extends Fact<RangeExceeded>()("RangeExceeded", {
  from: Schema.Int,
  to: Schema.Int
}) {}

/** The content came in more parts than an upload may have. */
export class TooManyParts extends Fact<TooManyParts>()("TooManyParts", {
  id: Schema.String,
  partsMax: Schema.Int
}) {}

/** Another request brings the content of this upload. */
export class ContentSuperseded extends Fact<ContentSuperseded>()("ContentSuperseded", {
  id: Schema.String
}) {}

/** What refuses the content of an upload. */
export type ContentRefused =
  | UploadExpired
  | UploadAlreadySent
  | ContentOutOfOrder
  | RangeExceeded
  | TooManyParts
  | ContentSuperseded

/** No report was ever shared by this token. The token is not repeated: errors are logged and shown. */
export class SharedReportUnknown extends Fact<SharedReportUnknown>()("SharedReportUnknown", {}) {}

/** The link was revoked, replaced or has expired. */
export class SharedReportGone extends Fact<SharedReportGone>()("SharedReportGone", {}) {}

/** The report has no link that could be revoked. */
export class ReportNotShared extends Fact<ReportNotShared>()("ReportNotShared", { id: Schema.String }) {}

/** The capability was good for a stage of this run that is not worked on any more, or has expired. */
export class ScoringOver extends Fact<ScoringOver>()("ScoringOver", { run: Schema.String }) {}

/** The budget has not reserved yet what judges may take. */
export class JudgesNotAllowed extends Fact<JudgesNotAllowed>()("JudgesNotAllowed", {
  run: Schema.String,
  retryAfterSeconds: Schema.Int
}) {}

export type DistillError =
  | ContentNotReady
  | ContentRemoved
  | VersionUnusable
  | SuspectsUnknown
  | NoStudentFits
  | NoExecutor
  | RehearsalUnusable
  | PlanHashMismatch
  | RunEnded
  | RunNotRetryable
  | BudgetTooSmall
  | StageNotRetryable
  | ContentRefused
  | SharedReportUnknown
  | SharedReportGone
  | ReportNotShared
  | ScoringOver
  | JudgesNotAllowed
