/** The embedded database of the data folder. */
import * as path from "node:path"
import { StorageError } from "@limbeck/core/errors/Errors"
import * as EmbeddedPostgres from "@limbeck/embedded-postgres/EmbeddedPostgres"
import * as Effect from "effect/Effect"
import type { Settings } from "./Settings.ts"

/** A private, durable Postgres, for as long as the scope lives. */
export const launch = ({ dataDir }: Settings) =>
  Effect.mapError(
    EmbeddedPostgres.launch({ dataDir: path.join(dataDir, "postgres"), durable: true }),
    (cause) => new StorageError({ operation: "start the embedded Postgres", cause })
  )
