/**
 * A shared link of a report. A share records the report of a token and never changes; the report's link names the valid
 * share. So each report has one valid link, and an expired token differs from an unknown one.
 */
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { ReportId } from "../../run/Run.ts"

const ShareId = Id.schema("shr")

export const Share = Schema.Struct({
  id: ShareId,
  report: ReportId,
  /** Lowercase hex SHA-256 of the token. */
  digest: Schema.String,
  expiresAt: Millis,
  createdAt: Millis
})
export type Share = typeof Share.Type

export const kind = Kind.make({ name: "distill_report_share", schema: Share, unique: ({ digest }) => digest })

const Link = Schema.Struct({
  /** The report's id. */
  id: ReportId,
  share: ShareId,
  createdAt: Millis
})

export const linkKind = Kind.make({ name: "distill_report_link", noun: "link of report", schema: Link })
