/** The inputs of an executor for one attempt of a stage: rows, blobs, the budget's meter, and scores. */
import { Blobs } from "@limbeck/core/blobs/Blobs"
import type { Work } from "@limbeck/core/queue/Queue"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { DatasetVersion } from "../../dataset/DatasetVersion.ts"
import * as StoredRows from "../../dataset/internal/StoredRows.ts"
import { RowStore } from "../../dataset/RowStore.ts"
import { DistillLimits } from "../../Limits.ts"
import { HostedModels } from "../../race/HostedModels.ts"
import * as Budget from "../Budget.ts"
import { type Meter, overBudget, type StageBlobs, type StageContext, StageFailure } from "../Executor.ts"
import * as Run from "../Run.ts"
import type { RunHold } from "./RunHold.ts"
import * as StageScorings from "./StageScorings.ts"
import * as UnlabelledPrompts from "./UnlabelledPrompts.ts"

const storageFailed = () =>
  new StageFailure({ code: "storage_unavailable", message: "The storage did not answer", retryable: true })

const refused = (code: string, message: string) => new StageFailure({ code, message, retryable: false })

const absent = (sha256: string) => refused("blob_missing", `There is no content ${sha256}`)

const makeOpening = Effect.map(
  HostedModels,
  (hosted) =>
    ({ partition }: Work): StageContext["openEmbeddings"] =>
      Effect.fnUntraced(function* (model) {
        const found = Option.getOrUndefined(yield* Effect.mapError(hosted.open(partition, model), storageFailed))
        if (found === undefined) return yield* refused("source_gone", `There is no source ${model.source}`)
        const { embeddings } = found
        return embeddings.refusal === null ? embeddings : yield* refused("embeddings_refused", embeddings.refusal)
      })
)

export const make = Effect.gen(function* () {
  const rowStore = yield* RowStore
  const blobs = yield* Blobs
  const openingIn = yield* makeOpening
  const scoringOf = yield* StageScorings.make
  const unlabelledOf = yield* UnlabelledPrompts.make

  const rowsOf =
    (work: Work, version: DatasetVersion): StageContext["rows"] =>
    (split) =>
      rowStore.scan(work.partition, version.id, split).pipe(
        Stream.mapEffect((stored) => Effect.map(StoredRows.rowOf(stored), (row) => ({ key: stored.key, row }))),
        Stream.mapError(storageFailed)
      )

  const blobsOf = ({ partition }: Work): StageBlobs => ({
    put: (content) =>
      Effect.catchTag(blobs.put(partition, content), "StorageError", () => Effect.fail(storageFailed())),
    get: (sha256) =>
      Stream.unwrap(
        Effect.map(blobs.exists(partition, sha256), (exists) =>
          exists ? Stream.mapError(blobs.get(partition, sha256), storageFailed) : Stream.fail(absent(sha256))
        ).pipe(Effect.mapError(storageFailed))
      )
  })

  /** Reserves, ahead if the budget allows it. Returns the reserved usage once it is stored. */
  const reserveIn = Effect.fnUntraced(function* (hold: RunHold, seq: number, upTo: Run.Usage) {
    const run = hold.run()
    const ahead = Budget.ahead(run, upTo, Math.floor(run.budgetMicros * DistillLimits.budgetQuantum))
    const granted = Budget.reserve(run, seq, ahead) === null ? upTo : ahead
    const next = Budget.reserve(run, seq, granted)
    if (next === null) return yield* overBudget
    hold.progress(next)
    yield* hold.write
    return granted
  })

  const meterOf = (hold: RunHold, run: Run.Run, stage: Run.RunStage): Meter => {
    let granted = 0
    const grant = (usage: Run.Usage) =>
      Effect.sync(() => {
        granted = Budget.costOf(run.prices, usage)
      })
    return {
      start: stage.checkpoint?.usage ?? Budget.noUsage,
      reserve: (upTo) =>
        Effect.suspend(() =>
          Budget.costOf(run.prices, upTo) <= granted
            ? Effect.void
            : Effect.flatMap(reserveIn(hold, stage.seq, upTo), grant)
        ).pipe(
          // A worker that lost its lease is stopped by its next write.
          Effect.mapError((error) => (error instanceof StageFailure ? error : storageFailed()))
        )
    }
  }

  return (hold: RunHold, version: DatasetVersion): StageContext => {
    const { work } = hold
    const run = hold.run()
    const stage = Run.currentStage(run)
    return {
      partition: work.partition,
      run,
      stage,
      version,
      rows: rowsOf(work, version),
      unlabelled: Stream.mapError(unlabelledOf(work.partition, run), storageFailed),
      blobs: blobsOf(work),
      openEmbeddings: openingIn(work),
      meter: meterOf(hold, run, stage),
      scoring: scoringOf(hold, stage)
    }
  }
})
