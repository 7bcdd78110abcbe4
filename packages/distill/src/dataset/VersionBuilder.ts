/**
 * Builds dataset versions: reads the source rows, redacts them, drops duplicates, splits the rest, and stores it in
 * batches, each fenced by the lease. Storage detects duplicates: a row with a taken key is one. So an attempt begins by
 * clearing the rows of a lost attempt, and memory grows by only 16 to 32 bytes per prompt. The next batch is prepared
 * while one is being stored.
 */

import type { Blobs } from "@limbeck/core/blobs/Blobs"
import type { StorageError } from "@limbeck/core/errors/Errors"
import { Events } from "@limbeck/core/events/Events"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Pools } from "@limbeck/core/pools/Pools"
import type { LeasedWorker } from "@limbeck/core/queue/LeasedWorker"
import { type LeaseLost, Queue, type Work } from "@limbeck/core/queue/Queue"
import type { StoredResource } from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Trace from "@limbeck/core/trace/Trace"
import * as Turns from "@limbeck/core/turns/Turns"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as ContentWorker from "../internal/ContentWorker.ts"
import { DistillLimits } from "../Limits.ts"
import type { Candidates } from "../race/Candidates.ts"
import { StudentProbe } from "../recipe/StudentProbe.ts"
import * as Run from "../run/Run.ts"
import { type ExaminedSuspect, isUnexaminable, type Unexaminable } from "../suspects/Examination.ts"
import * as Relabeling from "../suspects/Relabeling.ts"
import * as RelabelJournal from "../suspects/RelabelJournal.ts"
import * as SuspectWriter from "../suspects/SuspectWriter.ts"
import type { Gunzip } from "../upload/Gunzip.ts"
import { CallRows } from "./CallRows.ts"
import * as DatasetVersion from "./DatasetVersion.ts"
import { eventsOf } from "./DatasetVersionResource.ts"
import * as AddedWeights from "./internal/AddedWeights.ts"
import { isDecisionLine } from "./internal/CallRow.ts"
import * as CleanedRows from "./internal/CleanedRows.ts"
import * as ContentDigest from "./internal/ContentDigest.ts"
import type { DecisionLine } from "./internal/DecisionLine.ts"
import * as DecisionParts from "./internal/DecisionParts.ts"
import { type PreparedRow, prepareAll, prepareMerged, type Rules } from "./internal/PreparedRow.ts"
import { PromptAnswers } from "./internal/PromptAnswers.ts"
import { QuestionTable } from "./internal/QuestionTable.ts"
import { ReviewedRows } from "./internal/ReviewedRows.ts"
import * as RowKeys from "./internal/RowKeys.ts"
import type { RowLine, RowOrigin } from "./internal/RowLine.ts"
import * as RowReader from "./internal/RowReader.ts"
import * as StoredRows from "./internal/StoredRows.ts"
import { TemplateTable } from "./internal/TemplateTable.ts"
import { UnsupportedCount } from "./internal/UnsupportedCount.ts"
import * as VersionTexts from "./internal/VersionTexts.ts"
import * as RowProfiler from "./RowProfiler.ts"
import { RowStore, type StoredRow } from "./RowStore.ts"
import { RunningDigest } from "./RunningDigest.ts"
import * as VersionMachine from "./VersionMachine.ts"

/** Builds due versions. */
export class VersionBuilder extends Context.Service<VersionBuilder, LeasedWorker>()(
  "@limbeck/distill/dataset/VersionBuilder"
) {}

type Batch = ReadonlyArray<PreparedRow | null>

interface Filling {
  readonly held: Array<PreparedRow | null>
  readonly characters: number
}

/** Splits rows into full batches and the rest. */
const fill = (before: Filling, rows: Batch): readonly [Filling, ReadonlyArray<Batch>] => {
  const full: Array<Batch> = []
  let { characters, held } = before
  for (const row of rows) {
    held.push(row)
    characters += row?.text.length ?? 0
    if (held.length < DistillLimits.rowBatch && characters < DistillLimits.rowBatchBytes) continue
    full.push(held)
    held = []
    characters = 0
  }
  return [{ held, characters }, full]
}

/** Rows in batches that hold neither too many nor too much. */
const batches = Stream.mapAccum((): Filling => ({ held: [], characters: 0 }), fill, {
  onHalt: ({ held }) => (held.length === 0 ? [] : [held])
})

