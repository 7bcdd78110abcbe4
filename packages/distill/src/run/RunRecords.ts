/**
 * The records of runs: metrics, log lines, and the states they went through. The worker that holds the run appends them, one
 * at a time. Reads return one kind, or all kinds in order.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export interface MetricPoint {
  readonly stage: number
  readonly name: string
  readonly unit: string
  readonly step: number
  readonly value: number
  readonly at: Millis
}

export interface LogLine {
  readonly stage: number
  readonly at: Millis
  readonly level: "debug" | "info" | "warn" | "error"
  /** Already free of credentials. */
  readonly message: string
}

export interface StoredLogLine extends LogLine {
  /** Counts from 1 within the run, without gaps, in the order of appending. */
  readonly seq: number
}

/** A record before it has a place. A state is JSON: the run in the form of its GET at that time. */
export type NewRecord =
  | { readonly kind: "metric"; readonly point: MetricPoint }
  | { readonly kind: "log"; readonly line: LogLine }
  | { readonly kind: "state"; readonly at: Millis; readonly state: string }

/** Any record, at its place: counted from 1 within the run, without gaps, over records of all kinds. */
export type RunRecord = { readonly place: number } & (
  | { readonly kind: "metric"; readonly point: MetricPoint }
  | { readonly kind: "log"; readonly line: StoredLogLine }
  | {
      readonly kind: "state"
      /** JSON: the run in the form of its GET at that time. */
      readonly state: string
    }
)

/** Records to append to one run, in this order. */
export interface AppendResult {
  readonly run: string
  readonly records: ReadonlyArray<NewRecord>
}

export class RunRecords extends Context.Service<
  RunRecords,
  {
    /** Appends in the surrounding transaction, in this order; only one writer at a time. */
    readonly append: (
      partition: Partition,
      run: string,
      records: ReadonlyArray<NewRecord>
    ) => Effect.Effect<void, StorageError>
    /** As `append`, to several runs; each of them is there once. */
    readonly appendMany: (
      partition: Partition,
      appended: ReadonlyArray<AppendResult>
    ) => Effect.Effect<void, StorageError>
    /** All points in the order of appending. */
    readonly metrics: (partition: Partition, run: string) => Effect.Effect<ReadonlyArray<MetricPoint>, StorageError>
    /** Up to `limit` lines with a seq above `after`, oldest first; of one stage, or of all for null. */
    readonly logs: (
      partition: Partition,
      run: string,
      options: { readonly stage: number | null; readonly after: number; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<StoredLogLine>, StorageError>
    /**
     * Up to `limit` records of all kinds with a place above `after`, in the order of appending. A reader that continues
     * from its last place sees every record exactly once.
     */
    readonly all: (
      partition: Partition,
      run: string,
      options: { readonly after: number; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<RunRecord>, StorageError>
  }
>()("@limbeck/distill/run/RunRecords") {}
