/**
 * The models of managed sources: the source's own list, or its upstream's. A list is cached for a minute, and beyond as
 * long as a newer one cannot be read.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { CatalogUnavailable } from "../Errors.ts"
import { CaptureLimits } from "../Limits.ts"
import * as PriceList from "../price/PriceList.ts"
import { jsonOf, type WholeAnswer } from "../upstream/internal/WholeAnswer.ts"
import { Upstream } from "../upstream/Upstream.ts"
import * as Listing from "./internal/Listing.ts"
import { modelIdOf, type Source, type SourceModel } from "./Source.ts"
import { Sources } from "./Sources.ts"

export interface CatalogModel extends PriceList.KnownPrices {
  readonly id: string
  readonly source: Source
}

export class ModelCatalog extends Context.Service<
  ModelCatalog,
  {
    /** Of all managed sources, then what `byok` sources name, each in the order in which the sources were made. */
    readonly models: (
      partition: Partition
    ) => Effect.Effect<ReadonlyArray<CatalogModel>, CatalogUnavailable | StorageError>
    readonly modelsOf: (
      partition: Partition,
      source: Source
    ) => Effect.Effect<ReadonlyArray<CatalogModel>, CatalogUnavailable>
  }
>()("@limbeck/capture/source/ModelCatalog") {}

const ModelList = Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.NonEmptyString })) })
const decodeList = Schema.decodeUnknownOption(ModelList)

/** The ids in an answer to `GET /models`; undefined where it is none. */
export const idsOf = (answer: WholeAnswer): ReadonlyArray<string> | undefined =>
  answer.status === 200
    ? Option.getOrUndefined(Option.map(decodeList(jsonOf(answer)), ({ data }) => data.map(({ id }) => id)))
    : undefined

const entry = (table: PriceList.PriceTable, source: Source, model: SourceModel): CatalogModel => ({
  id: modelIdOf(model),
  source,
  ...PriceList.ofEntry(table, source.kind, model)
})

interface Snapshot {
  readonly ids: ReadonlyArray<string>
  readonly readAt: number
}

const make = Effect.gen(function* () {
  const sources = yield* Sources
  const upstream = yield* Upstream
  const list = yield* PriceList.PriceList
  /** In the order of reading; a changed source is another one. */
  const snapshots = new Map<string, Snapshot>()

  const keep = (key: string, snapshot: Snapshot) => {
    snapshots.delete(key)
    snapshots.set(key, snapshot)
    const [oldest] = snapshots.keys()
    if (oldest !== undefined && snapshots.size > CaptureLimits.catalogsMax) snapshots.delete(oldest)
    return snapshot.ids
  }

  const listed = Effect.fnUntraced(function* (partition: Partition, source: Source) {
    const key = `${partition.key} ${source.id} ${source.baseUrl} ${source.sealedKey}`
    const now = yield* Clock.currentTimeMillis
    const known = snapshots.get(key)
    if (known !== undefined && now - known.readAt < CaptureLimits.catalogMillis) return known.ids
    const credentials = yield* sources.credentials(partition, source)
    const limitMillis = Math.min(source.timeoutMillis, CaptureLimits.verifyMillis)
    const read = yield* Effect.option(Listing.ask(upstream, partition, source, credentials, limitMillis))
    const ids = Option.isSome(read) ? idsOf(read.value) : undefined
    if (ids !== undefined) return keep(key, { ids, readAt: now })
    if (known !== undefined) return known.ids
    return yield* new CatalogUnavailable({ source: source.name })
  })

  const modelsOf = Effect.fn("ModelCatalog.modelsOf")(function* (partition: Partition, source: Source) {
    const models = source.models.length > 0 ? source.models : yield* listed(partition, source)
    return models.map((model) => entry(list.current(), source, model))
  })

  return ModelCatalog.of({
    modelsOf,
    models: Effect.fn("ModelCatalog.models")(function* (partition) {
      const managed = yield* sources.ofKind(partition, "managed")
      const offered = yield* Effect.forEach(managed, (source) => modelsOf(partition, source), { concurrency: 4 })
      const own = yield* sources.ofKind(partition, "byok")
      const named = own.flatMap((source) => source.models.map((model) => entry(list.current(), source, model)))
      return [...offered.flat(), ...named]
    })
  })
})

export const layer: Layer.Layer<ModelCatalog, never, Sources | Upstream> = Layer.effect(ModelCatalog, make)
