/** Sources as their owners see them, and as calls find them: by name, by id, or the default one. */

import {
  type ChangedMeanwhile,
  type InvalidInput,
  type NotFound,
  notFound,
  type PermissionDenied,
  type ReferenceUnknown,
  type StorageError
} from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import type { StoredResource } from "@limbeck/core/resources/Kind"
import { ResourceStore, type RevisionConflict } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import * as Writers from "@limbeck/core/resources/Writers"
import { Secrets } from "@limbeck/core/secrets/Secrets"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as DialectRules from "../dialect/DialectRules.ts"
import { SourceIsFallback, SourceNameTaken } from "../Errors.ts"
import { CaptureLimits } from "../Limits.ts"
import { Upstream } from "../upstream/Upstream.ts"
import * as Bearers from "./Bearers.ts"
import * as Defaults from "./internal/Defaults.ts"
import * as Fallbacks from "./internal/Fallbacks.ts"
import * as PatchedSource from "./internal/PatchedSource.ts"
import * as RecentSources from "./internal/RecentSources.ts"
import * as Source from "./Source.ts"
import type { SourceView } from "./SourceResource.ts"

export interface NewSource extends Source.SourcePatch {
  readonly name: string
  readonly kind: Source.Source["kind"]
  readonly baseUrl: string
}

export class Sources extends Context.Service<
  Sources,
  {
    /** `setsPrices`: whether the prices of a managed source may be set on behalf of this caller. A host may set them. */
    readonly create: (
      partition: Partition,
      request: NewSource,
      setsPrices?: boolean
    ) => Effect.Effect<
      SourceView,
      InvalidInput | ReferenceUnknown | PermissionDenied | SourceNameTaken | ChangedMeanwhile | StorageError
    >
    readonly get: (partition: Partition, id: string) => Effect.Effect<SourceView, NotFound | StorageError>
    /** Newest first. */
    readonly page: (partition: Partition, request: PageRequest) => Effect.Effect<Page<SourceView>, StorageError>
    /** One that becomes the default takes it from the one before. `setsPrices` as for `create`. */
    readonly update: (
      partition: Partition,
      id: string,
      patch: Source.SourcePatch,
      setsPrices?: boolean
    ) => Effect.Effect<
      SourceView,
      InvalidInput | ReferenceUnknown | NotFound | PermissionDenied | SourceNameTaken | ChangedMeanwhile | StorageError
    >
    /**
     * Gone at once, also as the default. `check` runs in the same transaction, when nobody can begin to use the source any
     * more; its failure leaves the source as it is.
     */
    readonly remove: <E>(
      partition: Partition,
      id: string,
      check: Effect.Effect<void, E>
    ) => Effect.Effect<void, NotFound | SourceIsFallback | ChangedMeanwhile | StorageError | E>
    /** For the transaction that names it, before it does: false where there is none. Until its end none is removed. */
    readonly hold: (partition: Partition, id: string) => Effect.Effect<boolean, RevisionConflict | StorageError>
    /** By name or id; null: the default one. */
    readonly resolve: (
      partition: Partition,
      nameOrId: string | null
    ) => Effect.Effect<Option.Option<Source.Source>, StorageError>
    /** `resolve` from recent knowledge, for calls: what changed in another process may be seen a second late. */
    readonly recall: (
      partition: Partition,
      nameOrId: string | null
    ) => Effect.Effect<Option.Option<Source.Source>, StorageError>
    /** All of a kind, oldest first. */
    readonly ofKind: (
      partition: Partition,
      kind: Source.Source["kind"]
    ) => Effect.Effect<ReadonlyArray<Source.Source>, StorageError>
    /** What a request to the source must carry; it holds the key. */
    readonly credentials: (
      partition: Partition,
      source: Source.Source
    ) => Effect.Effect<Readonly<Record<string, string>>>
  }
>()("@limbeck/capture/source/Sources") {}

