/** The storage that the settings choose. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { StoragePorts } from "@limbeck/server/Layers"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Embedded from "./Embedded.ts"
import { poolOf, type WorkerProcess } from "./processes/WorkerProcess.ts"
import type { Settings } from "./Settings.ts"

/** `worker`: this process is one of several; the parent has started the embedded database. */
export const layer = (
  settings: Settings,
  worker: WorkerProcess | null = null
): Layer.Layer<StoragePorts, StorageError> => {
  if (settings.storage === "memory") return StorageMemory.layer
  const pool = worker === null ? {} : { maxConnections: poolOf(worker) }
  const url = settings.storage === "embedded" ? (worker?.embeddedUrl ?? null) : settings.databaseUrl
  return url === null
    ? Layer.unwrap(Effect.map(Embedded.launch(settings), ({ url }) => StoragePostgres.layer({ url })))
    : StoragePostgres.layer({ url, ...pool })
}

/** For a command, which may run beside a server of the same settings. */
export const ofCommand = (settings: Settings): Layer.Layer<StoragePorts, StorageError> =>
  settings.storage === "embedded"
    ? Layer.unwrap(Effect.map(Embedded.useShared(settings), ({ url }) => StoragePostgres.layer({ url })))
    : layer(settings)
