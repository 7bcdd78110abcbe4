/** The connector routes (contract 4, 6). */
import { ConnectorsApi, configPatches } from "@limbeck/api/ConnectorsApi"
import type { ConfigPatch } from "@limbeck/distill/connector/ConnectorParts"
import * as ConnectorResource from "@limbeck/distill/connector/ConnectorResource"
import { Connectors } from "@limbeck/distill/connector/Connectors"
import * as PullResource from "@limbeck/distill/pull/PullResource"
import { Pulls } from "@limbeck/distill/pull/Pulls"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Decode from "../../http/internal/Decode.ts"
import * as Lists from "../../http/internal/Lists.ts"
import { handlersOf } from "../../http/internal/Routes.ts"

const decodeHttpJsonl = Decode.strict(configPatches.http_jsonl)
const decodeStoredCompletions = Decode.strict(configPatches.openai_stored_completions)

const decodeS3 = Decode.strict(configPatches.s3)

/** The configuration patch of this kind. */
const patchOf = (kind: ConfigPatch["kind"], config: Schema.JsonObject) => {
  switch (kind) {
    case "http_jsonl":
      return Effect.map(decodeHttpJsonl({ config }), (decoded): ConfigPatch => ({ kind, config: decoded.config }))
    case "openai_stored_completions":
      return Effect.map(
        decodeStoredCompletions({ config }),
        (decoded): ConfigPatch => ({ kind, config: decoded.config })
      )
    case "s3":
      return Effect.map(decodeS3({ config }), (decoded): ConfigPatch => ({ kind, config: decoded.config }))
  }
}

export const make = Effect.gen(function* () {
  const connectors = yield* Connectors
  const pulls = yield* Pulls

  return handlersOf(ConnectorsApi)({
    create: ({ caller: { partition }, payload: { name, ...asked } }) =>
      Effect.map(connectors.create(partition, { name, asked }), (connector) =>
        ConnectorResource.render(partition, connector)
      ),
    list: ({ caller: { partition }, query }) =>
      Lists.page(
        { partition, list: "connectors", query },
        (request) => connectors.page(partition, request),
        (items) => items.map((item) => ConnectorResource.render(partition, item))
      ),
    get: ({ caller: { partition }, params }) =>
      Effect.map(connectors.get(partition, params.connector_id), (connector) =>
        ConnectorResource.render(partition, connector)
      ),
    update: ({ caller: { partition }, params: { connector_id: id }, payload: { config, name } }) =>
      Effect.gen(function* () {
        const { rule } = yield* connectors.get(partition, id)
        const asked = config === undefined ? undefined : yield* patchOf(rule.kind, config)
        return ConnectorResource.render(partition, yield* connectors.update(partition, id, { name, asked }))
      }),
    delete: ({ caller: { partition }, params: { connector_id: id } }) =>
      Effect.as(connectors.remove(partition, id), { id, object: "connector" as const, deleted: true as const }),
    pull: ({ caller: { partition }, params }) =>
      Effect.map(pulls.create(partition, params.connector_id), (pull) => PullResource.render(partition, pull))
  })
})
