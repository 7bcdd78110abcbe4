/**
 * The sharing of a report by a link. A share is what a token was made for, and never changes; the report's link says which
 * share is alive. So there is one link at a time, and a token that was good once is told from one that never was.
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