interface Progress {
  /** Lines read so far; distinguishes copies if all copies are kept. */
  readonly lines: number
  readonly trainRows: number
  readonly holdoutRows: number
  readonly duplicates: number
  readonly invalid: number
  readonly redactions: number
  readonly weights: number
  readonly weightSquares: number
  readonly madeOf: Readonly<Record<RowOrigin, number>>
  readonly tally: RowProfiler.Tally
}

const begin = (): Progress => ({
  lines: 0,
  trainRows: 0,
  holdoutRows: 0,
  duplicates: 0,
  invalid: 0,
  redactions: 0,
  weights: 0,
  weightSquares: 0,
  madeOf: { upstream: 0, fallback: 0, verified: 0, versions: 0 },
  tally: RowProfiler.begin()
})

/** A host without a builtin student. */
const noStudent: Unexaminable = { reason: "This host has no builtin student, whose training examines rows" }
const notExamined = { examined: 0, suspects: 0, confident: 0 }

const storedOf = (batch: Batch, rules: Rules, progress: Progress): ReadonlyArray<StoredRow | null> =>
  batch.map((row, index) =>
    row === null ? null : { key: RowKeys.keyOf(row, rules, progress.lines + index), split: row.split, body: row.text }
  )

const withRow = (progress: Progress, row: PreparedRow): Progress => {
  const { measured, origin, redactions, repeats, split, weight } = row
  const counted = split === "train" ? "trainRows" : "holdoutRows"
  const { madeOf } = progress
  return {
    ...progress,
    [counted]: progress[counted] + 1,
    weights: progress.weights + weight,
    weightSquares: progress.weightSquares + weight * weight,
    madeOf: origin === null ? madeOf : { ...madeOf, [origin]: madeOf[origin] + 1 },
    redactions: progress.redactions + redactions,
    duplicates: progress.duplicates + repeats,
    tally: RowProfiler.addMeasured(progress.tally, measured)
  }
}

/** The prompts of the rows stored so far. */
interface Seen {
  readonly prompts: PromptAnswers
  readonly templates: TemplateTable
}

/** `isKept`: whether the row at this position was stored, false for a duplicate. */
const withBatch = (
  progress: Progress,
  { prompts, templates }: Seen,
  batch: Batch,
  isKept: (index: number) => boolean
): Progress => {
  let next: Progress = { ...progress, lines: progress.lines + batch.length }
  for (const [index, row] of batch.entries()) {
    if (row === null) next = { ...next, invalid: next.invalid + 1 }
    else if (isKept(index)) {
      prompts.add(row.promptKey, row.measured.label)
      if (row.measured.instruction !== null) templates.add(row.measured.instruction)
      next = withRow(next, row)
    } else next = { ...next, duplicates: next.duplicates + 1 }
  }
  return next
}

/** The decisions among the lines read so far. */
interface Decisions {
  lines: number
  readonly table: QuestionTable
}

/** Rows that stand for more calls: their number stays. */
const withAdditions = (progress: Progress, additions: ReadonlyArray<AddedWeights.Addition>): Progress => ({
  ...progress,
  weights: additions.reduce((sum, { after, before }) => sum + after - before, progress.weights),
  weightSquares: additions.reduce((sum, { after, before }) => sum + after ** 2 - before ** 2, progress.weightSquares)
})

const isConversation = (line: RowLine | DecisionLine): line is RowLine => !isDecisionLine(line)

const begun: Effect.Effect<Progress, LeaseLost | StorageError> = Effect.sync(begin)
const atOnce = { startImmediately: true } as const

