/**
 * Removes unneeded contents a day after their last put: until then, a resource that names them may still be written. Any
 * number of servers may do so at once.
 */
import { type BlobKey, Blobs } from "@limbeck/core/blobs/Blobs"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Kind } from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import type { RetentionRule } from "@limbeck/core/retention/RetentionRule"
import { dayMillis, type Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as DatasetVersion from "../dataset/DatasetVersion.ts"
import { DistillLimits } from "../Limits.ts"
import * as Pull from "../pull/Pull.ts"
import * as Run from "../run/Run.ts"
import * as StudentModel from "../student/StudentModel.ts"
import * as Upload from "../upload/Upload.ts"
import * as BlobLabel from "./internal/BlobLabel.ts"
import * as References from "./internal/References.ts"

export interface BlobRetentionSettings {
  /** Retention of upload and pull contents, in days after they were read; null: for ever. */
  readonly uploadDays: number | null
}

type Holder = Upload.Upload | Pull.Pull

const byPartition = (keys: ReadonlyArray<BlobKey>): ReadonlyArray<readonly [Partition, ReadonlyArray<string>]> =>
  Object.values(Object.groupBy(keys, ({ partition }) => partition.key)).flatMap((group = []) =>
    group.slice(0, 1).map(({ partition }) => [partition, group.map(({ sha256 }) => sha256)] as const)
  )

/** What uploads and pulls still need, by their labels. */
const makeHeldBy = Effect.fnUntraced(function* ({ uploadDays }: BlobRetentionSettings) {
  const resources = yield* ResourceStore

  /** Uploads and pulls used by a version under construction. */
  const builtFrom = Effect.fnUntraced(function* (partition: Partition) {
    const found = new Set<string>()
    const building = yield* resources.findByLabels(partition, DatasetVersion.kind, ["status:building"])
    for (const { source } of building) for (const id of Object.values(source)) if (typeof id === "string") found.add(id)
    return found
  })

  /** Closes a content to new versions. A concurrent write leaves it to the next round. */
  const giveUp = Effect.fnUntraced(function* <A extends Holder>(
    partition: Partition,
    kind: Kind<A>,
    id: string,
    now: Millis
  ) {
    const stored = yield* resources.find(partition, kind, id)
    if (Option.isNone(stored)) return
    const value = { ...stored.value.value, contentGoneAt: now, updatedAt: now }
    yield* Effect.catchTag(
      resources.compareAndSet(partition, kind, { ...stored.value, value }),
      "RevisionConflict",
      () => Effect.void
    )
  })

  /** The digests held by labelled uploads or pulls. Closes outdated ones. */
  return Effect.fnUntraced(function* <A extends Holder>(
    partition: Partition,
    kind: Kind<A>,
    labels: ReadonlyArray<string>,
    now: Millis
  ) {
    const holders = yield* resources.findByLabels(partition, kind, labels)
    if (uploadDays !== null) {
      const outdated = holders.filter((one) => References.isOutdated(one, { keptMillis: uploadDays * dayMillis, now }))
      yield* Effect.forEach(outdated, ({ id }) => giveUp(partition, kind, id, now), { discard: true })
    }
    const isGoing = holders.some(({ contentGoneAt }) => contentGoneAt !== undefined)
    const building = isGoing ? yield* builtFrom(partition) : new Set<string>()
    return holders
      .filter((one) => References.holdsContent(one, { builtFrom: building, now }))
      .flatMap(({ blob }) => (blob === null ? [] : [blob.sha256]))
  })
})

/** The contents still needed by a resource. */
const makeNeeded = Effect.fnUntraced(function* (settings: BlobRetentionSettings) {
  const resources = yield* ResourceStore
  const heldBy = yield* makeHeldBy(settings)

  return Effect.fnUntraced(function* (partition: Partition, digests: ReadonlyArray<string>, now: Millis) {
    const labels = BlobLabel.labels(digests)
    const uploads = yield* heldBy(partition, Upload.kind, labels, now)
    const pulls = yield* heldBy(partition, Pull.kind, labels, now)
    const runs = yield* resources.findByLabels(partition, Run.kind, labels)
    const students = yield* resources.findByLabels(partition, StudentModel.kind, labels)
    return new Set([
      ...uploads,
      ...pulls,
      ...runs.flatMap((run) => [...References.requiredDigests(run)]),
      ...students.flatMap(({ artifact }) => (artifact === null ? [] : [artifact.sha256]))
    ])
  })
})

/** One look at every content; returns how many were removed. */
export const make = Effect.fnUntraced(function* (settings: BlobRetentionSettings) {
  const blobs = yield* Blobs
  const needed = yield* makeNeeded(settings)

  const removeFrom = Effect.fnUntraced(function* (
    partition: Partition,
    digests: ReadonlyArray<string>,
    { before, now }: { readonly before: Millis; readonly now: Millis }
  ) {
    const kept = yield* needed(partition, digests, now)
    const removed = yield* Effect.forEach(
      digests.filter((digest) => !kept.has(digest)),
      (digest) => blobs.removeIfQuiet(partition, digest, before)
    )
    return removed.filter((wasRemoved) => wasRemoved).length
  })

  return (now: Millis): Effect.Effect<number, StorageError> => {
    const before = now - DistillLimits.blobGraceMillis
    const removeAll = (keys: ReadonlyArray<BlobKey>) =>
      Effect.forEach(byPartition(keys), ([partition, digests]) => removeFrom(partition, digests, { before, now }))
    return blobs.quiet(before).pipe(
      Stream.grouped(DistillLimits.blobRetentionBatch),
      Stream.mapEffect(removeAll),
      Stream.runFold(
        () => 0,
        (sum, removed) => sum + removed.reduce((all, one) => all + one, 0)
      )
    )
  }
})

export const rule = (settings: BlobRetentionSettings): Effect.Effect<RetentionRule, never, Blobs | ResourceStore> =>
  Effect.map(make(settings), (removeUnneeded) => ({
    name: "contents that nothing needs",
    setting: "uploadRetentionDays",
    delayMillis: DistillLimits.blobRetentionDelayMillis,
    everyMillis: DistillLimits.blobRetentionEveryMillis,
    retryMillis: DistillLimits.blobRetentionEveryMillis,
    removeBatch: (now) => Effect.as(removeUnneeded(now), "done")
  }))
