/**
 * Removes contents that nobody refers to any more, a day after they were last put: until then whoever put them may still be
 * about to say so. Any number of servers may do it at once.
 */
import { type BlobKey, Blobs } from "@limbeck/core/blobs/Blobs"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Kind } from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { dayMillis, type Millis } from "@limbeck/core/time/Timestamp"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as DatasetVersion from "../dataset/DatasetVersion.ts"
import { Limits } from "../Limits.ts"
import * as Pull from "../pull/Pull.ts"
import * as Run from "../run/Run.ts"
import * as StudentModel from "../student/StudentModel.ts"
import * as Upload from "../upload/Upload.ts"
import * as BlobLabel from "./BlobLabel.ts"
import * as References from "./References.ts"

export interface RetentionSettings {
  /** Contents of uploads and pulls are kept for so many days after they were read; null: for ever. */
  readonly uploadDays: number | null
}

export class BlobRetention extends Context.Service<
  BlobRetention,
  {
    /** Looks at every content once; answers how many went. */
    readonly runOnce: Effect.Effect<number, StorageError>
    /** Never ends. */
    readonly forever: Effect.Effect<never>
  }
>()("@limbeck/distill/retention/BlobRetention") {}

type Holder = Upload.Upload | Pull.Pull

const byPartition = (keys: ReadonlyArray<BlobKey>): ReadonlyArray<readonly [Partition, ReadonlyArray<string>]> =>
  Object.values(Object.groupBy(keys, ({ partition }) => partition.key)).flatMap((group = []) =>
    group.slice(0, 1).map(({ partition }) => [partition, group.map(({ sha256 }) => sha256)] as const)
  )

const make = Effect.fnUntraced(function* ({ uploadDays }: RetentionSettings) {
  const blobs = yield* Blobs
  const resources = yield* ResourceStore

  /** Uploads and pulls whose versions are under way. */
  const builtFrom = Effect.fnUntraced(function* (partition: Partition) {
    const found = new Set<string>()
    const building = yield* resources.labelled(partition, DatasetVersion.kind, ["status:building"])
    for (const { source } of building) for (const id of Object.values(source)) if (typeof id === "string") found.add(id)
    return found
  })

  /** From now on no version is begun from it; whoever writes it at the same time is left alone until the next round. */
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

  /** The digests that uploads, or pulls, hold among those that carry one of the labels; what is outdated is given up. */
  const heldBy = Effect.fnUntraced(function* <A extends Holder>(
    partition: Partition,
    kind: Kind<A>,
    labels: ReadonlyArray<string>,
    now: Millis
  ) {
    const holders = yield* resources.labelled(partition, kind, labels)
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

  /** Those of the contents that something still needs. */
  const needed = Effect.fnUntraced(function* (partition: Partition, digests: ReadonlyArray<string>, now: Millis) {
    const labels = BlobLabel.labels(digests)
    const uploads = yield* heldBy(partition, Upload.kind, labels, now)
    const pulls = yield* heldBy(partition, Pull.kind, labels, now)
    const runs = yield* resources.labelled(partition, Run.kind, labels)
    const students = yield* resources.labelled(partition, StudentModel.kind, labels)
    return new Set([
      ...uploads,
      ...pulls,
      ...runs.flatMap((run) => [...References.neededBy(run)]),
      ...students.flatMap(({ artifact }) => (artifact === null ? [] : [artifact.sha256]))
    ])
  })

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

  const runOnce = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const before = now - Limits.blobGraceMillis
    const removeAll = (keys: ReadonlyArray<BlobKey>) =>
      Effect.forEach(byPartition(keys), ([partition, digests]) => removeFrom(partition, digests, { before, now }))
    return yield* blobs.quiet(before).pipe(
      Stream.grouped(Limits.blobRetentionBatch),
      Stream.mapEffect(removeAll),
      Stream.runFold(
        () => 0,
        (sum, removed) => sum + removed.reduce((all, one) => all + one, 0)
      )
    )
  })

  const forever = runOnce.pipe(
    Effect.catchCause((cause) => Effect.logWarning("contents that nobody refers to could not be removed", cause)),
    Effect.repeat(Schedule.spaced(Limits.blobRetentionEveryMillis)),
    Effect.delay(Limits.blobRetentionDelayMillis),
    Effect.andThen(Effect.never)
  )

  return BlobRetention.of({ runOnce, forever })
})

export const layer = (settings: RetentionSettings): Layer.Layer<BlobRetention, never, Blobs | ResourceStore> =>
  Layer.effect(BlobRetention, make(settings))
