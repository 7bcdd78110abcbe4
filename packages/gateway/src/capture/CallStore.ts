/** Where captured calls, shadow results and feedback are. The promises are tested by CallStoreContract. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { CallEndpoint, CapturedCall, Outcome, ServedBy, ShadowResult } from "./CapturedCall.ts"
import type { Feedback } from "./Feedback.ts"

/** Of a call, what rows of a dataset are made of. */
export type ScannedCall = Pick<CapturedCall, "id" | "request" | "requestIsJson" | "response" | "responseIsJson">

/** A call and whose it is: calls of many partitions are stored at once. */
export interface Owned<A> {
  readonly partition: Partition
  readonly value: A
}

/** What is absent or empty filters nothing. */
export interface CallFilter {
  readonly source?: string | undefined
  readonly model?: string | undefined
  /** All of them. */
  readonly tags?: ReadonlyArray<string> | undefined
  readonly externalId?: string | undefined
  readonly servedBy?: ReadonlyArray<ServedBy> | undefined
  readonly outcome?: Outcome | undefined
  readonly endpoint?: CallEndpoint | undefined
  readonly deployment?: string | undefined
}

/** What is absent filters nothing. */
export interface FeedbackFilter {
  /** What was said of its external id too. */
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

/** What a deployment's calls come to. Means are of what succeeded, and null where there is nothing to take them of. */
export interface DeploymentFigures {
  /** Calls by who answered them, however that ended. */
  readonly calls: Readonly<Record<ServedBy, number>>
  readonly failed: number
  readonly shadowed: number
  readonly shadowFailed: number
  /** Shadow results that could be compared, and those that said the same. */
  readonly compared: number
  readonly agreed: number
  /** Of its answers, and of its shadow results. */
  readonly studentMillisMean: number | null
  /** Of the answers that did not wait for the student first. */
  readonly upstreamMillisMean: number | null
  /** What the upstream's answers cost, over the calls that have a price. */
  readonly upstreamCostMicros: number
  readonly upstreamCostedCalls: number
}

export class CallStore extends Context.Service<
  CallStore,
  {
    /** All or none; one whose id is there already is passed over, so that a journal may be replayed. */
    readonly append: (calls: ReadonlyArray<Owned<CapturedCall>>) => Effect.Effect<void, StorageError>
    /** As `append`, by call and deployment. */
    readonly appendShadows: (results: ReadonlyArray<Owned<ShadowResult>>) => Effect.Effect<void, StorageError>
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
    readonly figures: (partition: Partition, deployment: string) => Effect.Effect<DeploymentFigures, StorageError>
    readonly insertFeedback: (partition: Partition, feedback: Feedback) => Effect.Effect<void, StorageError>
    /** Newest first. */
    readonly pageFeedback: (
      partition: Partition,
      filter: FeedbackFilter,
      request: PageRequest
    ) => Effect.Effect<Page<Feedback>, StorageError>
  }
>()("@limbeck/gateway/capture/CallStore") {}
