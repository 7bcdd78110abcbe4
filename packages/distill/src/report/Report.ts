/** A report: what a run found out; ready from the moment its run succeeds (contract 5, 14.24). */
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { Race } from "../race/Race.ts"
import { ReportId, Run, RunId, StudentModelId } from "../run/Run.ts"
import { DecisionEvaluation } from "./DecisionEvaluation.ts"
import { Evaluation } from "./Evaluation.ts"
import { MeasuredCurve } from "./LearningCurve.ts"
import { Unlike } from "./Unlike.ts"

export const Report = Schema.Struct({
  id: ReportId,
  run: RunId,
  dryRun: Schema.Boolean,
  /** One paragraph for a person. */
  summary: Schema.String,
  /** Null without an evaluation, as in a rehearsal. */
  evaluation: Schema.NullOr(Evaluation),
  /** Of a student of decisions; absent otherwise. */
  decisions: Schema.optionalKey(DecisionEvaluation),
  /** Of a builtin training; absent otherwise. */
  unlike: Schema.optionalKey(Unlike),
  /** Present for builtin trainings with held-back rows. */
  learningCurve: Schema.optionalKey(MeasuredCurve),
  /** Absent without candidates. */
  race: Schema.optionalKey(Race),
  studentModel: Schema.NullOr(StudentModelId),
  totals: Run.fields.totals,
  /** The estimate of the live run before its start. */
  estimate: Run.fields.estimate,
  provenance: Schema.Struct({
    datasetVersion: Schema.String,
    contentSha256: Schema.NullOr(Schema.String),
    planHash: Schema.String,
    recipe: Schema.JsonObject,
    executor: Schema.String,
    /** Digest of the published artifact. */
    artifactSha256: Schema.NullOr(Schema.String)
  }),
  createdAt: Millis
})
export type Report = typeof Report.Type

export const kind = Kind.make({
  name: "distill_report",
  noun: "report",
  schema: Report,
  labels: (report) => [`run:${report.run}`]
})
