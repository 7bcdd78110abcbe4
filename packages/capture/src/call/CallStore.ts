/**
 * Where captured calls, shadow results and feedback are. The promises are tested by CallStoreContract.
 *
 * A call whose bodies have as many bytes as `StoredText` leaves them is read back whole, by every method. One that is larger,
 * because an older version stored it, fails no method: it may be read as a call whose `request` and `response` are the JSON
 * value null and that is `truncated`, and it can be removed.
 */

import type { StorageError } from "@limbeck/core/errors/Errors"
import { Fact } from "@limbeck/core/errors/Fact"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { Feedback } from "../feedback/Feedback.ts"
import type { CallTally, TallyRange, TallyWidth } from "../metrics/CallTally.ts"
import type { CallEndpoint, CapturedCall, Outcome, ServedBy, ShadowResult } from "./CapturedCall.ts"

/**
 * No storage can take a record, because a value is out of bounds. No record of the batch was
 * stored. `reason` contains no text of the record.
 */
export class RecordRefused extends Fact<RecordRefused>()("RecordRefused", { reason: Schema.String }) {}

/** The longest text that a call is looked up by (model, source, external id, tag), in bytes: an index entry holds no more. */
export const indexedBytesMax = 2_048

const isTooLong = (text: string | null): boolean =>
  text !== null && text.length * 3 > indexedBytesMax && new TextEncoder().encode(text).length > indexedBytesMax

/** The field of a call that no store takes; null: there is none. */
export const refusedField = ({ externalId, model, source, tags }: CapturedCall): string | null => {
  if (isTooLong(externalId)) return "externalId"
  if (isTooLong(model)) return "model"
  if (isTooLong(source)) return "source"
  return tags.some(isTooLong) ? "tags" : null
}

/** The members of a call from which dataset rows are made. */
export type ScannedCall = Pick<
  CapturedCall,
  | "id"
  | "endpoint"
  | "servedBy"
  | "verifies"
  | "request"
  | "requestIsJson"
  | "response"
  | "responseIsJson"
  | "truncated"
  | "decisions"
>

/** How many calls of a scan have the same endpoint, responder, outcome and deployment. */
export interface CallKind extends Pick<CapturedCall, "endpoint" | "servedBy" | "outcome"> {
  /** Of a call that verifies: the deployment of the verified call. */
  readonly deployment: string | null
  readonly verifies: boolean
  readonly calls: number
}

/** A call and whose it is: calls of many partitions are stored at once. */
export interface InPartition<A> {
  readonly partition: Partition
  readonly value: A
}

/** What is absent or empty filters nothing. */
export interface CallFilter {
  readonly source?: string | undefined
  readonly model?: string | undefined
  /** All of them. */
  readonly tags?: ReadonlyArray<string> | undefined
  /** None of them. */
  readonly withoutTags?: ReadonlyArray<string> | undefined
  readonly externalId?: string | undefined
  readonly servedBy?: ReadonlyArray<ServedBy> | undefined
  readonly outcome?: Outcome | undefined
  readonly endpoints?: ReadonlyArray<CallEndpoint> | undefined
  readonly deployment?: string | undefined
  /** True: only calls that verify a student's answer; false: all others. */
  readonly verifies?: boolean | undefined
}

/** What is absent filters nothing. */
export interface FeedbackFilter {
  /** Includes feedback on the call's external id. */
  readonly call?: string | undefined
  readonly externalId?: string | undefined
  readonly name?: string | undefined
}

export interface CallScan extends CallFilter {
  readonly createdAfter: Millis | null
  readonly createdBefore: Millis | null
  /** At least one feedback on it, by its id or its external id, has this value or more; null: whatever was said. */
  readonly feedbackMin: number | null
}

/** How often a question was asked of a deployment, and answered by its student. */
interface QuestionCount {
  readonly question: string
  /** One that its calls gave it, in which U+FFFD may stand for what no text holds (NUL, half a pair); null without any. */
  readonly name: string | null
  readonly asked: number
  readonly answeredHere: number
}

/** Questions of a deployment that are counted: those that most calls ask. */
export const countedQuestionsMax = 1_000

/** How often a student in shadow was compared on a question. */
interface QuestionShadows {
  readonly question: string
  readonly name: string | null
  readonly compared: number
  readonly agreed: number
}

