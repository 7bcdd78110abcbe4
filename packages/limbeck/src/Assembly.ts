/** The usual assembly on Node: our services over a storage, with Node's crypto, an undici sender and the stub executor. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { EventType } from "@limbeck/core/events/Event"
import * as Secrets from "@limbeck/core/secrets/Secrets"
import type { Executors } from "@limbeck/distill/run/Executor"
import * as ExecutorsLayer from "@limbeck/executors/Executors"
import * as StubExecutor from "@limbeck/executors/StubExecutor"
import * as Crypto from "@limbeck/node/Crypto"
import * as UndiciSender from "@limbeck/node/webhooks/UndiciSender"
import * as Layers from "@limbeck/server/Layers"
import { ServerSettings } from "@limbeck/server/Settings"
import * as Layer from "effect/Layer"
import * as IpNetwork from "effect/net/IpNetwork"
import type * as Redacted from "effect/Redacted"
import * as References from "effect/References"

export type EncryptionKeys = readonly [Redacted.Redacted<Uint8Array>, ...ReadonlyArray<Redacted.Redacted<Uint8Array>>]

export interface AssemblyOptions {
  readonly storage: Layer.Layer<Layers.StoragePorts, StorageError>
  /** 32 bytes each; the first encrypts, all decrypt. */
  readonly encryptionKeys: EncryptionKeys
  readonly settings?: Partial<ServerSettings>
  /** CIDR blocks that the egress guard lets through. */
  readonly egressAllow?: ReadonlyArray<string>
  /** Who runs stages; the stub alone unless told. */
  readonly executors?: Layer.Layer<Executors>
  /** Event types of the host's own. */
  readonly eventTypes?: ReadonlyArray<EventType>
  /** Whether this process works, or only answers; true unless told. */
  readonly workers?: boolean
}

/** How long each thing takes that the stub says, so that a rehearsal can be watched. */
const stubPace = "40 millis"

export const stubExecutors = ExecutorsLayer.layer({ stub: StubExecutor.make({ pace: stubPace }) })

/** Spans cost a tenth of a request, and nobody collects them yet. */
const tracing = Layer.succeed(References.TracerEnabled, false)

/** The settings as given, over the defaults. */
export const settingsLayer = (settings: Partial<ServerSettings> = {}) =>
  Layer.succeed(ServerSettings, { ...ServerSettings.defaultValue(), ...settings })

export const layer = (options: AssemblyOptions) => {
  const { egressAllow = [], encryptionKeys, eventTypes, executors = stubExecutors, settings, storage } = options
  const policy = { allowed: egressAllow.map(IpNetwork.fromStringUnsafe) }
  const working = options.workers === false ? Layer.empty : Layer.merge(Layers.workers, Layers.workerCount)
  return working.pipe(
    Layer.provideMerge(Layers.services(eventTypes)),
    Layer.provideMerge(
      Layer.mergeAll(
        storage,
        Secrets.layer(encryptionKeys),
        UndiciSender.layer({ policy }),
        executors,
        settingsLayer(settings)
      )
    ),
    Layer.provideMerge(Layer.merge(Crypto.layer, tracing))
  )
}
