/** Review queues for callers: people judge answers one after the other, and each verdict is feedback. */
import { CallStore } from "@limbeck/capture/call/CallStore"
import type { Feedback, Giver } from "@limbeck/capture/feedback/Feedback"
import {
  type ChangedMeanwhile,
  type InvalidInput,
  invalid,
  type NotFound,
  notFound,
  type StorageError
} from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { StoredResource } from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import * as Writers from "@limbeck/core/resources/Writers"
import { Storage } from "@limbeck/core/storage/Storage"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as DatasetVersion from "@limbeck/distill/dataset/DatasetVersion"
import type { RowStore } from "@limbeck/distill/dataset/RowStore"
import { SuspectsUnknown, VersionNotReady } from "@limbeck/distill/Errors"
import * as SuspectList from "@limbeck/distill/suspects/SuspectList"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Deployment from "../deployment/Deployment.ts"
import { ReviewEntryTaken, VerdictGiven } from "../Errors.ts"
import { ServingLimits } from "../Limits.ts"
import * as Recounts from "./internal/Recounts.ts"
import * as ReviewItems from "./internal/ReviewItems.ts"
import * as ReviewKeys from "./internal/ReviewKeys.ts"
import * as ReviewQueue from "./ReviewQueue.ts"
import * as ReviewRules from "./ReviewRules.ts"

export type NewReviewQueue = (
  | { readonly version: string; readonly of: "suspects" | "holdout" }
  | { readonly deployment: string; readonly of: "unsure" }
) & { readonly limit?: number | undefined; readonly shared?: number | undefined }

export interface NewVerdict {
  /** The number of the entry, from 1. */
  readonly entry: number
  readonly verdict: ReviewQueue.VerdictKind
  /** The right answer: of a correction alone. */
  readonly answer?: string | undefined
}

/** What a person does next. */
export interface ReviewTurn {
  readonly queue: ReviewQueue.ReviewQueue
  /** Leased to this person; null when nothing is left to judge. */
  readonly next: { readonly entry: number; readonly until: Millis; readonly item: ReviewItems.ReviewItem } | null
  /** The entry of this person's last verdict. */
  readonly last: number | null
}

type TurnError = NotFound | ChangedMeanwhile | StorageError

export class ReviewQueues extends Context.Service<
  ReviewQueues,
  {
    readonly create: (
      partition: Partition,
      request: NewReviewQueue
    ) => Effect.Effect<
      ReviewQueue.ReviewQueue,
      InvalidInput | NotFound | SuspectsUnknown | VersionNotReady | StorageError
    >
    readonly get: (partition: Partition, id: string) => Effect.Effect<ReviewQueue.ReviewQueue, NotFound | StorageError>
    /** Newest first. */
    readonly page: (
      partition: Partition,
      filter: { readonly version?: string | undefined; readonly deployment?: string | undefined },
      request: PageRequest
    ) => Effect.Effect<Page<ReviewQueue.ReviewQueue>, StorageError>
    /** Leases the next entry to the person, or renews the lease that the person holds. */
    readonly next: (partition: Partition, id: string, by: Giver) => Effect.Effect<ReviewTurn, TurnError>
    /** Stores verdict and feedback, and leases the next entry. The same verdict again changes nothing. */
    readonly judge: (
      partition: Partition,
      id: string,
      by: Giver,
      verdict: NewVerdict
    ) => Effect.Effect<ReviewTurn, TurnError | InvalidInput | ReviewEntryTaken | VerdictGiven>
    /** Takes back the person's verdict on the entry, and leases it again. Without a verdict, nothing is taken back. */
    readonly undo: (partition: Partition, id: string, by: Giver, entry: number) => Effect.Effect<ReviewTurn, TurnError>
  }
>()("@limbeck/serving/review/ReviewQueues") {}

type Stored = StoredResource<ReviewQueue.ReviewQueue>

const atOnce = { concurrency: ServingLimits.reviewReadsAtOnce }

const noDecisions = (param: string) =>
  invalid(
    param,
    "People judge answers of conversations here: give feedback on questions of decisions by POST /v1/distill/feedback"
  )

const placeIn = ({ entries }: ReviewQueue.ReviewQueue, entry: number) =>
  entries[entry - 1] === undefined ? notFound("review entry", String(entry), "entry") : Effect.succeed(entry - 1)

/** The meaning of a verdict's request. `answer` is a correction's right answer, and null in other verdicts. */
interface Meaning {
  readonly verdict: ReviewQueue.VerdictKind
  readonly answer: string | null
}

