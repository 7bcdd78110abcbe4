/**
 * Builds dataset versions: reads the upload's rows, drops duplicates, splits what is left, and stores it in batches, each
 * fenced by the lease. Rows are keyed by their digest, so a build that begins again writes the same rows under the same keys.
 */
import { Blobs } from "@limbeck/core/blobs/Blobs"
import type { StorageError } from "@limbeck/core/errors/Errors"
import { Events } from "@limbeck/core/events/Events"
import type { LeasedWorker } from "@limbeck/core/queue/LeasedWorker"
import { Queue, type Work } from "@limbeck/core/queue/Queue"
import type { Stored } from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as ContentWorker from "../ContentWorker.ts"
import { Limits } from "../Limits.ts"
import { canonicalJson } from "../run/PlanHash.ts"
import * as Upload from "../upload/Upload.ts"
import * as UploadContent from "../upload/UploadContent.ts"
import * as DatasetVersion from "./DatasetVersion.ts"
import { eventsOf } from "./DatasetVersionResource.ts"
import { DigestTable } from "./DigestTable.ts"
import * as RowProfiler from "./RowProfiler.ts"
import { RowStore, type StoredRow } from "./RowStore.ts"
import { splitOf } from "./Split.ts"
import * as VersionMachine from "./VersionMachine.ts"

/** Builds versions that are due. */
export class VersionBuilder extends Context.Service<VersionBuilder, LeasedWorker>()(
  "@limbeck/distill/dataset/VersionBuilder"
) {}

type Lines = ReadonlyArray<UploadContent.ReadLine>
type Rules = Pick<DatasetVersion.DatasetVersion, "dedupe" | "holdoutFraction" | "seed">

/** Lines in batches that hold neither too many nor too much. */
const batches = <E>(lines: Stream.Stream<UploadContent.ReadLine, E>): Stream.Stream<Lines, E> =>
  Stream.mapAccum(
    lines,
    () => ({ held: [] as Lines, characters: 0 }),
    ({ characters, held }, line) => {
      const batch = { held: [...held, line], characters: characters + line.text.length }
      const isFull = batch.held.length >= Limits.rowBatch || batch.characters >= Limits.rowBatchBytes
      return isFull ? [{ held: [], characters: 0 }, [batch.held]] : [batch, []]
    },
    { onHalt: ({ held }) => (held.length === 0 ? [] : [held]) }
  )

interface Progress {
  readonly trainRows: number
  readonly holdoutRows: number
  readonly duplicates: number
  readonly invalid: number
  readonly tally: RowProfiler.Tally
}

const begin: Progress = { trainRows: 0, holdoutRows: 0, duplicates: 0, invalid: 0, tally: RowProfiler.empty }

interface DigestedRow {
  readonly text: string
  readonly content: UploadContent.ReadLine["content"]
  /** Null for a line that is no row. */
  readonly digest: Uint8Array | null
}

const keyOf = (digest: Uint8Array, occurrence: number): string =>
  occurrence === 0 ? Hex.encode(digest) : `${Hex.encode(digest)}.${String(occurrence).padStart(8, "0")}`

/** Takes one more row: what there is now, and what to store of it. Marks the row as met in `table`. */
const take = (
  progress: Progress,
  { content, digest, text }: DigestedRow,
  rules: Rules,
  table: DigestTable
): readonly [Progress, StoredRow | null] => {
  if (digest === null || Result.isFailure(content)) return [{ ...progress, invalid: progress.invalid + 1 }, null]
  const occurrence = table.add(digest)
  if (occurrence > 0 && rules.dedupe === "exact") return [{ ...progress, duplicates: progress.duplicates + 1 }, null]
  const split = splitOf(digest, rules.seed, rules.holdoutFraction)
  const counted = split === "train" ? "trainRows" : "holdoutRows"
  return [
    { ...progress, [counted]: progress[counted] + 1, tally: RowProfiler.add(progress.tally, content.success.row) },
    { key: keyOf(digest, occurrence), split, body: text }
  ]
}

const takeAll = (progress: Progress, rows: ReadonlyArray<DigestedRow>, rules: Rules, table: DigestTable) => {
  const kept: Array<StoredRow> = []
  let current = progress
  for (const row of rows) {
    const [next, stored] = take(current, row, rules, table)
    current = next
    if (stored !== null) kept.push(stored)
  }
  return { progress: current, kept }
}

