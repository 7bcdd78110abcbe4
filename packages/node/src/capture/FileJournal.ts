/**
 * The journal in a folder of this machine. Several processes may share the folder; another process ships a dead process's
 * records, at its start or within seconds. Disk errors cost records, which are counted, and never a call.
 */
import { Journal, type Shelf } from "@limbeck/capture/journal/Journal"
import * as Invariant from "@limbeck/core/errors/Invariant"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type JournalBounds, JournalFiles } from "./journal/internal/JournalFiles.ts"
import { heartbeatMillis } from "./journal/internal/Owner.ts"

/** The folder of the journal and its bounds; usual bounds by default. */
export interface FileJournalOptions extends Partial<JournalBounds> {
  /** Created if missing. Must lie on a local disk: other machines' processes need another folder. */
  readonly directory: string
}

const usual: JournalBounds = {
  bytesMax: 1024 ** 3,
  segmentBytes: 8 * 1024 ** 2,
  heldBytesMax: 32 * 1024 ** 2
}

/** Disk failures appear in the figures, and in the log at their beginning and end. */
const watchFiles = (files: JournalFiles) => {
  let last: string | null = null
  return Effect.suspend(() => {
    const { dropped, trouble } = files.figures
    if (trouble === last) return Effect.void
    last = trouble
    const event = trouble === null ? Effect.logInfo("journal_recovered") : Effect.logWarning("journal_failed")
    return Effect.annotateLogs(event, trouble === null ? { dropped } : { dropped, reason: trouble })
  })
}

/** Once: a broken invariant stays. The journal goes on, since each of its records is safe in its file. */
const assertFiles = (files: JournalFiles) => {
  let isReported = false
  return Effect.suspend(() => {
    if (isReported || files.mistake === null) return Effect.void
    isReported = true
    return Effect.ignoreCause(Invariant.check("JournalFiles", files.mistake, { ...files.figures }))
  })
}

const adopting = (files: JournalFiles) => {
  let lastFailure = ""
  const failed = ({ cause }: Cause.UnknownError) => {
    const failure = String(cause)
    if (failure === lastFailure) return Effect.void
    lastFailure = failure
    return Effect.annotateLogs(Effect.logWarning("journal_folder_unreadable"), { failure })
  }
  return Effect.tryPromise(() => files.adopt()).pipe(
    Effect.flatMap(({ lost, records }) => {
      const adopted = Effect.logInfo("captured_calls_adopted")
      const damaged = Effect.logWarning("captured_calls_damaged")
      return Effect.andThen(
        records > 0 ? Effect.annotateLogs(adopted, { records }) : Effect.void,
        lost > 0 ? Effect.annotateLogs(damaged, { records: lost }) : Effect.void
      )
    }),
    Effect.catch(failed)
  )
}

const nobody = () => {}

const make = Effect.fnUntraced(function* ({ directory, ...bounds }: FileJournalOptions) {
  const files = new JournalFiles(directory, { ...usual, ...bounds })
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.tryPromise(() => files.close())))
  const beating = Effect.ignore(Effect.tryPromise(() => files.beat()))
  const round = Effect.all([beating, adopting(files), watchFiles(files), assertFiles(files)], { discard: true })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(round, Effect.sleep(heartbeatMillis))))

  const shelf: Shelf = {
    put: (record) =>
      record.kind === "shadow"
        ? Effect.sync(() => files.append(record, nobody))
        : Effect.callback<void>((resume) => files.append(record, () => resume(Effect.void))),
    next: (max) => Effect.promise(() => files.next(max)),
    acknowledge: Effect.promise(() => files.acknowledge()),
    awaitWaiting: (records) => files.waiting.awaitCount(records),
    figures: Effect.sync(() => files.figures)
  }
  return shelf
})

/** Keeps the journal in the folder, which several processes of this machine may share. */
export const layer = (options: FileJournalOptions): Layer.Layer<never> => Layer.effect(Journal, make(options))
