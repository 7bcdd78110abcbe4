/** The storage that the settings choose. Each loads its modules when it is chosen. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { StoragePorts } from "@limbeck/server/Layers"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as PostgresStorages from "./PostgresStorages.ts"
import type { WorkerProcess } from "./processes/WorkerProcess.ts"
import type { Settings } from "./Settings.ts"

type Storage = Layer.Layer<StoragePorts, StorageError>

const memory: Storage = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("@limbeck/storage-memory/StorageMemory")),
    ({ layer }) => layer
  )
)

const postgres = (storageOf: (storages: typeof PostgresStorages) => Storage): Storage =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("./PostgresStorages.ts")),
      storageOf
    )
  )

/** `worker`: this process is one of several; the parent has started the embedded database. */
export const layer = (settings: Settings, worker: WorkerProcess | null = null): Storage =>
  settings.storage === "memory" ? memory : postgres((storages) => storages.layer(settings, worker))

/** For a command, which may run beside a server of the same settings. */
export const ofCommand = (settings: Settings): Storage =>
  settings.storage === "memory" ? memory : postgres((storages) => storages.ofCommand(settings))
