/** The report routes. */
import { ReportsApi } from "@limbeck/api/ReportsApi"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import { toIso } from "@limbeck/core/time/Timestamp"
import { DistillLimits } from "@limbeck/distill/Limits"
import * as Report from "@limbeck/distill/report/Report"
import * as ReportResource from "@limbeck/distill/report/ReportResource"
import { Shares } from "@limbeck/distill/report/Shares"
import * as Effect from "effect/Effect"
import * as Lists from "../../http/internal/Lists.ts"
import { type Handlers, handlersOf } from "../../http/internal/Routes.ts"
import { ServerSettings } from "../../Settings.ts"

export const make: Effect.Effect<Handlers<typeof ReportsApi>, never, ResourceStore | Shares> = Effect.gen(function* () {
  const store = yield* ResourceStore
  const shares = yield* Shares
  const { publicUrl } = yield* ServerSettings

  return handlersOf(ReportsApi)({
    list: ({ caller: { partition }, query }) =>
      Lists.page(
        { partition, list: "reports", query },
        (request) => store.page(partition, Report.kind, [], request),
        (items) => items.map((report) => ReportResource.render(partition, report))
      ),
    get: ({ caller: { partition }, params }) =>
      Effect.map(Resources.requireValue(store, partition, Report.kind, params.report_id), (found) =>
        ReportResource.render(partition, found)
      ),
    share: ({ caller: { partition }, params, payload }) =>
      Effect.map(
        shares.share(partition, params.report_id, payload.expires_in_seconds ?? DistillLimits.shareSecondsDefault),
        ({ expiresAt, token }) => ({
          url: `${publicUrl}/v1/shared/reports/${token}`,
          token,
          expires_at: toIso(expiresAt)
        })
      ),
    unshare: ({ caller: { partition }, params: { report_id: id } }) =>
      Effect.as(shares.revoke(partition, id), {
        id,
        object: "distill_report_share" as const,
        deleted: true as const
      })
  })
})
