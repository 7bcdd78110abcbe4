/**
 * The default source of a partition: a single row with its id, so that concurrent changes leave exactly one default. Runs
 * inside the transaction that changes the source.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { defaultKind, defaultRow, type SourceId } from "../Source.ts"

/** More who move it than ever meet. */
const moversMax = 50

export const make = (resources: ResourceStore["Service"]) => {
  const find = (partition: Partition) => resources.find(partition, defaultKind, defaultRow)

  const current = (partition: Partition): Effect.Effect<SourceId | null, StorageError> =>
    Effect.map(find(partition), (found) => (Option.isSome(found) ? found.value.value.source : null))

  const move = Effect.fnUntraced(function* (partition: Partition, source: SourceId, now: Millis) {
    const found = yield* find(partition)
    if (Option.isNone(found)) {
      return yield* resources.insert(partition, defaultKind, { id: defaultRow, source, createdAt: now })
    }
    const { revision, value } = found.value
    yield* resources.compareAndSet(partition, defaultKind, { revision, value: { ...value, source } })
  })

  /** A concurrent change leads to a retry. */
  const set = (partition: Partition, source: SourceId, now: Millis): Effect.Effect<void, StorageError> =>
    move(partition, source, now).pipe(
      Effect.retry({ times: moversMax, while: ({ _tag }) => _tag !== "StorageError" }),
      Effect.catchTags({ AlreadyExists: Effect.die, RevisionConflict: Effect.die })
    )

  /** Does nothing if another source is the default by now. */
  const unset = Effect.fnUntraced(function* (partition: Partition, source: string) {
    if ((yield* current(partition)) === source) yield* resources.remove(partition, defaultKind, defaultRow)
  })

  return { current, set, unset }
}
