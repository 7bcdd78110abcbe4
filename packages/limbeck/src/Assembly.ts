/** The usual assembly on Node: all our services over a storage, rehearsals by stubs, and the builtin student. */

import { PriceList, type PriceTable } from "@limbeck/capture/price/PriceList"
import * as Snapshot from "@limbeck/capture/price/Snapshot"
import type { Blobs } from "@limbeck/core/blobs/Blobs"
import * as OwnPorts from "@limbeck/core/egress/OwnPorts"
import * as Ids from "@limbeck/core/ids/Ids"
import * as CatalogSettings from "@limbeck/distill/recipe/CatalogSettings"
import * as StudentCatalog from "@limbeck/distill/recipe/StudentCatalog"
import type { Executor, Executors } from "@limbeck/distill/run/Executor"
import * as ModelServers from "@limbeck/distill/student/ModelServers"
import type { Gunzip } from "@limbeck/distill/upload/Gunzip"
import * as BuiltinEngine from "@limbeck/executors/builtin/BuiltinEngine"
import * as BuiltinExecutor from "@limbeck/executors/builtin/BuiltinExecutor"
import * as EmbeddingTables from "@limbeck/executors/builtin/EmbeddingTables"
import * as Probe from "@limbeck/executors/builtin/Probe"
import * as Tables from "@limbeck/executors/builtin/tables/Tables"
import * as CandidateCalls from "@limbeck/executors/candidates/CandidateCalls"
import * as ExecutorsLayer from "@limbeck/executors/Executors"
import * as EndpointExecutor from "@limbeck/executors/endpoint/EndpointExecutor"
import * as RehearsedTrainings from "@limbeck/executors/RehearsedTrainings"
import * as StubExecutor from "@limbeck/executors/StubExecutor"
import * as StudentTokenizers from "@limbeck/executors/tokens/StudentTokenizers"
import * as FileSnapshots from "@limbeck/node/cache/FileSnapshots"
import * as FileJournal from "@limbeck/node/capture/FileJournal"

import * as FileSpill from "@limbeck/node/capture/FileSpill"
import * as NodeDecoder from "@limbeck/node/capture/NodeDecoder"
import * as UndiciUpstream from "@limbeck/node/capture/UndiciUpstream"
import * as S3ObjectStore from "@limbeck/node/connector/S3ObjectStore"
import * as UndiciRemote from "@limbeck/node/connector/UndiciRemote"
import * as NodeRunningDigest from "@limbeck/node/dataset/NodeRunningDigest"
import * as RewardTools from "@limbeck/node/reward/RewardTools"
import * as NodeGunzip from "@limbeck/node/upload/NodeGunzip"
import * as Layers from "@limbeck/server/Layers"
import { InvalidSetting } from "@limbeck/server/Settings"
import * as Platform from "@limbeck/webhooks-host/Platform"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

export type { EncryptionKeys, TelemetryOptions } from "@limbeck/webhooks-host/Platform"

/** What a host decides about the whole library: its storage, keys and settings, and what it adds or replaces. */
export interface AssemblyOptions extends Platform.PlatformOptions<Layers.StoragePorts> {
  /** Who runs stages; `usualExecutors` by default. */
  readonly executors?: Layer.Layer<Executors>
  /**
   * A local folder for captured calls on their way to storage, so that a kill or an outage loses none. By default they wait
   * in memory. Several processes of this machine may share it.
   */
  readonly journal?: FileJournal.FileJournalOptions
  /** What serves language models that runs here have published; by default nothing does. */
  readonly servers?: Layer.Layer<ModelServers.ModelServers, never, Blobs | Gunzip | OwnPorts.OwnPorts>
  /** The student bases and compute profiles with their prices; the standard catalog by default. */
  readonly catalog?: CatalogSettings.CatalogSettings
  /**
   * A local folder of model folders, by name. Estimates of these language models count tokens by their `tokenizer.json`;
   * others use four bytes per token.
   */
  readonly modelsDir?: string
  /**
   * The static embeddings of that folder. Give the same to `executorsWith`, so that students are trained with the table of this
   * process. By default students that need a table find it in `modelsDir`, and new ones use none.
   */
  readonly embeddings?: Tables.Tables
  /**
   * What models cost whose source says no price. By default a dated table that ships with the library, for `byok` sources alone.
   * `current` is asked at each call, so that prices may change while the library runs.
   */
  readonly prices?: { readonly current: () => PriceTable }
}

