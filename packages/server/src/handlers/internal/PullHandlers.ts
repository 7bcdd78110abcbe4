/** The pull routes that read (contract 4, 6). */
import { PullsApi } from "@limbeck/api/ConnectorsApi"
import * as PullResource from "@limbeck/distill/pull/PullResource"
import { Pulls } from "@limbeck/distill/pull/Pulls"
import * as Effect from "effect/Effect"
import * as Lists from "../../http/internal/Lists.ts"
import { handlersOf } from "../../http/internal/Routes.ts"

export const make = Effect.map(Pulls, (pulls) =>
  handlersOf(PullsApi)({
    list: ({ caller: { partition }, query }) => {
      const { connector, status } = query
      return Lists.page(
        { partition, list: "pulls", query, filters: { connector, status } },
        (request) => pulls.page(partition, { connector: connector ?? null, status: status ?? null }, request),
        (items) => items.map((item) => PullResource.render(partition, item))
      )
    },
    get: ({ caller: { partition }, params }) =>
      Effect.map(pulls.get(partition, params.pull_id), (pull) => PullResource.render(partition, pull))
  })
)
