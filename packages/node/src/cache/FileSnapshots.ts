/**
 * Snapshots of caches in the journal's folder, one file each, encrypted under the server's key and readable by its user
 * alone. A file is replaced as a whole, so that a kill leaves the earlier file.
 */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { type SnapshotStore, Snapshots } from "@limbeck/core/cache/SnapshotStore"
import { Secrets } from "@limbeck/core/secrets/Secrets"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { orMissing } from "../internal/ErrorCode.ts"
import { privateFile, privateFolder } from "../internal/PrivateModes.ts"

/** Binds a sealed text to its file. */
const contextOf = (name: string): string => `snapshot ${name}`

const replace = async (file: string, text: string): Promise<void> => {
  // One per process at most stays after a kill.
  const draft = `${file}.${process.pid}`
  try {
    await fs.mkdir(path.dirname(file), { recursive: true, mode: privateFolder })
    await fs.writeFile(draft, text, { mode: privateFile, flush: true })
    await fs.rename(draft, file)
  } catch (error) {
    await fs.rm(draft, { force: true })
    throw error
  }
}

/** The reason without the text: a defect of decryption may hold it. */
const warn = (event: string, name: string, cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  const reason = error instanceof Error && "code" in error ? String(error.code) : "unreadable"
  return Effect.annotateLogs(Effect.logWarning(event), { name, reason })
}

const make = Effect.fnUntraced(function* (directory: string) {
  const secrets = yield* Secrets
  const fileOf = (name: string) => path.join(directory, `known-${name}`)

  /** Null for a snapshot of another key and for a damaged one; the start checks the key itself. */
  const unseal = (name: string, sealed: string) =>
    Effect.catchCause(secrets.open(sealed, contextOf(name)), (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.as(Effect.annotateLogs(Effect.logDebug("snapshot_not_opened"), { name }), null)
    )

  const store: SnapshotStore = {
    load: (name) =>
      Effect.promise(() => orMissing(fs.readFile(fileOf(name), "utf8"))).pipe(
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.interrupt
            : Effect.as(warn("snapshot_unreadable", name, cause), undefined)
        ),
        Effect.flatMap((sealed) => (sealed === undefined ? Effect.succeed(null) : unseal(name, sealed)))
      ),
    save: (name, text) =>
      Effect.flatMap(secrets.seal(text, contextOf(name)), (sealed) =>
        Effect.promise(() => replace(fileOf(name), sealed))
      ).pipe(
        Effect.as(true),
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.as(warn("snapshot_not_saved", name, cause), false)
        )
      )
  }
  return store
})

/** `directory` is made if it is missing; that of the journal will do. */
export const layer = ({ directory }: { readonly directory: string }): Layer.Layer<never, never, Secrets> =>
  Layer.effect(Snapshots, make(directory))