const taken = (name: string) => new SourceNameTaken({ name })

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: methods of one service, each short
const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const secrets = yield* Secrets
  const ids = yield* Ids
  const queue = yield* Queue
  const { policy } = yield* Upstream
  const defaults = Defaults.make(resources)
  const hold = (partition: Partition, id: string) => Writers.hold(resources, partition, Source.kind, id)
  const recent = yield* RecentSources.make
  const patched = PatchedSource.make(secrets, policy, Fallbacks.make(resources))
  const bearers = Bearers.make(secrets)

  /** A transaction that changes sources, and tells everybody. */
  const changing = <A, E>(change: Effect.Effect<A, E>) =>
    storage.transaction(Effect.andThen(queue.nudge(Source.bell), change))

  const stored = (partition: Partition, id: string) => Resources.require(resources, partition, Source.kind, id)

  const view = (partition: Partition, source: Source.Source): Effect.Effect<SourceView, StorageError> =>
    Effect.map(defaults.current(partition), (current) => ({ source, isDefault: current === source.id }))

  /** Writes a source and those that its new fallbacks lead to, in the order of their ids, so that no two writers wait for each other. */
  const writeAll = (partition: Partition, all: ReadonlyArray<StoredResource<Source.Source>>) =>
    Effect.forEach(
      all.toSorted((one, other) => (one.value.id < other.value.id ? -1 : 1)),
      (one) => resources.compareAndSet(partition, Source.kind, one),
      { discard: true }
    )

  const create = Effect.fn("Sources.create")(function* (partition: Partition, request: NewSource, setsPrices = true) {
    const now = yield* Clock.currentTimeMillis
    const blank: Source.Source = {
      id: yield* ids.make("src"),
      name: request.name,
      kind: request.kind,
      dialect: "openai",
      baseUrl: request.baseUrl,
      sealedKey: null,
      keyLast4: null,
      timeoutMillis: CaptureLimits.timeoutMillis,
      capture: Source.defaultCapture,
      models: [],
      fallbacks: [],
      retries: 0,
      createdAt: now,
      updatedAt: now
    }
    const write = Effect.gen(function* () {
      const { chain, source: given } = yield* patched(partition, blank, request, setsPrices)
      const source: Source.Source = { ...given, updatedAt: now }
      yield* writeAll(partition, chain)
      yield* Effect.catchTag(resources.insert(partition, Source.kind, source), "AlreadyExists", () =>
        taken(source.name)
      )
      if (request.isDefault === true) yield* defaults.set(partition, source.id, now)
      yield* storage.afterCommit(Effect.sync(() => recent.learn(partition, source, request.isDefault)))
      const made: SourceView = { source, isDefault: request.isDefault === true }
      return made
    })
    return yield* Writers.inTurn(Source.kind, blank.id)(changing(write))
  })

  const writeOnce = Effect.fnUntraced(function* (
    partition: Partition,
    id: string,
    patch: Source.SourcePatch,
    setsPrices: boolean
  ) {
    const { revision, value } = yield* stored(partition, id)
    const { chain, source } = yield* patched(partition, value, patch, setsPrices)
    yield* writeAll(partition, [{ value: source, revision }, ...chain])
    if (patch.isDefault === true) yield* defaults.set(partition, source.id, source.updatedAt)
    if (patch.isDefault === false) yield* defaults.unset(partition, id)
    yield* storage.afterCommit(Effect.sync(() => recent.learn(partition, source, patch.isDefault)))
    return yield* view(partition, source)
  })

  /** A write that was refused met another one, or wants a name that is taken. */
  const refused = Effect.fnUntraced(function* (
    partition: Partition,
    id: string,
    { name }: Source.SourcePatch,
    met: RevisionConflict
  ) {
    const holder = name === undefined ? Option.none() : yield* resources.findUnique(partition, Source.kind, name)
    if (Option.isSome(holder) && holder.value.value.id !== id) return yield* taken(holder.value.value.name)
    return yield* met
  })

  const update = Effect.fn("Sources.update")(
    (partition: Partition, id: string, patch: Source.SourcePatch, setsPrices = true) =>
      Effect.catchTag(changing(writeOnce(partition, id, patch, setsPrices)), "RevisionConflict", (met) =>
        refused(partition, id, patch, met)
      ).pipe(Writers.inTurn(Source.kind, id))
  )

  const remove = Effect.fn("Sources.remove")(function* <E>(
    partition: Partition,
    id: string,
    check: Effect.Effect<void, E>
  ) {
    const gone = Effect.gen(function* () {
      if (!(yield* hold(partition, id))) return yield* notFound(Source.kind.noun, id)
      yield* check
      const [holder] = yield* resources.findByLabels(partition, Source.kind, [`fallback:${id}`])
      if (holder !== undefined) return yield* new SourceIsFallback({ id, source: holder.name })
      yield* resources.remove(partition, Source.kind, id)
      yield* defaults.unset(partition, id)
      yield* storage.afterCommit(Effect.sync(() => recent.forget(id)))
    })
    yield* Writers.inTurn(Source.kind, id)(changing(gone))
  })

  const resolve = Effect.fnUntraced(function* (partition: Partition, nameOrId: string | null) {
    const wanted = nameOrId ?? (yield* defaults.current(partition))
    if (wanted === null) return Option.none()
    const found = Source.isId(wanted)
      ? yield* resources.find(partition, Source.kind, wanted)
      : yield* resources.findUnique(partition, Source.kind, wanted)
    return Option.map(found, ({ value }) => value)
  })

  return Sources.of({
    create,
    update,
    remove,
    hold,
    resolve,
    recall: (partition, nameOrId) => recent.recall(partition, nameOrId, resolve(partition, nameOrId)),
    get: Effect.fnUntraced(function* (partition, id) {
      const { value } = yield* stored(partition, id)
      return yield* view(partition, value)
    }),
    page: Effect.fnUntraced(function* (partition, request) {
      const { hasMore, items } = yield* resources.page(partition, Source.kind, [], request)
      const current = yield* defaults.current(partition)
      return { items: items.map((source) => ({ source, isDefault: source.id === current })), hasMore }
    }),
    ofKind: (partition, kind) => resources.findByLabels(partition, Source.kind, [`kind:${kind}`]),
    credentials: (partition, source) =>
      bearers(source, source.sealedKey, partition.key, (key) => DialectRules.credential(source.dialect, key))
  })
})

export const layer: Layer.Layer<Sources, never, Storage | ResourceStore | Queue | Secrets | Ids | Upstream> =
  Layer.effect(Sources, make)
