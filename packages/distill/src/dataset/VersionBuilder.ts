/**
 * Builds dataset versions: reads the rows of an upload or a pull, redacts them, drops duplicates, splits what is left, and
 * stores it in batches, each fenced by the lease. Rows are keyed by their digest, so a build that begins again writes the
 * same rows under the same keys.
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
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ContentWorker from "../ContentWorker.ts"
import { Limits } from "../Limits.ts"
import * as Pull from "../pull/Pull.ts"
import { canonicalJson } from "../run/PlanHash.ts"
import * as Upload from "../upload/Upload.ts"
import * as UploadContent from "../upload/UploadContent.ts"
import * as DatasetVersion from "./DatasetVersion.ts"
import { eventsOf } from "./DatasetVersionResource.ts"
import { DigestTable } from "./DigestTable.ts"
import * as PromptKey from "./PromptKey.ts"
import type { Row } from "./Row.ts"
import * as RowProfiler from "./RowProfiler.ts"
import { RowStore, type StoredRow } from "./RowStore.ts"
import { redactRow } from "./redaction/Redaction.ts"
import { splitOf } from "./Split.ts"
import * as VersionMachine from "./VersionMachine.ts"

/** Builds versions that are due. */
export class VersionBuilder extends Context.Service<VersionBuilder, LeasedWorker>()(
  "@limbeck/distill/dataset/VersionBuilder"
) {}

type Lines = ReadonlyArray<UploadContent.ReadLine>
type Rules = Pick<DatasetVersion.DatasetVersion, "dedupe" | "holdoutFraction" | "redact" | "seed">

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
  readonly redactions: number
  readonly nearDuplicates: number
  readonly tally: RowProfiler.Tally
}

const begin: Progress = {
  trainRows: 0,
  holdoutRows: 0,
  duplicates: 0,
  invalid: 0,
  redactions: 0,
  nearDuplicates: 0,
  tally: RowProfiler.empty
}

/** A row as the version keeps it. */
interface PreparedRow {
  readonly text: string
  readonly row: Row
  readonly redactions: number
  readonly digest: Uint8Array
  readonly promptKey: Uint8Array
}

/** What was met so far. A builder holds about 75 bytes of each row, and twice that while the tables grow. */
class Met {
  readonly rows = new DigestTable(32)
  readonly prompts = new DigestTable(8)
}

/** The text stays as it came where nothing is to be taken out of it. */
const redacted = ({ content, text }: UploadContent.ReadLine, { redact = [] }: Rules) =>
  Result.map(content, ({ json, row }) => {
    // A row is an object: it was just read as one.
    const { count, value } = redactRow(json as Schema.JsonObject, redact)
    // Redaction changes nothing but strings, so it is a row as before.
    return count === 0
      ? { text, row, json, redactions: 0 }
      : { text: JSON.stringify(value), row: value as Row, json: value, redactions: count }
  })

const keyOf = (digest: Uint8Array, occurrence: number): string =>
  occurrence === 0 ? Hex.encode(digest) : `${Hex.encode(digest)}.${String(occurrence).padStart(8, "0")}`

/** Takes one more row: what there is now, and what to store of it. Null: a line that is no row. */
const take = (
  progress: Progress,
  prepared: PreparedRow | null,
  rules: Rules,
  met: Met
): readonly [Progress, StoredRow | null] => {
  if (prepared === null) return [{ ...progress, invalid: progress.invalid + 1 }, null]
  const { digest, promptKey, redactions, row, text } = prepared
  // By the prompt, not by the row: so near-duplicates are on one side.
  const split = splitOf(promptKey, rules.seed, rules.holdoutFraction)
  const occurrence = met.rows.add(digest, split === "holdout")
  if (occurrence > 0 && rules.dedupe === "exact") return [{ ...progress, duplicates: progress.duplicates + 1 }, null]
  const counted = split === "train" ? "trainRows" : "holdoutRows"
  const isNear = met.prompts.add(promptKey, split === "holdout") > 0
  const next: Progress = {
    ...progress,
    [counted]: progress[counted] + 1,
    redactions: progress.redactions + redactions,
    nearDuplicates: progress.nearDuplicates + (isNear ? 1 : 0),
    tally: RowProfiler.add(progress.tally, row)
  }
  return [next, { key: keyOf(digest, occurrence), split, body: text }]
}

const takeAll = (progress: Progress, rows: ReadonlyArray<PreparedRow | null>, rules: Rules, met: Met) => {
  const kept: Array<StoredRow> = []
  let current = progress
  for (const row of rows) {
    const [next, stored] = take(current, row, rules, met)
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

  const prepare = (line: UploadContent.ReadLine, rules: Rules): Effect.Effect<PreparedRow | null> => {
    const read = redacted(line, rules)
    if (Result.isFailure(read)) return Effect.succeed(null)
    const { json, redactions, row, text } = read.success
    return Effect.map(digests.digest(sha256, utf8.encode(canonicalJson(json))), (digest) => ({
      text,
      row,
      redactions,
      digest,
      promptKey: PromptKey.of(row, digest)
    }))
  }

  /** Stores every row that the version keeps, and says what was found. */
  const build = Effect.fnUntraced(function* (
    work: Work,
    version: DatasetVersion.DatasetVersion,
    lines: Stream.Stream<UploadContent.ReadLine, UploadContent.ContentRefused | StorageError>
  ) {
    const met = new Met()
    const step = Effect.fnUntraced(function* (progress: Progress, batch: Lines) {
      const rows = yield* Effect.forEach(batch, (line) => prepare(line, version), { concurrency: "unbounded" })
      const taken = takeAll(progress, rows, version, met)
      yield* storage.transaction(
        Effect.andThen(queue.guard(work), rowStore.append(work.partition, version.id, taken.kept))
      )
      return taken.progress
    })
    const { duplicates, holdoutRows, invalid, nearDuplicates, redactions, tally, trainRows } =
      yield* Stream.runFoldEffect(batches(lines), () => begin, step)
    const written = met.rows.write(version.dedupe === "exact" ? 1 : Limits.uploadLinesMax)
    return VersionMachine.VersionEvent.Built({
      trainRows,
      holdoutRows,
      contentSha256: yield* digests.digestHex(sha256, written),
      dropped: { duplicates, invalid, redactions },
      nearDuplicates,
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

  const sourceOf = Effect.fnUntraced(function* (work: Work, from: DatasetVersion.RowsFrom) {
    if ("pull" in from) return Option.getOrNull(yield* resources.find(work.partition, Pull.kind, from.pull))
    return Option.getOrNull(yield* resources.find(work.partition, Upload.kind, from.upload))
  })

  const linesOf = Effect.fnUntraced(function* (work: Work, from: DatasetVersion.RowsFrom) {
    const content = (yield* sourceOf(work, from))?.value ?? null
    return content === null || content.blob === null
      ? Stream.fail(new UploadContent.ContentRefused({ message: "What the rows came from is no longer there" }))
      : UploadContent.lines(blobs, work.partition, { blob: content.blob, gzip: content.gzip })
  })

  const perform = Effect.fn("VersionBuilder.perform")(function* (work: Work) {
    const stored = Option.getOrUndefined(yield* resources.find(work.partition, DatasetVersion.kind, work.subject))
    if (stored?.value.status !== "building") return yield* queue.settle(work)
    const lines = Stream.unwrap(linesOf(work, stored.value.source))
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