/** Sums over a deployment's calls. Means count successful calls; null without any. */
export interface DeploymentFigures {
  /** Calls by responder, whatever their outcome. */
  readonly calls: Readonly<Record<ServedBy, number>>
  readonly failed: number
  readonly shadowed: number
  readonly shadowFailed: number
  /** Shadow results that could be compared, and those that said the same. What verifies is in none of these. */
  readonly compared: number
  readonly agreed: number
  /** Of its answers, and of its shadow results. */
  readonly studentMillisMean: number | null
  /** Of the answers that did not wait for the student first; without any, of the fallback's, which did. */
  readonly upstreamMillisMean: number | null
  /** What the upstream's answers cost, over the calls that have a price. */
  readonly upstreamCostMicros: number
  /** What the student has paid for embeddings, of all calls. */
  readonly studentMicros: number
  readonly upstreamCostedCalls: number
  /** The part of both for requests with a part of the questions: those of `mixed` calls. */
  readonly partialCostMicros: number
  readonly partialCostedCalls: number
  /** What the whole answers cost that its student's answers were compared with; in none of the above. */
  readonly verificationCostMicros: number
  readonly verificationCostedCalls: number
  /** Those with the most calls first, of equals by their id; at most `countedQuestionsMax`. */
  readonly questions: ReadonlyArray<QuestionCount>
  /** Of shadow results whose `message` lists `decisions`, in the same order and number. What verifies is in none of these. */
  readonly shadowQuestions: ReadonlyArray<QuestionShadows>
}

/** How a call of a deployment was answered. */
export type ServedCall = Pick<CapturedCall, "id" | "servedBy" | "fallbackReason" | "confidence">

/** Shadow results whose call was answered by the upstream, and that verify nothing. */
export interface Comparisons {
  /** Those in which both had an answer, and of these those that say the same. */
  readonly compared: number
  readonly agreed: number
  /** Of these, those that have the upstream's most frequent answer. */
  readonly mostFrequent: number
}

/** Of a period: how often a student and its upstream were compared, and said the same. */
export interface ComparedPeriod {
  readonly compared: number
  readonly agreed: number
  /** When the last of them was. */
  readonly lastAt: Millis
}

/** Feedback that awaited its call: how much of it stays, and how much went. */
export interface WaitingFeedback {
  readonly kept: number
  readonly dropped: number
}

/** The doorbell of the queue that rings when verifications were stored (`takeVerifications`). */
export const verificationTopic = "verification"

/** The queue topic of deployments that were asked for stored calls; an item's subject is the deployment's id. */
export const deploymentCallsTopic = "deployment_calls"

