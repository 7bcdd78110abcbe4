/** Rows made of captured calls: by default of succeeded conversations that a teacher answered. */
import { type CallKind, type CallScan, CallStore, type ScannedCall } from "@limbeck/capture/call/CallStore"
import { containsText } from "@limbeck/capture/call/CallTextRules"
import type { CallEndpoint } from "@limbeck/capture/call/CapturedCall"
import * as CallConversation from "@limbeck/capture/dialect/CallConversation"
import * as DialectRules from "@limbeck/capture/dialect/DialectRules"
import { Recorder } from "@limbeck/capture/journal/Recorder"
import * as Sources from "@limbeck/capture/source/Sources"
import { type ReferenceUnknown, referenceUnknown, type StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Turns from "@limbeck/core/turns/Turns"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as EvaluationTags from "../race/EvaluationTags.ts"
import * as Reviews from "../review/Reviews.ts"
import { type CallsFilter, tagsOf } from "./CallsFilter.ts"
import type { DatasetVersion } from "./DatasetVersion.ts"
import * as CallRow from "./internal/CallRow.ts"
import * as ChosenCalls from "./internal/ChosenCalls.ts"
import * as Corrections from "./internal/Corrections.ts"
import * as TrafficWeights from "./internal/TrafficWeights.ts"

export class CallRows extends Context.Service<
  CallRows,
  {
    /**
     * The filter with the source's id in place of its name; rejects an unknown source with the path
     * `from.calls.source`.
     */
    readonly resolve: (
      partition: Partition,
      filter: CallsFilter
    ) => Effect.Effect<CallsFilter, ReferenceUnknown | StorageError>
    /**
     * Streams calls from before `before`, newest first, in constant memory, as JSON texts of upload rows, each with its weight: succeeded
     * calls that no student answered, unless the filter names another outcome or responder. First waits until storage has the calls that
     * this process recorded. Calls of evaluations are left out, unless the filter names their tag. The text is null for a call beyond the
     * size or the member count of a row. A call that cannot be a row is counted with its reason; calls of other kinds are counted first,
     * unless the filter searches for a text. Calls that the filter names come in its order, without deleted calls and verifications.
     */
    readonly scan: (
      partition: Partition,
      filter: CallsFilter,
      before: Millis
    ) => Stream.Stream<CallRow.CallLine, StorageError>
    /** The verdicts of review queues so far on prompts, for a version of any source. */
    readonly reviews: (partition: Partition, version: DatasetVersion) => Effect.Effect<Reviews.Reviews, StorageError>
  }
>()("@limbeck/distill/dataset/CallRows") {}

/** The responders by default: a student learns from a student's answers only if the filter names that responder. */
const teachers = ["upstream", "shadow", "upstream_fallback", "mixed"] as const

/** Whether the filter concerns the answers that callers got, which a verification is not. */
const isOfGivenAnswers = ({ minFeedback, servedBy }: CallsFilter): boolean =>
  servedBy !== undefined || minFeedback !== undefined

const endpoints: ReadonlyArray<CallEndpoint> = [...CallConversation.endpoints, "decisions", "systemone"]

const scanOf = (filter: CallsFilter, before: Millis): CallScan => {
  const tags = tagsOf(filter)
  return {
    source: filter.source,
    tags,
    withoutTags: EvaluationTags.unrequestedTags(tags),
    model: filter.model,
    deployment: filter.deployment,
    externalId: filter.externalId,
    createdAfter: filter.createdAfter ?? null,
    createdBefore: Math.min(before, filter.createdBefore ?? before),
    feedbackMin: filter.minFeedback ?? null,
    verifies: filter.verifies ?? (isOfGivenAnswers(filter) ? false : undefined)
  }
}

/** All calls of the same range. A student's answer has no source and another model than its verification. */
const rangeOf = (scan: CallScan): CallScan => ({
  ...scan,
  source: undefined,
  model: undefined,
  deployment: undefined,
  feedbackMin: null,
  verifies: undefined
})

/** Whether the answer contains a student's output. Decisions name the responder of each question instead. */
const isStudents = ({ endpoint, servedBy }: Pick<CallKind, "endpoint" | "servedBy">): boolean =>
  servedBy === "student" || (servedBy === "mixed" && !DialectRules.isDecision(endpoint))

/** The reason against a scan of this kind; undefined for scanned kinds, and for kinds outside the filter. */
const refusalOf = (filter: CallsFilter, { calls, endpoint, outcome, servedBy }: CallKind) => {
  if (filter.servedBy !== undefined && filter.servedBy !== servedBy) return undefined
  if (filter.outcome !== undefined && filter.outcome !== outcome) return undefined
  const of = (reason: CallRow.UnsupportedCall["reason"]) => ({ reason, calls })
  const refusal = CallConversation.refusalOf(endpoint)
  if (refusal !== undefined) return of(refusal)
  if (filter.outcome === undefined && outcome !== "succeeded") return of("no_answer")
  return filter.servedBy === undefined && isStudents({ endpoint, servedBy }) ? of("by_student") : undefined
}

/** Of the kinds of calls for the deployment of the filter, or for any. */
const refusalsOf = (filter: CallsFilter, kinds: ReadonlyArray<CallKind>) =>
  kinds
    .filter((kind) => filter.deployment === undefined || kind.deployment === filter.deployment)
    .map((kind) => refusalOf(filter, kind))
    .filter((refusal) => refusal !== undefined)

/** Up to so many rows. Calls that cannot be one do not count. */
const upTo = (limit: number, lines: Stream.Stream<CallRow.CallLine, StorageError>) =>
  Stream.suspend(() => {
    let rows = 0
    return Stream.takeUntil(lines, (line) => !CallRow.isUnsupported(line) && ++rows === limit)
  })

/** Verification calls do not name the deployment, so a second scan finds them by the calls that they verify. */
const scanCalls = (calls: CallStore["Service"], partition: Partition, scan: CallScan) => {
  const { deployment, verifies } = scan
  if (deployment === undefined) return calls.scan(partition, scan)
  const own = verifies === true ? Stream.empty : calls.scan(partition, { ...scan, verifies: false })
  if (verifies === false) return own
  const verifying = calls.scan(partition, { ...scan, deployment: undefined, verifies: true })
  return Stream.concat(
    own,
    Stream.filter(verifying, (call) => call.verifies?.deployment === deployment)
  )
}

const make = Effect.gen(function* () {
  const sources = yield* Sources.Sources
  const calls = yield* CallStore
  const recorder = yield* Recorder

  const resolve = Effect.fnUntraced(function* (partition: Partition, filter: CallsFilter) {
    if (filter.source === undefined) return filter
    const found = yield* sources.resolve(partition, filter.source)
    if (Option.isNone(found)) return yield* referenceUnknown("source", filter.source, "from.calls.source")
    return { ...filter, source: found.value.id }
  })

  const weightsOf = (partition: Partition, { weights }: CallsFilter, scan: CallScan) =>
    weights === "none" || scan.verifies === false
      ? Effect.succeed(TrafficWeights.none)
      : Effect.map(calls.kindsOf(partition, rangeOf(scan)), TrafficWeights.of)

  /** Reads calls, and the corrections of their decisions: once, with the first decisions. */
  const makeReading = Effect.fnUntraced(function* (partition: Partition, filter: CallsFilter, scan: CallScan) {
    const weightOf = yield* weightsOf(partition, filter, scan)
    const reading = filter.text === undefined ? CallRow.reading : CallRow.readingWhere(containsText(filter.text))
    const corrections = yield* Effect.cached(Corrections.read(calls, partition))
    return Effect.fnUntraced(function* (scanned: NonEmptyReadonlyArray<ScannedCall>) {
      const lines = yield* Turns.forEach(scanned, (call) => reading(call, weightOf))
      if (!lines.some((line) => line !== undefined && CallRow.isDecisionLine(line))) return lines
      const correctionsOf = yield* corrections
      return Arr.map(lines, (line, index) =>
        line !== undefined && CallRow.isDecisionLine(line)
          ? { ...line, corrections: correctionsOf(scanned[index]?.id ?? "") }
          : line
      )
    })
  })

  /** Each chosen call gives its line, or the reason against one. */
  const scanChosen = (partition: Partition, filter: CallsFilter, before: Millis) =>
    Stream.unwrap(
      Effect.map(makeReading(partition, { ...filter, weights: "none" }, scanOf(filter, before)), (read) =>
        ChosenCalls.read(calls, partition, filter).pipe(
          Stream.mapEffect((call) => {
            const refusal = refusalOf(filter, { ...call, deployment: null, verifies: false, calls: 1 })
            return refusal === undefined ? Effect.map(read([call]), ([line]) => line) : Effect.succeed(refusal)
          }),
          Stream.filter((line) => line !== undefined)
        )
      )
    )

  const scan = (partition: Partition, filter: CallsFilter, before: Millis) => {
    const { ids, limit, text } = filter
    if (ids !== undefined) return scanChosen(partition, filter, before)
    const scan = scanOf(filter, before)
    const lines = Stream.unwrap(
      Effect.map(makeReading(partition, filter, scan), (reading) =>
        scanCalls(calls, partition, {
          ...scan,
          endpoints,
          outcome: filter.outcome ?? "succeeded",
          servedBy: filter.servedBy === undefined ? teachers : [filter.servedBy]
        }).pipe(
          Stream.filter((call) => filter.servedBy !== undefined || !isStudents(call)),
          Stream.mapArrayEffect(reading),
          Stream.filter((line) => line !== undefined)
        )
      )
    )
    const limited = limit === undefined ? lines : upTo(limit, lines)
    const others = Effect.map(calls.kindsOf(partition, { ...scan, deployment: undefined }), (kinds) =>
      refusalsOf(filter, kinds)
    )
    return text === undefined ? Stream.concat(Stream.fromArrayEffect(others), limited) : limited
  }

  return CallRows.of({
    resolve,
    scan: (...given) => Stream.unwrap(Effect.as(recorder.settle, scan(...given))),
    reviews: (partition, version) => Reviews.read(calls, partition, version, Reviews.isOfQueue)
  })
})

export const layer: Layer.Layer<CallRows, never, Sources.Sources | CallStore | Recorder> = Layer.effect(CallRows, make)
