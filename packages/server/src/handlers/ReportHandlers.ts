/** The report routes. */
import { notFound } from "@limbeck/core/errors/Errors"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { toIso } from "@limbeck/core/time/Timestamp"
import { Limits } from "@limbeck/distill/Limits"
import * as Report from "@limbeck/distill/report/Report"
import * as ReportResource from "@limbeck/distill/report/ReportResource"
import { Shares } from "@limbeck/distill/report/Shares"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Lists from "../http/Lists.ts"
import { type Handlers, handlersOf } from "../http/Routes.ts"
import { ServerSettings } from "../Settings.ts"

export const make: Effect.Effect<Handlers<"reports">, never, ResourceStore | Shares> = Effect.gen(function* () {
  const store = yield* ResourceStore
  const shares = yield* Shares
  const { publicUrl } = yield* ServerSettings

  return handlersOf("reports")({
    list: ({ caller: { partition }, query }) =>
      Lists.page(
        { partition, list: "reports", query },
        (request) => store.page(partition, Report.kind, [], request),
        (items) => items.map((report) => ReportResource.render(partition, report))
      ),
    get: ({ caller: { partition }, params }) =>
      Effect.flatMap(
        store.find(partition, Report.kind, params.report_id),
        Option.match({
          onNone: () => Effect.fail(notFound("report", params.report_id)),
          onSome: ({ value }) => Effect.succeed(ReportResource.render(partition, value))
        })
      ),
    share: ({ caller: { partition }, params, payload }) =>
      Effect.map(
        shares.share(partition, params.report_id, payload.expires_in_seconds ?? Limits.shareSecondsDefault),
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
