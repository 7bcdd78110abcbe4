/**
 * A stage whose texts are embedded first: each distinct text is requested once, in batches, and each batch is reserved in the run's
 * budget before it is sent. The stage stores embeddings on arrival, so an attempt after a crash requests only missing ones. The
 * earlier attempt's reservation counts as spent, because some of its requests may have been sent.
 */
import { createHash } from "node:crypto"
import { DistillLimits } from "@limbeck/distill/Limits"
import * as EvaluationTags from "@limbeck/distill/race/EvaluationTags"
import type { SourceModelEmbeddings } from "@limbeck/distill/race/HostedModels"
import type { EmbeddingModel } from "@limbeck/distill/recipe/Recipe"
import * as Budget from "@limbeck/distill/run/Budget"
import {
  Progress,
  type Progress as ProgressType,
  type StageContext,
  type StageFailure
} from "@limbeck/distill/run/Executor"
import type { Usage } from "@limbeck/distill/run/Run"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as AskedStage from "../../../candidates/internal/AskedStage.ts"
import * as CountedCalls from "../../../candidates/internal/CountedCalls.ts"
import type { EmbeddingReference } from "../../Settings.ts"
import { fail } from "../StageParts.ts"
import * as EmbeddingJournal from "./EmbeddingJournal.ts"

interface Embedded {
  /** The context of the stage's other work: its own checkpoint, and a meter above the cost of the embeddings. */
  readonly context: StageContext
  readonly reference: EmbeddingReference
  /** Of a text of the stage; zeros for a text without any character but white space. */
  readonly of: (text: string) => Float32Array
  /** The first texts of the stage that have an embedding, up to the bound of all numbers. */
  readonly texts: number
  /** The mean cost of a text, in micro-dollars; null without a price. */
  readonly microsPerText: number | null
  /** Latencies of the requests with a single text, in milliseconds. */
  readonly aloneMillis: ReadonlyArray<number>
}

export interface EmbeddedWork {
  readonly model: EmbeddingModel
  /** In order, also equal ones. */
  readonly texts: Stream.Stream<string, StageFailure>
  /** The first texts that have a request each, one after another, to measure the latency of a call. */
  readonly aloneTexts: number
  readonly next: (embedded: Embedded) => Stream.Stream<ProgressType, StageFailure>
}

interface KeyedText {
  readonly key: string
  readonly text: string
}

/** Sources refuse empty texts. */
const isBlank = (text: string): boolean => text.trim() === ""

const keysFor =
  ({ model, source }: EmbeddingReference) =>
  (text: string): string =>
    createHash("sha256")
      .update(JSON.stringify([source, model, text]))
      .digest("hex")

/** Splits texts into requests within the bound of characters; a longer text has a request of its own. */
const batchesOf = (texts: ReadonlyArray<KeyedText>): ReadonlyArray<ReadonlyArray<KeyedText>> => {
  const batches: Array<Array<KeyedText>> = []
  let characters = Number.POSITIVE_INFINITY
  for (const one of texts) {
    characters += one.text.length
    if (characters > DistillLimits.embeddedBatchCharactersMax) {
      batches.push([])
      characters = one.text.length
    }
    batches.at(-1)?.push(one)
  }
  return batches
}

/** Divides the texts of each group into requests: the first `alone` texts of all groups have one each. */
const batching = (alone: number) => {
  let left = alone
  return (group: ReadonlyArray<KeyedText>): ReadonlyArray<ReadonlyArray<KeyedText>> => {
    const singles = group.slice(0, left)
    left -= singles.length
    return [...singles.map((one) => [one]), ...batchesOf(group.slice(singles.length))]
  }
}

const dimensionsOf = (vectors: EmbeddingJournal.Vectors): number => {
  for (const { length } of vectors.values()) return length
  return 0
}

/** Texts that may have an embedding; all while the number of dimensions is unknown. */
const textsMax = (dimensions: number): number =>
  dimensions === 0 ? Number.POSITIVE_INFINITY : Math.floor(DistillLimits.embeddedNumbersMax / dimensions)

const requesting = (calls: ReturnType<typeof CountedCalls.make<StageFailure>>, model: SourceModelEmbeddings) => {
  /** Concurrent requests would wait for each other at a source that computes one at a time. */
  const turn = Semaphore.makeUnsafe(1)
  return Effect.fnUntraced(function* (batch: ReadonlyArray<KeyedText>) {
    const asked = calls.ask(model, {
      texts: batch.map(({ text }) => text),
      tags: [EvaluationTags.embedding],
      isCaptured: false,
      timeoutMillis: DistillLimits.studentAnswerMillis
    })
    const reply = yield* batch.length === 1 ? turn.withPermit(asked) : asked
    if (Result.isFailure(reply)) {
      const { isTransient, message } = reply.failure
      return yield* fail("embeddings_failed", `The source of the embeddings ${message}`, isTransient)
    }
    const { latencyMillis, value } = reply.success
    return { keys: batch.map(({ key }) => key), vectors: value.vectors, micros: value.costMicros, latencyMillis }
  })
}

