/** The storage that the settings choose. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { StoragePorts } from "@limbeck/server/Layers"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Embedded from "./Embedded.ts"
import { type Member, poolOf } from "./processes/Member.ts"
import type { Settings } from "./Settings.ts"

/** For the only process, or for one of several, whose parent has started the embedded database. */
export const layer = (settings: Settings, member: Member | null = null): Layer.Layer<StoragePorts, StorageError> => {
  if (settings.storage === "memory") return StorageMemory.layer
  const pool = member === null ? {} : { maxConnections: poolOf(member) }
  const url = settings.storage === "embedded" ? (member?.embeddedUrl ?? null) : settings.databaseUrl
  return url === null
    ? Layer.unwrap(Effect.map(Embedded.launch(settings), ({ url }) => StoragePostgres.layer({ url })))
    : StoragePostgres.layer({ url, ...pool })
}
