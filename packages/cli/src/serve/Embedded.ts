/** The embedded database of the data folder. */
import * as path from "node:path"
import { StorageError } from "@limbeck/core/errors/Errors"
import * as EmbeddedPostgres from "@limbeck/embedded-postgres/EmbeddedPostgres"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { Limits } from "./Limits.ts"
import type { Settings } from "./Settings.ts"

const folderOf = ({ dataDir }: Settings): string => path.join(dataDir, "postgres")

const started = (settings: Settings) => EmbeddedPostgres.launch({ dataDir: folderOf(settings), durable: true })

const failed = (cause: unknown) => new StorageError({ operation: "start the embedded Postgres", cause })

/** A private, durable Postgres, for as long as the scope lives. */
export const launch = (settings: Settings) => Effect.mapError(started(settings), failed)

/** The database of the server that runs in this folder; where none runs, a database of the command's own until the scope closes. */
export const useShared = (settings: Settings) =>
  Effect.flatMap(EmbeddedPostgres.running(folderOf(settings)), (server) =>
    server === undefined ? started(settings) : Effect.succeed(server)
  ).pipe(
    // The folder's server is starting or stopping.
    Effect.retry({
      while: ({ _tag }) => _tag === "DirectoryInUse",
      schedule: Schedule.spaced(Limits.embeddedPollMillis),
      times: Limits.embeddedPollsMax
    }),
    Effect.mapError(failed)
  )
