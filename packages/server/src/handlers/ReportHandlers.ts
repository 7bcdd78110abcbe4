/** The report routes. */
import { notFound } from "@limbeck/core/errors/Errors"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Report from "@limbeck/distill/report/Report"
import * as ReportResource from "@limbeck/distill/report/ReportResource"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Lists from "../http/Lists.ts"
import { type Handlers, handlersOf } from "../http/Routes.ts"

export const make: Effect.Effect<Handlers<"reports">, never, ResourceStore> = Effect.map(ResourceStore, (store) =>
  handlersOf("reports")({
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
      )
  })
)
