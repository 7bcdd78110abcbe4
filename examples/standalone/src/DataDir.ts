/** The data folder: made if it is missing, or one sentence that says why it is none. */
import * as fs from "node:fs/promises"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Settings } from "./Settings.ts"

/** Like any wrong setting, it is for the operator to mend. */
export class DataDirUnusable extends Data.TaggedError("DataDirUnusable")<{ readonly message: string }> {}

const refuseAs = (variable: string) => (cause: unknown) =>
  new DataDirUnusable({ message: `${variable}: ${cause instanceof Error ? cause.message : String(cause)}` })

export const refuse = refuseAs("DATA_DIR")

/** What lies in it: the embedded database, the key that is not given, the journal of captured calls, and the files of trainers. */
const isUsed = ({ encryptionKeys, journalDir, storage, trainerCommand }: Settings): boolean =>
  storage === "embedded" ||
  journalDir !== null ||
  (storage === "postgres" && encryptionKeys === null) ||
  trainerCommand !== null

const usable = (variable: string, folder: string) =>
  Effect.tryPromise({
    try: async () => {
      await fs.mkdir(folder, { recursive: true })
      await fs.access(folder, fs.constants.W_OK | fs.constants.X_OK)
    },
    catch: refuseAs(variable)
  })

export const prepare = Effect.fnUntraced(function* (settings: Settings) {
  if (isUsed(settings)) yield* usable("DATA_DIR", settings.dataDir)
  if (settings.blobsDir !== null) yield* usable("BLOBS_DIR", settings.blobsDir)
})
