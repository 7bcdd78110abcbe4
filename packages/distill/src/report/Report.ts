/** A report: what a run found out; ready from the moment its run succeeds (contract 5, 14.24). */
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { ReportId, RunId } from "../run/Run.ts"

export const RewardScore = Schema.Struct({
  id: Schema.String,
  kind: Schema.String,
  /** Mean score in 0…1 on the holdout; null where nothing was scored, as in a rehearsal. */
  student: Schema.NullOr(Schema.Finite),
  teacher: Schema.NullOr(Schema.Finite),
  interval: Schema.NullOr(Schema.Struct({ low: Schema.Finite, high: Schema.Finite, method: Schema.String }))
})

export const Report = Schema.Struct({
  id: ReportId,
  run: RunId,
  dryRun: Schema.Boolean,
  /** One paragraph for a person. */
  summary: Schema.String,
  rewards: Schema.Array(RewardScore),
  provenance: Schema.Struct({
    datasetVersion: Schema.String,
    contentSha256: Schema.NullOr(Schema.String),
    planHash: Schema.String,
    recipe: Schema.JsonObject,
    executor: Schema.String
  }),
  createdAt: Millis
})
export type Report = typeof Report.Type

export const kind = Kind.make({
  name: "distill_report",
  schema: Report,
  labels: (report) => [`run:${report.run}`]
})
