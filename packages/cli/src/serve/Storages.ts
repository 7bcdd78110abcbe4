/** The storage that the settings choose. */
import * as path from "node:path"
import { StorageError } from "@limbeck/core/errors/Errors"
import * as EmbeddedPostgres from "@limbeck/embedded-postgres/EmbeddedPostgres"
import type { StoragePorts } from "@limbeck/server/Layers"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Settings } from "./Settings.ts"

/** A private, durable Postgres in the data folder. */
const embedded = (dataDir: string) =>
  Layer.unwrap(
    EmbeddedPostgres.launch({ dataDir: path.join(dataDir, "postgres"), durable: true }).pipe(
      Effect.mapError((cause) => new StorageError({ operation: "start the embedded Postgres", cause })),
      Effect.map(({ url }) => StoragePostgres.layer({ url }))
    )
  )

export const layer = ({ dataDir, databaseUrl, storage }: Settings): Layer.Layer<StoragePorts, StorageError> => {
  if (storage === "memory") return StorageMemory.layer
  return databaseUrl === null || storage === "embedded"
    ? embedded(dataDir)
    : StoragePostgres.layer({ url: databaseUrl })
}