/** The catalog from settings, possibly read from a file in any shape. */
export const catalogOf = (settings: unknown): Effect.Effect<CatalogSettings.Entries, InvalidSetting> =>
  Effect.fromResult(
    Result.mapError(
      CatalogSettings.read(settings),
      (message) => new InvalidSetting({ setting: "catalog", message: `catalog: ${message}` })
    )
  )

/** How long each thing takes that the stub says, so that a rehearsal can be watched. */
const stubPace = "40 millis"

const usual = { stub: StubExecutor.make({ pace: stubPace }), builtin: BuiltinExecutor.executor }

/** Rehearsals on stubs, builtin students in a thread of this process, and no trainer for language models. */
export const usualExecutors = ExecutorsLayer.layer(usual)

/**
 * The default executors, with one that trains language models unless `llm` is null; `rehearses`: it also takes two steps in
 * rehearsals. `embeddings`: the static embeddings of builtin students.
 */
export const executorsWith = (
  llm: Executor | null,
  options: { readonly rehearses?: boolean; readonly embeddings?: Tables.Tables } = {}
) => {
  const { embeddings: tables, rehearses } = options
  const builtin = tables === undefined ? usual.builtin : BuiltinExecutor.make({ tables })
  if (llm === null) return ExecutorsLayer.layer({ ...usual, builtin })
  const stub = rehearses === true ? RehearsedTrainings.make({ stub: usual.stub, trainer: llm }) : usual.stub
  return ExecutorsLayer.layer({ stub, builtin, llm })
}

const tablesOf = ({ embeddings, modelsDir }: Pick<AssemblyOptions, "embeddings" | "modelsDir">): Tables.Tables =>
  embeddings ?? (modelsDir === undefined ? Tables.none : EmbeddingTables.make(modelsDir))

/**
 * Every service of the library on Node, and its workers unless `workers` is false. Fails with `InvalidSetting` or `InvalidEventType`
 * for options that cannot be, and with `StorageError` when storage does not answer.
 */
export const layer = ({ portHolder, ...given }: AssemblyOptions) => {
  const ownPorts = OwnPorts.make(portHolder)
  const options = { ...given, portHolder: ownPorts.holderOf }
  const { eventTypes = [], executors = usualExecutors, servers = ModelServers.none } = options
  const working = options.workers === false ? Layer.empty : Layers.working
  const catalog = Layer.unwrap(Effect.map(catalogOf(options.catalog ?? {}), StudentCatalog.layer))
  const outbound = Layer.unwrap(
    Effect.map(Platform.egressPolicy(options), (policy) =>
      Layer.mergeAll(
        RewardTools.layer({ policy }),
        UndiciUpstream.layer({ policy }),
        S3ObjectStore.layer({ policy }).pipe(
          Layer.provideMerge(UndiciRemote.layer({ policy, brand: options.settings?.brand }))
        )
      )
    )
  )
  const journal =
    options.journal === undefined
      ? Layer.empty
      : Layer.mergeAll(
          FileJournal.layer(options.journal),
          FileSpill.layer(options.journal),
          FileSnapshots.layer(options.journal)
        )
  return working.pipe(
    Layer.provideMerge(Layers.services(eventTypes, catalog, EndpointExecutor.layer, CandidateCalls.layer)),
    Layer.provideMerge(
      Layer.mergeAll(
        outbound,
        NodeGunzip.layer,
        NodeRunningDigest.layer,
        NodeDecoder.layer,
        BuiltinEngine.layerWith(tablesOf(options)),
        Layer.provide(Probe.layer, Ids.layer),
        options.modelsDir === undefined ? Layer.empty : StudentTokenizers.layer(options.modelsDir),
        journal,
        Layer.succeed(PriceList, options.prices ?? Snapshot.prices),
        executors,
        Layer.provide(servers, [NodeGunzip.layer, Layer.succeed(OwnPorts.OwnPorts, ownPorts)])
      )
    ),
    Layer.provideMerge(Platform.layer(options))
  )
}
