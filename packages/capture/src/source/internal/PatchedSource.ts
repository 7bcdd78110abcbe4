/**
 * Applies a request to a source, or to a blank one at creation; checks fields in order. Returns also the sources that its new
 * fallbacks lead to.
 */
import type { EgressPolicy } from "@limbeck/core/egress/EgressPolicy"
import { PermissionDenied } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import { definedFields, nextValue } from "@limbeck/core/resources/Patch"
import type { Secrets } from "@limbeck/core/secrets/Secrets"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Source from "../Source.ts"
import * as Rules from "../SourceRules.ts"
import type * as Fallbacks from "./Fallbacks.ts"

/** Only the operator changes prices of managed sources; a list of models without them removes prices. */
const priceRefusal = new PermissionDenied({
  message:
    "The models of a managed source with prices are set by tokens and owners of the workspace default, or by the host",
  param: "models"
})

const changesPrices = ({ kind, models }: Source.Source, given: Source.SourcePatch["models"]): boolean =>
  given !== undefined &&
  kind === "managed" &&
  (Source.isPriced(models) || Source.isPriced(given)) &&
  JSON.stringify(given) !== JSON.stringify(models)

export const make = (secrets: Secrets["Service"], policy: EgressPolicy, fallbacks: Fallbacks.Fallbacks) => {
  const keyFields = Effect.fnUntraced(function* (partition: Partition, key: string | null) {
    if (key === null) return { sealedKey: null, keyLast4: null }
    const apiKey = yield* Effect.fromResult(Rules.apiKey(key))
    return { sealedKey: yield* secrets.seal(apiKey, partition.key), keyLast4: Rules.last4(apiKey) }
  })

  return Effect.fnUntraced(function* (
    partition: Partition,
    before: Source.Source,
    patch: Source.SourcePatch,
    setsPrices: boolean
  ) {
    if (!setsPrices && changesPrices(before, patch.models)) return yield* priceRefusal
    const name = yield* nextValue(patch.name, before.name, Rules.name)
    const baseUrl = yield* nextValue(patch.baseUrl, before.baseUrl, (url) =>
      Rules.baseUrl(policy, partition.livemode, url)
    )
    if (patch.apiKey === undefined && before.sealedKey !== null) {
      yield* Effect.fromResult(Rules.keyMove(before.baseUrl, baseUrl))
    }
    const dialect = patch.dialect ?? before.dialect
    const { chain, fallbacks: read } = yield* fallbacks.read(partition, { ...before, dialect }, patch)
    const source: Source.Source = {
      ...before,
      name,
      dialect,
      baseUrl,
      ...(patch.apiKey === undefined ? {} : yield* keyFields(partition, patch.apiKey)),
      timeoutMillis: patch.timeoutMillis ?? before.timeoutMillis,
      capture: { ...before.capture, ...definedFields(patch.capture ?? {}) },
      models: yield* nextValue(patch.models, before.models, Rules.models),
      fallbacks: read,
      retries: patch.retries ?? before.retries,
      updatedAt: yield* Clock.currentTimeMillis
    }
    return { source, chain }
  })
}