/** Runs the other work of the stage, with the cost of the embeddings added to its usage. */
const following = (
  { meter, stage, ...context }: StageContext,
  journal: EmbeddingJournal.EmbeddingJournal,
  { candidateMicros = 0, candidateTokens = 0 }: Usage,
  next: (context: StageContext) => Stream.Stream<ProgressType, StageFailure>
): Stream.Stream<ProgressType, StageFailure> => {
  const state = journal.state()
  const over = (usage: Usage): Usage => Budget.most(usage, { ...Budget.noUsage, candidateMicros, candidateTokens })
  const checkpoint =
    stage.checkpoint === null || state.rest === null ? null : { ...stage.checkpoint, state: state.rest }
  const seen: StageContext = {
    ...context,
    stage: { ...stage, checkpoint },
    meter: { start: meter.start, reserve: (upTo) => meter.reserve(over(upTo)) }
  }
  return Stream.map(next(seen), (progress): ProgressType => {
    if (progress._tag === "Spend") return { ...progress, usage: over(progress.usage) }
    if (progress._tag !== "Checkpoint") return progress
    return { ...progress, state: { ...state, rest: progress.state }, usage: over(progress.usage) }
  })
}

/** The texts to request, in batches: without blank, stored and repeated ones. `isWithin`: whether a text may have an embedding. */
const missingOf = (
  texts: EmbeddedWork["texts"],
  keyOf: (text: string) => string,
  stored: EmbeddingJournal.Vectors,
  { alone, isWithin }: { readonly alone: number; readonly isWithin: (position: number) => boolean }
) => {
  const requested = new Set<string>()
  const divide = batching(alone)
  return texts.pipe(
    Stream.zipWithIndex,
    Stream.takeWhile(([, position]) => isWithin(position)),
    Stream.map(([text]): KeyedText => ({ key: keyOf(text), text })),
    Stream.filter(({ key, text }) => {
      if (isBlank(text) || stored.has(key) || requested.has(key)) return false
      requested.add(key)
      return true
    }),
    Stream.grouped(DistillLimits.embeddedTextsMax),
    Stream.flatMap((group) => Stream.fromIterable(divide(group)))
  )
}

const unpriced = ({ estimate }: SourceModelEmbeddings, { model }: EmbeddingModel): ReadonlyArray<ProgressType> =>
  estimate({ prompt: 1, completion: 0 }) === null
    ? [AskedStage.log(`${model} has no known price: its embeddings do not count against the budget`, "warn")]
    : []

const begin = Effect.fnUntraced(function* (
  context: StageContext,
  { aloneTexts, model: named, next, texts }: EmbeddedWork
) {
  const model = yield* context.openEmbeddings(named)
  const reference = { source: model.source, model: named.model }
  const keyOf = keysFor(reference)
  const journal = yield* EmbeddingJournal.open(context)
  const before = Budget.most(context.meter.start, context.stage.usage)
  const isUncertain = journal.isResumed && !journal.state().isWhole
  const lostMicros = isUncertain ? context.run.reservedMicros : 0
  const usage = { ...before, candidateMicros: (before.candidateMicros ?? 0) + lostMicros }
  const calls = CountedCalls.make(context.meter, usage)
  let dimensions = dimensionsOf(journal.vectors)

  const work = () => {
    const { aloneMillis, micros } = journal.state()
    return following(context, journal, calls.usage(), (seen) =>
      next({
        context: seen,
        reference,
        of: (text) => journal.vectors.get(keyOf(text)) ?? new Float32Array(dimensions),
        texts: textsMax(dimensions),
        microsPerText: micros === null ? null : micros / Math.max(1, journal.vectors.size),
        aloneMillis
      })
    )
  }
  if (journal.state().isWhole) return work()

  const request = requesting(calls, model)
  const ask = Effect.fnUntraced(function* (batch: ReadonlyArray<KeyedText>) {
    const embedded = yield* request(batch)
    const length = embedded.vectors[0]?.length ?? 0
    if (dimensions === 0) dimensions = length
    if (length !== dimensions)
      return yield* fail("embeddings_failed", `${named.model} embeds texts by ${dimensions} and by ${length} numbers`)
    return embedded
  })
  const checkpoint = () => Progress.Checkpoint({ state: journal.state(), usage: calls.usage() })
  const keep = Effect.fnUntraced(function* (batches: ReadonlyArray<EmbeddingJournal.EmbeddedBatch>) {
    yield* journal.add(batches)
    const { size } = journal.vectors
    return Stream.fromIterable<ProgressType>([
      checkpoint(),
      Progress.Metric({ name: "embedded_texts", unit: "texts", step: size, value: size })
    ])
  })
  const ending = (failure: StageFailure | undefined): Stream.Stream<ProgressType, StageFailure> => {
    if (failure !== undefined) return Stream.fail(failure)
    journal.complete()
    const done = AskedStage.log(`${journal.vectors.size} texts have an embedding of ${dimensions} numbers`)
    return Stream.concat(Stream.fromIterable<ProgressType>([checkpoint(), done]), work())
  }
  const questions = missingOf(texts, keyOf, journal.vectors, {
    alone: Math.max(0, aloneTexts - journal.state().aloneMillis.length),
    isWithin: (position) => position < textsMax(dimensions)
  })
  return Stream.concat(
    Stream.fromIterable<ProgressType>([...unpriced(model, named), checkpoint()]),
    AskedStage.answers({ questions, ask, keep, isOver: () => false, ending })
  )
})

export const run = (context: StageContext, work: EmbeddedWork): Stream.Stream<ProgressType, StageFailure> =>
  Stream.unwrap(begin(context, work))
