/**
 * Counts rows with the tokenizers of the models in a folder. Caches the counts, because versions and models are immutable.
 */

import { BoundedCache, entries } from "@limbeck/core/cache/BoundedCache"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as FairSlots from "@limbeck/core/pools/FairSlots"
import { Pools } from "@limbeck/core/pools/Pools"
import { RowStore } from "@limbeck/distill/dataset/RowStore"
import { StudentTokens, type TokenCount } from "@limbeck/distill/recipe/StudentTokens"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as ModelsDir from "../internal/ModelsDir.ts"
import * as CountingThread from "./CountingThread.ts"
import { TokenLimits } from "./internal/Limits.ts"

/** The first rows by key are a fair sample: keys are digests. */
const sampleOf = Effect.fnUntraced(function* (rows: RowStore["Service"], partition: Partition, version: string) {
  let characters = 0
  return yield* rows.scan(partition, version, "train").pipe(
    Stream.take(TokenLimits.rowsMax),
    Stream.map(({ body }) => body),
    Stream.takeUntil((body) => {
      characters += body.length
      return characters >= TokenLimits.charactersMax
    }),
    Stream.runCollect
  )
})

const make = Effect.fnUntraced(function* (modelsDir: string) {
  const rows = yield* RowStore
  const counts = new BoundedCache<string, TokenCount | null>(entries(TokenLimits.keptMax))
  const slots = FairSlots.make(Pools.tokenCounts)

  const count = Effect.fnUntraced(function* (
    partition: Partition,
    version: string,
    folder: string
  ): Effect.fn.Return<TokenCount | null, StorageError> {
    const bodies = yield* sampleOf(rows, partition, version)
    if (bodies.length === 0) return null
    return yield* CountingThread.count({ folder, bodies }).pipe(
      Effect.timeout(TokenLimits.patience),
      Effect.catch(({ message }) =>
        Effect.annotateLogs(Effect.logWarning("tokens_not_counted", message), { folder }).pipe(Effect.as(null))
      )
    )
  })

  return StudentTokens.of({
    count: Effect.fn("StudentTokens.count")(function* (partition, version, student) {
      const folder = yield* Effect.promise(() => ModelsDir.folderOf(modelsDir, student))
      if (folder === null) return null
      const key = `${partition.key} ${version} ${student}`
      return yield* counts.lookup(
        key,
        (count) => count !== null,
        slots.run(partition.workspace, count(partition, version, folder))
      )
    })
  })
})

/** `modelsDir`: folders of models by their names, each with `tokenizer.json` and `tokenizer_config.json`. */
export const layer = (modelsDir: string): Layer.Layer<never, never, RowStore> =>
  Layer.effect(StudentTokens, make(modelsDir))
