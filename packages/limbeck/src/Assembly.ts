/** The usual assembly on Node: all our services over a storage, with the stub executor. */
import type { Executor, Executors } from "@limbeck/distill/run/Executor"
import * as BuiltinExecutor from "@limbeck/executors/builtin/BuiltinExecutor"
import * as ExecutorsLayer from "@limbeck/executors/Executors"
import * as StubExecutor from "@limbeck/executors/StubExecutor"
import * as UndiciRemote from "@limbeck/node/connector/UndiciRemote"
import * as UndiciUpstream from "@limbeck/node/gateway/UndiciUpstream"
import * as RewardTools from "@limbeck/node/reward/RewardTools"
import * as NodeGunzip from "@limbeck/node/upload/NodeGunzip"
import * as Layers from "@limbeck/server/Layers"
import * as Layer from "effect/Layer"
import * as Platform from "./Platform.ts"

export type { EncryptionKeys } from "./Platform.ts"

export interface AssemblyOptions extends Platform.PlatformOptions {
  /** Who runs stages; the stub alone unless told. */
  readonly executors?: Layer.Layer<Executors>
}

/** How long each thing takes that the stub says, so that a rehearsal can be watched. */
const stubPace = "40 millis"

const usual = { stub: StubExecutor.make({ pace: stubPace }), builtin: BuiltinExecutor.executor }

/** Rehearsals on stubs, builtin students in a thread of this process, and no trainer for language models. */
export const usualExecutors = ExecutorsLayer.layer(usual)

/** The same, and one that trains language models. */
export const executorsWith = (llm: Executor) => ExecutorsLayer.layer({ ...usual, llm })

export const layer = (options: AssemblyOptions) => {
  const { eventTypes, executors = usualExecutors } = options
  const working = options.workers === false ? Layer.empty : Layer.merge(Layers.workers, Layers.workerCount)
  const policy = Platform.egressPolicy(options)
  const outbound = Layer.mergeAll(
    RewardTools.layer({ policy }),
    UndiciUpstream.layer({ policy }),
    UndiciRemote.layer({ policy, brand: options.settings?.brand })
  )
  return working.pipe(
    Layer.provideMerge(Layers.services(eventTypes)),
    Layer.provideMerge(Layer.mergeAll(Platform.layer(options), outbound, NodeGunzip.layer, executors))
  )
}
