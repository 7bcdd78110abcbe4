/** Creates a missing data folder, or fails with one sentence. */
import * as crypto from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { makeFolder } from "@limbeck/node/folders/MakeFolder"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Settings } from "./Settings.ts"

/** Like any wrong setting, it is for the operator to mend. */
export class DataDirUnusable extends Data.TaggedError("DataDirUnusable")<{ readonly message: string }> {}

const refuseAs = (variable: string) => (cause: unknown) =>
  new DataDirUnusable({ message: `${variable}: ${cause instanceof Error ? cause.message : String(cause)}` })

export const refuse = refuseAs("DATA_DIR")

/**
 * The folder holds the embedded database, a generated key, the journal of captured calls, and the files of trainers and
 * served students.
 */
const isUsed = ({ encryptionKeys, journalDir, servingCommand, storage, trainerCommand }: Settings): boolean =>
  storage === "embedded" ||
  journalDir !== null ||
  (storage === "postgres" && encryptionKeys === null) ||
  trainerCommand !== null ||
  servingCommand !== null

/** Customer data is readable by this user alone, regardless of the umask. */
const privateFolder = 0o700

/** A full disk may have room again. */
const isFull = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")

/** Rejects if no file can be created, as in /proc, even for root. */
const tryFile = async (folder: string): Promise<void> => {
  const file = path.join(folder, `.try-${crypto.randomUUID()}`)
  await fs.writeFile(file, "", { flag: "wx", mode: 0o600 }).catch((error) => {
    if (!isFull(error)) throw error
  })
  await fs.rm(file, { force: true })
}

const usable = (variable: string, folder: string) =>
  Effect.tryPromise({
    try: async () => {
      await makeFolder(folder)
      await fs.access(folder, fs.constants.W_OK | fs.constants.X_OK)
      await tryFile(folder)
    },
    catch: refuseAs(variable)
  })

/** Folders in `DATA_DIR` with customer data. */
const innerFolders = ["postgres", "blobs", "journal", "trainers", "served"]

/** Closes folders that an earlier version left readable. Skips missing folders and those of other accounts. */
const closeInner = ({ dataDir }: Settings) =>
  Effect.promise(() =>
    Promise.allSettled(innerFolders.map((name) => fs.chmod(path.join(dataDir, name), privateFolder)))
  )

export const prepare = Effect.fnUntraced(function* (settings: Settings) {
  if (isUsed(settings)) {
    yield* usable("DATA_DIR", settings.dataDir)
    yield* closeInner(settings)
  }
  if (settings.blobsDir !== null) yield* usable("BLOBS_DIR", settings.blobsDir)
  if (settings.journalDir !== null) yield* usable("JOURNAL_DIR", settings.journalDir)
})
