/** The storages on a Postgres: that of `DATABASE_URL`, or the embedded one. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { StoragePorts } from "@limbeck/server/Layers"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Embedded from "./Embedded.ts"
import { poolOf, type WorkerProcess } from "./processes/WorkerProcess.ts"
import type { Settings } from "./Settings.ts"

/** `worker`: see `Storages`. */
export const layer = (settings: Settings, worker: WorkerProcess | null): Layer.Layer<StoragePorts, StorageError> => {
  const pool = worker === null ? {} : { maxConnections: poolOf(worker) }
  const url = settings.storage === "embedded" ? (worker?.embeddedUrl ?? null) : settings.databaseUrl
  return url === null
    ? Layer.unwrap(Effect.map(Embedded.launch(settings), ({ url }) => StoragePostgres.layer({ url })))
    : StoragePostgres.layer({ url, ...pool })
}

/** See `Storages`. */
export const ofCommand = (settings: Settings): Layer.Layer<StoragePorts, StorageError> =>
  settings.storage === "embedded"
    ? Layer.unwrap(Effect.map(Embedded.useShared(settings), ({ url }) => StoragePostgres.layer({ url })))
    : layer(settings, null)