const utf8 = new TextEncoder()

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const rowStore = yield* RowStore
  const blobs = yield* Blobs
  const queue = yield* Queue
  const events = yield* Events
  const digests = yield* Digest

  const digestLine = ({ content, text }: UploadContent.ReadLine): Effect.Effect<DigestedRow> =>
    Result.isFailure(content)
      ? Effect.succeed({ text, content, digest: null })
      : Effect.map(digests.digest(sha256, utf8.encode(canonicalJson(content.success.json))), (digest) => ({
          text,
          content,
          digest
        }))

  /** Stores every row that the version keeps, and says what was found. */
  const build = Effect.fnUntraced(function* (
    work: Work,
    version: DatasetVersion.DatasetVersion,
    lines: Stream.Stream<UploadContent.ReadLine, UploadContent.ContentRefused | StorageError>
  ) {
    const table = new DigestTable()
    const step = Effect.fnUntraced(function* (progress: Progress, batch: Lines) {
      const rows = yield* Effect.forEach(batch, digestLine, { concurrency: "unbounded" })
      const taken = takeAll(progress, rows, version, table)
      yield* storage.transaction(
        Effect.andThen(queue.guard(work), rowStore.append(work.partition, version.id, taken.kept))
      )
      return taken.progress
    })
    const { duplicates, holdoutRows, invalid, tally, trainRows } = yield* Stream.runFoldEffect(
      batches(lines),
      () => begin,
      step
    )
    const { dedupe, holdoutFraction, seed } = version
    const copiesMax = dedupe === "exact" ? 1 : Limits.uploadLinesMax
    const written = table.write(copiesMax, (digest) => splitOf(digest, seed, holdoutFraction) === "holdout")
    return VersionMachine.VersionEvent.Built({
      trainRows,
      holdoutRows,
      contentSha256: yield* digests.digestHex(sha256, written),
      dropped: { duplicates, invalid, redactions: 0 },
      profile: RowProfiler.profileOf(tally)
    })
  })

  const finish = Effect.fnUntraced(function* (
    work: Work,
    stored: Stored<DatasetVersion.DatasetVersion>,
    event: VersionMachine.VersionEvent
  ) {
    const now = yield* Clock.currentTimeMillis
    const version = yield* Effect.orDie(Effect.fromResult(VersionMachine.transition(stored.value, event, now)))
    yield* queue.guard(work)
    yield* resources.compareAndSet(work.partition, DatasetVersion.kind, { ...stored, value: version })
    yield* events.publish(work.partition, eventsOf(work.partition, version))
    yield* queue.settle(work)
  })

  const linesOf = Effect.fnUntraced(function* (work: Work, id: string) {
    const upload = Option.getOrUndefined(yield* resources.find(work.partition, Upload.kind, id))?.value
    return upload === undefined || upload.blob === null
      ? Stream.fail(new UploadContent.ContentRefused({ message: `Upload ${id} is no longer there` }))
      : UploadContent.lines(blobs, work.partition, { blob: upload.blob, gzip: upload.gzip })
  })

  const perform = Effect.fn("VersionBuilder.perform")(function* (work: Work) {
    const stored = Option.getOrUndefined(yield* resources.find(work.partition, DatasetVersion.kind, work.subject))
    if (stored?.value.status !== "building") return yield* queue.settle(work)
    const lines = Stream.unwrap(linesOf(work, stored.value.source.upload))
    const event = yield* Effect.catchTag(build(work, stored.value, lines), "ContentRefused", ({ message }) =>
      Effect.succeed(VersionMachine.VersionEvent.Failed({ code: "source_unreadable", message }))
    )
    yield* storage.transaction(finish(work, stored, event)).pipe(
      // Only the holder of the lease writes a version that is being built, and the guard has just proved that we are it.
      Effect.catchTag("RevisionConflict", Effect.die)
    )
  })

  return VersionBuilder.of(yield* ContentWorker.make(DatasetVersion.topic, perform))
})

export const layer: Layer.Layer<
  VersionBuilder,
  never,
  Storage | ResourceStore | RowStore | Blobs | Queue | Events | Digest
> = Layer.effect(VersionBuilder, make)