/** The feedback of a verdict; null for a skipped entry. It does not copy the answer of a call, so that a deleted call leaves no answer. */
const saidBy = (
  { verdict, answer }: Meaning,
  item: ReviewItems.ReviewItem
): Pick<Feedback, "comment" | "name" | "value"> | null => {
  if (verdict === "skip") return null
  if (verdict === "correction") return { name: "correction", value: 0, comment: answer }
  return { name: "correct", value: verdict === "right" ? 1 : 0, comment: item.call === null ? item.answer : null }
}

/** A correction to the answer itself is none. */
const meantBy = (
  { answer, verdict }: NewVerdict,
  item: ReviewItems.ReviewItem
): Effect.Effect<Meaning, InvalidInput> => {
  if (verdict !== "correction") return Effect.succeed({ verdict, answer: null })
  if (answer === undefined || answer.trim() === "") return invalid("answer", "Say which answer is right")
  if (item.labels.length > 0 && !item.labels.includes(answer)) {
    return invalid("answer", "The right answer is one of the entry's labels")
  }
  const isSame = answer === item.answer
  return Effect.succeed({ verdict: isSame ? "right" : verdict, answer: isSame ? null : answer })
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: methods of one service, each short
const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const calls = yield* CallStore
  const ids = yield* Ids
  const digests = yield* Digest
  const keysOf = yield* ReviewKeys.make
  const read = yield* ReviewItems.make
  const recounts = yield* Recounts.make
  const { kind } = ReviewQueue
  const digestOf = (answer: string) => Effect.orDie(digests.digestHex(sha256, new TextEncoder().encode(answer)))

  const checkVersion = Effect.fnUntraced(function* (partition: Partition, id: string, isOfSuspects: boolean) {
    const version = yield* Resources.requireValue(resources, partition, DatasetVersion.kind, id, "dataset_version")
    if (version.status !== "ready") {
      return yield* new VersionNotReady({ id, status: version.status, field: "dataset_version" })
    }
    if ((version.questions ?? []).length > 0) return yield* noDecisions("dataset_version")
    if (!isOfSuspects) return
    const list = yield* resources.find(partition, SuspectList.kind, id)
    if (Option.isNone(list)) return yield* new SuspectsUnknown({ id })
  })

  const checkDeployment = Effect.fnUntraced(function* (partition: Partition, id: string) {
    const { questions } = yield* Resources.requireValue(resources, partition, Deployment.kind, id, "deployment")
    if (questions.length > 0) return yield* noDecisions("deployment")
  })

  const create = Effect.fn("ReviewQueues.create")(function* (partition: Partition, request: NewReviewQueue) {
    const { limit = ServingLimits.reviewEntriesDefault, of, shared = ServingLimits.reviewSharedDefault } = request
    const [version, deployment] = of === "unsure" ? [null, request.deployment] : [request.version, null]
    if (version !== null) yield* checkVersion(partition, version, of === "suspects")
    if (deployment !== null) yield* checkDeployment(partition, deployment)
    const keys = yield* keysOf(partition, { version, deployment, of }, limit)
    const queue: ReviewQueue.ReviewQueue = {
      id: yield* ids.make("rvq"),
      of,
      version,
      deployment,
      entries: ReviewRules.entriesOf(keys, shared),
      createdAt: yield* Clock.currentTimeMillis
    }
    yield* resources.add(partition, kind, queue)
    return queue
  })

  const find = (partition: Partition, id: string) => Resources.require(resources, partition, kind, id)

  /**
   * Leases the next entry of `changed` to the person, and stores that in the place of the stored queue, by one write. Skips entries
   * without a readable answer.
   */
  const lease = Effect.fnUntraced(function* (
    partition: Partition,
    stored: Stored,
    changed: ReviewQueue.ReviewQueue,
    by: Giver
  ) {
    const now = yield* Clock.currentTimeMillis
    let queue = changed
    let next: ReviewTurn["next"] = null
    for (const places of ReviewRules.readings(ReviewRules.openTo(queue, by, now), atOnce.concurrency)) {
      const items = yield* Effect.forEach(places, (place) => read(partition, queue, queue.entries[place]!.key), atOnce)
      const readable = items.findIndex((item) => item !== undefined)
      const unreadable = readable < 0 ? places : places.slice(0, readable)
      queue = unreadable.reduce(ReviewRules.withoutEntry, queue)
      const [place, item] = [places[readable], items[readable]]
      if (place === undefined || item === undefined) continue
      queue = ReviewRules.leaseEntry(queue, place, by, now)
      next = { entry: place + 1, until: now + ServingLimits.reviewLeaseMillis, item }
      break
    }
    if (queue !== stored.value) yield* resources.compareAndSet(partition, kind, { ...stored, value: queue })
    const last = ReviewRules.lastOf(queue, by)
    return { queue, next, last: last < 0 ? null : last + 1 } satisfies ReviewTurn
  })

  const next: ReviewQueues["Service"]["next"] = Effect.fn("ReviewQueues.next")(function* (partition, id, by) {
    const once = Effect.flatMap(find(partition, id), (stored) => lease(partition, stored, stored.value, by))
    return yield* Writers.inTurn(kind, id)(once)
  })

  /** The verdict to store, with its item and feedback; null for a repeated verdict. */
  const judgement = Effect.fnUntraced(function* (
    partition: Partition,
    queue: ReviewQueue.ReviewQueue,
    by: Giver,
    request: NewVerdict
  ) {
    const now = yield* Clock.currentTimeMillis
    const place = yield* placeIn(queue, request.entry)
    const entry = queue.entries[place]!
    const item = yield* read(partition, queue, entry.key)
    if (item === undefined) return yield* notFound("review entry", String(request.entry), "entry")
    const meant = yield* meantBy(request, item)
    const answerDigest = meant.answer === null ? null : yield* digestOf(meant.answer)
    const given = ReviewRules.verdictOf(entry, by)
    if (given !== undefined) {
      if (given.verdict === meant.verdict && given.answerDigest === answerDigest) return null
      return yield* new VerdictGiven({ id: queue.id, entry: request.entry })
    }
    if (!ReviewRules.isOpenTo(entry, by, now))
      return yield* new ReviewEntryTaken({ id: queue.id, entry: request.entry })
    const said = saidBy(meant, item)
    const feedback = said === null ? null : yield* ids.make("fb")
    const { deployment } = queue
    const isRecounted =
      meant.verdict === "right" && deployment !== null && item.call?.isStudents === true
        ? yield* recounts.waive(partition, deployment, item.call.id)
        : false
    const verdict: ReviewQueue.Verdict = {
      by,
      verdict: meant.verdict,
      answerDigest,
      feedback,
      isRecounted,
      givenAt: now
    }
    return { place, item, said, verdict }
  })

  const judge: ReviewQueues["Service"]["judge"] = Effect.fn("ReviewQueues.judge")(
    function* (partition, id, by, request) {
      const press = Effect.gen(function* () {
        const stored = yield* find(partition, id)
        const given = yield* judgement(partition, stored.value, by, request)
        const queue = given === null ? stored.value : ReviewRules.addVerdict(stored.value, given.place, given.verdict)
        const turn = yield* lease(partition, stored, queue, by)
        if (given === null || given.said === null || given.verdict.feedback === null) return turn
        const { item, said, verdict } = given
        const feedback: Feedback = {
          // It was made with this prefix.
          id: verdict.feedback as Feedback["id"],
          call: item.call?.id ?? null,
          externalId: null,
          ...said,
          prompt: item.digest,
          givenBy: by,
          createdAt: verdict.givenAt
        }
        yield* calls.insertFeedback(partition, feedback)
        return turn
      })
      return yield* Writers.inTurn(kind, id)(storage.transaction(press))
    }
  )

  const undo: ReviewQueues["Service"]["undo"] = Effect.fn("ReviewQueues.undo")(function* (partition, id, by, entry) {
    const takeBack = Effect.gen(function* () {
      const stored = yield* find(partition, id)
      const now = yield* Clock.currentTimeMillis
      const place = yield* placeIn(stored.value, entry)
      const { key } = stored.value.entries[place]!
      const given = ReviewRules.verdictOf(stored.value.entries[place]!, by)
      const { deployment } = stored.value
      if (given?.isRecounted === true && deployment !== null) yield* recounts.restore(partition, deployment, key)
      const undone = ReviewRules.leaseEntry(ReviewRules.removeVerdict(stored.value, place, by), place, by, now)
      const turn = yield* lease(partition, stored, given === undefined ? stored.value : undone, by)
      if (given !== undefined && given.feedback !== null) yield* calls.removeFeedback(partition, given.feedback)
      return turn
    })
    return yield* Writers.inTurn(kind, id)(storage.transaction(takeBack))
  })

  return ReviewQueues.of({
    create,
    get: (partition, id) => Resources.requireValue(resources, partition, kind, id),
    page: (partition, { deployment, version }, request) =>
      resources.page(
        partition,
        kind,
        [
          ...(version === undefined ? [] : [`version:${version}`]),
          ...(deployment === undefined ? [] : [`deployment:${deployment}`])
        ],
        request
      ),
    next,
    judge,
    undo
  })
})

export const layer: Layer.Layer<ReviewQueues, never, Storage | ResourceStore | CallStore | Ids | RowStore | Digest> =
  Layer.effect(ReviewQueues, make)