export class CallStore extends Context.Service<
  CallStore,
  {
    /**
     * Appends all calls or none, and skips known ids, so that a journal may be replayed. `RecordRefused` speaks of the records
     * alone; a storage that takes no writes at present fails with `StorageError`. Returns the ids of the new calls, and counts them in the usage of their day (`captured_calls`) and in their
     * tallies (`TallyRules.talliesOf`).
     */
    readonly append: (
      calls: ReadonlyArray<InPartition<CapturedCall>>
    ) => Effect.Effect<ReadonlySet<string>, RecordRefused | StorageError>
    /** As `append`, by call and deployment. */
    readonly appendShadows: (
      results: ReadonlyArray<InPartition<ShadowResult>>
    ) => Effect.Effect<void, RecordRefused | StorageError>
    readonly find: (partition: Partition, id: string) => Effect.Effect<Option.Option<CapturedCall>, StorageError>
    /** Of one call, oldest first. */
    readonly shadowsOf: (partition: Partition, id: string) => Effect.Effect<ReadonlyArray<ShadowResult>, StorageError>
    /** Newest first. A page of large calls may end before its limit, and says then that more follow. */
    readonly page: (
      partition: Partition,
      filter: CallFilter,
      request: PageRequest
    ) => Effect.Effect<Page<CapturedCall>, StorageError>
    /** Newest first, in constant memory; what is stored or removed meanwhile may or may not be met, nothing is met twice. */
    readonly scan: (partition: Partition, scan: CallScan) => Stream.Stream<ScannedCall, StorageError>
    /** Counts the calls of a scan, without reading their bodies. */
    readonly kindsOf: (partition: Partition, scan: CallScan) => Effect.Effect<ReadonlyArray<CallKind>, StorageError>
    /**
     * Gone at once, with its shadow results; answers whether there was one. Neither it nor a shadow result of it is stored by
     * a later append, for as long as `prune` would have kept it. What was said of it stays.
     */
    readonly remove: (partition: Partition, id: string) => Effect.Effect<boolean, StorageError>
    /**
     * Removes up to `limit` calls of any partition that were made before, the oldest of each first, with all that was said of
     * them by their id; answers how many calls.
     */
    readonly prune: (createdBefore: Millis, limit: number) => Effect.Effect<number, StorageError>
    /** Removes up to `limit` feedbacks of any partition that were given before; answers how many. */
    readonly pruneFeedback: (createdBefore: Millis, limit: number) => Effect.Effect<number, StorageError>
    /**
     * The tallies of all stored calls, also of those that were removed or pruned since, in no order. A
     * concurrent append may or may not be included; each tally is returned once.
     */
    readonly tallies: (partition: Partition, range: TallyRange) => Stream.Stream<CallTally, StorageError>
    /**
     * Removes up to `limit` tallies of a width and of any partition that start before a time, the oldest first; returns their
     * number. Skips a tally to which an append adds at this moment. A later append of an older call starts a new tally.
     */
    readonly pruneTallies: (
      width: Exclude<TallyWidth, "all">,
      startsBefore: Millis,
      limit: number
    ) => Effect.Effect<number, StorageError>
    readonly figures: (partition: Partition, deployment: string) => Effect.Effect<DeploymentFigures, StorageError>
    /**
     * Up to `limit` calls of the deployment whose ids have this time or a later one: the first of them in the order of their
     * ids, or with `order` `newest` the last, last one first. Read by index, however many calls there are.
     */
    readonly servedCalls: (
      partition: Partition,
      deployment: string,
      since: Millis,
      options: { readonly order: "oldest" | "newest"; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<ServedCall>, StorageError>
    /** The number of these calls, counted by index. */
    readonly servedCount: (
      partition: Partition,
      deployment: string,
      since: Millis
    ) => Effect.Effect<number, StorageError>
    /**
     * Shadow results of the deployment from `since` on that compare its student with the upstream. A `minConfidence`
     * above 0 leaves out answers of lower confidence.
     */
    readonly comparisons: (
      partition: Partition,
      deployment: string,
      since: Millis,
      minConfidence: number
    ) => Effect.Effect<Comparisons, StorageError>
    /**
     * Comparisons and verifications in `periods` of equal length, from the first result to the last, oldest first. Empty
     * periods are left out.
     */
    readonly comparisonsByPeriod: (
      partition: Partition,
      deployment: string,
      since: Millis,
      periods: number
    ) => Effect.Effect<ReadonlyArray<ComparedPeriod>, StorageError>
    /**
     * Up to `limit` shadow results of any partition that verify and that nobody has taken, oldest first. Inside a transaction:
     * they are taken when it commits, and until then no other gets them.
     */
    readonly takeVerifications: (limit: number) => Effect.Effect<ReadonlyArray<InPartition<ShadowResult>>, StorageError>
    /**
     * Returns whether the feedback was stored. `awaitsCall`: the call is missing and may arrive later. Feedback on a removed
     * call is not stored. See `dropUnjoined`.
     */
    readonly insertFeedback: (
      partition: Partition,
      feedback: Feedback,
      awaitsCall?: boolean
    ) => Effect.Effect<boolean, StorageError>
    /**
     * Looks at up to `limit` feedbacks of any partition that were given before and await their call, the oldest first. Where
     * the call has come, also where it was removed since, or where it names an external id too, it stays and awaits nothing
     * any more; others go.
     */
    readonly dropUnjoined: (createdBefore: Millis, limit: number) => Effect.Effect<WaitingFeedback, StorageError>
    /** Gone at once; answers whether there was one. */
    readonly removeFeedback: (partition: Partition, id: string) => Effect.Effect<boolean, StorageError>
    /** Newest first. */
    readonly pageFeedback: (
      partition: Partition,
      filter: FeedbackFilter,
      request: PageRequest
    ) => Effect.Effect<Page<Feedback>, StorageError>
  }
>()("@limbeck/capture/call/CallStore") {}