/** The first rows by key are a random sample, because keys are digests, and the same sample in every attempt. */
const censusOf = Effect.fnUntraced(function* (
  rowStore: RowStore["Service"],
  censusTaker: (typeof StudentProbe.Service)["censusTaker"],
  partition: Partition,
  version: string
) {
  if (censusTaker === null) return {}
  const counted = censusTaker()
  const rows = Stream.take(rowStore.scan(partition, version, "train"), DistillLimits.censusRows)
  yield* Stream.runForEachWhile(rows, ({ body }) =>
    // The text has just been decoded, which takes a turn of its own where it is long.
    Effect.map(Effect.andThen(Effect.yieldNow, Turns.run(RowReader.reading(body))), (read) => {
      // Every stored text is a valid row.
      if (Result.isSuccess(read)) counted.add(read.success.row)
      return counted.characters() < DistillLimits.censusCharacters
    })
  )
  const census = counted.census()
  return census.rows === 0 ? {} : { census }
})

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the steps of one build, each short, over the same stores
const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const rowStore = yield* RowStore
  const queue = yield* Queue
  const events = yield* Events
  const digests = yield* Digest
  const running = yield* RunningDigest
  const callRows = yield* CallRows
  const textsOf = yield* VersionTexts.make
  const { censusTaker, examine } = yield* StudentProbe
  const writeSuspects = yield* SuspectWriter.make
  const relabel = yield* Relabeling.make

  const clear = (work: Work, version: DatasetVersion.DatasetVersion) =>
    Effect.gen(function* () {
      yield* queue.guard(work)
      yield* rowStore.clear(work.partition, version.id)
      yield* rowStore.clear(work.partition, DecisionParts.partsOf(version.id))
    })

  /** Adds the weights of copies that were not stored to the rows that were. */
  const addWeights = Effect.fnUntraced(function* (
    { partition }: Work,
    { id, source }: DatasetVersion.DatasetVersion,
    batch: Batch,
    rows: ReadonlyArray<StoredRow | null>,
    isKept: ReadonlyArray<boolean>
  ) {
    const copies = batch.flatMap((row, index) => {
      const key = rows[index]?.key
      if (row === null || key === undefined || isKept[index] || !AddedWeights.isCounted(source, row)) return []
      return [{ key, weight: row.weight }]
    })
    if (copies.length === 0) return []
    const sums = AddedWeights.sumsOf(copies)
    const additions = AddedWeights.addTo(yield* rowStore.findMany(partition, id, [...sums.keys()]), sums)
    yield* rowStore.replace(partition, id, additions)
    return additions
  })

  /** Stores a batch and counts the rows kept. */
  const store = Effect.fnUntraced(function* (
    work: Work,
    version: DatasetVersion.DatasetVersion,
    seen: Seen,
    progress: Progress,
    batch: Batch
  ) {
    const rows = storedOf(batch, version, progress)
    const append = rowStore.append(
      work.partition,
      version.id,
      rows.filter((row) => row !== null)
    )
    const appendAndAdd = Effect.gen(function* () {
      yield* queue.guard(work)
      const kept = new Set(yield* append)
      const isKept = rows.map((row) => row !== null && kept.delete(row.key))
      return { isKept, additions: yield* addWeights(work, version, batch, rows, isKept) }
    })
    const { additions, isKept } = yield* storage.transaction(appendAndAdd)
    return withAdditions(
      withBatch(progress, seen, batch, (index) => isKept[index] === true),
      additions
    )
  })

  /** Stores lines of decisions as parts of rows, and prepares the rows of other lines. */
  const prepare = Effect.fnUntraced(function* (
    work: Work,
    version: DatasetVersion.DatasetVersion,
    decisions: Decisions,
    { cleaned, reviewed }: { readonly cleaned: CleanedRows.CleanedRows; readonly reviewed: ReviewedRows },
    lines: ReadonlyArray<RowLine | DecisionLine>
  ) {
    const prepared = yield* prepareAll(lines.filter(isConversation), version, reviewed)
    const conversations = yield* CleanedRows.apply(prepared, cleaned, version)
    const asked = lines.filter(isDecisionLine)
    if (asked.length === 0) return conversations
    const parts = yield* DecisionParts.prepare(asked, decisions.lines, version, decisions.table)
    decisions.lines += asked.length
    const stored = parts.filter((part) => part !== null)
    const append = rowStore.append(work.partition, DecisionParts.partsOf(version.id), stored)
    yield* storage.transaction(Effect.andThen(queue.guard(work), append))
    return [...conversations, ...parts.filter((part) => part === null)]
  })

  /** The rows of the stored parts. */
  const merged = (work: Work, version: DatasetVersion.DatasetVersion, { lines, table }: Decisions) => {
    if (lines === 0) return Stream.empty
    return rowStore.scan(work.partition, DecisionParts.partsOf(version.id), null).pipe(
      DecisionParts.merge,
      Stream.chunks,
      Stream.mapEffect((rows) => {
        for (const { decisions } of rows) table.count(decisions)
        return prepareMerged(rows, version)
      })
    )
  }

  /** Stores the version's rows, and returns the findings. */
  const build = Effect.fnUntraced(
    function* (work: Work, version: DatasetVersion.DatasetVersion, clean = CleanedRows.none) {
      yield* storage.transaction(clear(work, version))
      const seen: Seen = { prompts: new PromptAnswers(), templates: new TemplateTable() }
      const unsupported = new UnsupportedCount()
      const decisions: Decisions = { lines: 0, table: new QuestionTable() }
      const reviewed = new ReviewedRows(yield* callRows.reviews(work.partition, version))
      const last = yield* textsOf(work.partition, version).pipe(
        Stream.filter((line) => unsupported.isLine(line)),
        Stream.chunks,
        Stream.mapEffect((lines) => prepare(work, version, decisions, { cleaned: clean, reviewed }, lines)),
        Stream.concat(Stream.suspend(() => merged(work, version, decisions))),
        batches,
        // Waits for the batch before, and has this one stored while the next is prepared.
        Stream.runFoldEffect(
          () => begun,
          (before, batch) =>
            Effect.flatMap(before, (progress) =>
              Effect.map(Effect.forkScoped(store(work, version, seen, progress, batch), atOnce), Fiber.join)
            )
        )
      )
      const { duplicates, holdoutRows, invalid, madeOf, redactions, tally, trainRows, ...sums } = yield* last
      return VersionMachine.VersionEvent.Built({
        trainRows,
        holdoutRows,
        contentSha256: yield* ContentDigest.digestOf((onPage) => rowStore.walkKeys(work.partition, version.id, onPage)),
        dropped: { duplicates, invalid, redactions, unsupported: unsupported.calls },
        droppedReasons: unsupported.reasons,
        questions: decisions.table.questions,
        nearDuplicates: trainRows + holdoutRows - seen.prompts.prompts,
        contradictions: seen.prompts.contradictions,
        // Kish (1965): how many rows of equal weight tell as much.
        effectiveRows: sums.weightSquares === 0 ? 0 : sums.weights ** 2 / sums.weightSquares,
        ...(DatasetVersion.isWeighed(version.source) ? { madeOf } : {}),
        reviewed: reviewed.counts,
        templates: yield* seen.templates.templates,
        profile: {
          ...RowProfiler.profileOf(tally),
          ...(yield* censusOf(rowStore, censusTaker, work.partition, version.id))
        }
      })
    },
    Effect.provideService(Digest, digests),
    Effect.provideService(RunningDigest, running),
    // What is still being stored when the content turns out to be unreadable is given up, before the rows are cleared.
    Effect.scoped
  )

  /** The suspects with the keys of their rows, in the same order. */
  const withKeys = Effect.fnUntraced(function* (
    work: Work,
    version: DatasetVersion.DatasetVersion,
    suspects: ReadonlyArray<ExaminedSuspect>
  ) {
    const positions = new Set(suspects.map(({ row }) => row))
    const keys = new Map<number, string>()
    yield* rowStore.scan(work.partition, version.id, "train").pipe(
      Stream.zipWithIndex,
      Stream.filter(([, at]) => positions.has(at)),
      Stream.runForEach(([{ key }, at]) => Effect.sync(() => keys.set(at, key)))
    )
    return suspects.flatMap(({ isConfident, row }) => {
      const key = keys.get(row)
      return key === undefined ? [] : [{ key, digest: RowKeys.digestOf(key), isConfident }]
    })
  })

  /** Asks about each content once, however many copies the version keeps. */
  const relabeled = (
    work: Work,
    version: DatasetVersion.DatasetVersion,
    suspects: ReadonlyArray<Relabeling.AskedSuspect>
  ) => {
    const each = [...new Map(suspects.map((suspect) => [suspect.digest, suspect])).values()]
    return version.relabel === undefined ? Effect.undefined : relabel(work, version, version.relabel, each)
  }

  /** Examines the train rows of a build, and builds once more if `clean` leaves some out or gives them another answer. */
  const cleaned = Effect.fnUntraced(function* (work: Work, version: DatasetVersion.DatasetVersion) {
    const built = yield* build(work, version)
    if (version.clean === undefined) return built
    const rows = Stream.mapEffect(rowStore.scan(work.partition, version.id, "train"), StoredRows.rowOf)
    const found = examine === null ? noStudent : yield* examine(rows, version.seed)
    if (isUnexaminable(found)) return { ...built, cleaning: { ...notExamined, reason: found.reason } }
    const { examined, suspects } = found
    const keyed = yield* withKeys(work, version, suspects)
    const votes = yield* relabeled(work, version, keyed)
    yield* writeSuspects(work, { id: version.id, origin: "build" }, found, votes?.votes)
    const confident = keyed.filter(({ isConfident }) => isConfident)
    const cleaning = { examined, suspects: suspects.length, confident: confident.length, reason: null }
    if (votes !== undefined) {
      const right = Relabeling.rightAnswers(votes)
      const corrected = right.size === 0 ? built : yield* build(work, version, { ...CleanedRows.none, right })
      return { ...corrected, cleaning: { ...cleaning, relabel: votes.figures } }
    }
    if (version.clean === "report" || confident.length === 0) return { ...built, cleaning }
    const left = new Set(confident.map(({ digest }) => digest))
    const kept = yield* build(work, version, { ...CleanedRows.none, left })
    const { duplicates } = built.dropped
    // A second reading of calls may meet calls that arrived late.
    const dropped = Math.max(0, built.profile.rows - kept.profile.rows)
    return { ...kept, dropped: { ...kept.dropped, duplicates, suspects: dropped }, cleaning }
  })

  /** The runs that have no plan without this version. */
  const offerWaiting = Effect.fnUntraced(function* (partition: Partition, version: DatasetVersion.DatasetVersion) {
    const waiting = yield* resources.findByLabels(partition, Run.kind, [Run.awaitingLabel(version.id)])
    for (const run of waiting) yield* queue.offer(partition, Run.planTopic, run.id, version.updatedAt)
    if (waiting.length > 0) yield* queue.nudge(Run.planTopic)
  })

  const finish = Effect.fnUntraced(function* (
    work: Work,
    stored: StoredResource<DatasetVersion.DatasetVersion>,
    event: VersionMachine.VersionEvent
  ) {
    const now = yield* Clock.currentTimeMillis
    const version = yield* Effect.orDie(Effect.fromResult(VersionMachine.transition(stored.value, event, now)))
    yield* queue.guard(work)
    if (version.status === "failed") yield* rowStore.clear(work.partition, version.id)
    yield* rowStore.clear(work.partition, DecisionParts.partsOf(version.id))
    yield* rowStore.clear(work.partition, RelabelJournal.rowsOf(version.id))
    yield* resources.compareAndSet(work.partition, DatasetVersion.kind, { ...stored, value: version })
    yield* events.publish(work.partition, eventsOf(work.partition, version))
    yield* offerWaiting(work.partition, version)
    yield* queue.settle(work)
  })

  const buildAndWrite = Effect.fnUntraced(function* (
    work: Work,
    stored: StoredResource<DatasetVersion.DatasetVersion>
  ) {
    const event = yield* Effect.catchTag(cleaned(work, stored.value), "ContentRefused", ({ message }) =>
      Effect.succeed(VersionMachine.VersionEvent.Failed({ code: "source_unreadable", message }))
    )
    yield* storage.transaction(finish(work, stored, event)).pipe(
      // Only the lease holder writes a version under construction, and the guard has just proved the lease.
      Effect.catchTag("RevisionConflict", Effect.die)
    )
  })

  const perform = Effect.fn("VersionBuilder.perform")(function* (work: Work) {
    const stored = Option.getOrUndefined(yield* resources.find(work.partition, DatasetVersion.kind, work.subject))
    if (stored?.value.status !== "building") return yield* queue.settle(work)
    const span = { attributes: { "limbeck.dataset_version.id": work.subject } }
    yield* Trace.continueTrace(stored.value.traceparent, "distill.version", span)(buildAndWrite(work, stored))
  })

  return VersionBuilder.of(yield* ContentWorker.make(DatasetVersion.topic, Pools.versions, perform))
})

export const layer: Layer.Layer<
  VersionBuilder,
  never,
  | Storage
  | ResourceStore
  | RowStore
  | Blobs
  | Gunzip
  | Queue
  | Events
  | Digest
  | CallRows
  | RunningDigest
  | StudentProbe
  | Candidates
> = Layer.effect(VersionBuilder, make)
