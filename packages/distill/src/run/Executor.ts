/** What does the work of a stage. The scheduler feeds it a stage and writes down what it says. */
import type { AnswerConfidence } from "@limbeck/capture/source/AnswerConfidence"
import type { SourceModelEmbeddings } from "@limbeck/capture/source/SourceQuestion"
import type { BlobRef } from "@limbeck/core/blobs/Blobs"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { DatasetVersion } from "../dataset/DatasetVersion.ts"
import type { Row, Split } from "../dataset/Row.ts"
import type { Message } from "../dataset/RowText.ts"
import type { EmbeddingModel, StageKind } from "../recipe/Recipe.ts"
import type { StudentBase } from "../recipe/StudentBase.ts"
import type { DecidedRow, SecondAnswer } from "../report/DecidedRow.ts"
import type { Completion } from "../reward/Completion.ts"
import type { Examination } from "../suspects/Examination.ts"
import type { Run, RunStage, Usage } from "./Run.ts"
import type { LogLine } from "./RunRecords.ts"

/** Storage for a stage's bytes that are too large for a checkpoint or a result, by digest. */
export interface StageBlobs {
  readonly put: (content: Stream.Stream<Uint8Array, StageFailure>) => Effect.Effect<BlobRef, StageFailure>
  /** Fails for an unknown digest. */
  readonly get: (sha256: string) => Stream.Stream<Uint8Array, StageFailure>
}

/** Of a stage, from its beginning, whatever the number of attempts. */
export interface Meter {
  /** The stage's usage at the checkpoint of this attempt's start; zero without one. */
  readonly start: Usage
  /**
   * To be asked before anything is spent: succeeds when the budget holds a stage that comes to `upTo`, and fails with
   * `budget_exceeded` when it does not. Most calls cost nothing.
   */
  readonly reserve: (upTo: Usage) => Effect.Effect<void, StageFailure>
}

/** Of judges that scored for the trainer of a stage, in tokens, counted from the stage's beginning. */
export interface JudgesLook {
  readonly spent: number
  /** Up to which somebody waits for more to be allowed. */
  readonly wanted: number
}

/** How the trainer of an attempt has its completions scored by the recipe's rewards. */
export interface StageScoring {
  /** The rewards of the recipe. */
  readonly rewards: ReadonlyArray<string>
  /** Makes a capability for this attempt, known to nobody else; that of an earlier attempt is over. */
  readonly open: Effect.Effect<JudgesLook & { readonly capability: string }, StageFailure>
  /** What judges have taken by now; the capability lasts on. */
  readonly look: Effect.Effect<JudgesLook, StageFailure>
  /** Lets judges take so many tokens in all. To be called once they are reserved. */
  readonly allow: (tokens: number) => Effect.Effect<void, StageFailure>
}

export interface StageContext {
  readonly partition: Partition
  readonly run: Run
  /** Includes the checkpoint to resume from, if any. */
  readonly stage: RunStage
  readonly version: DatasetVersion
  /** The rows of one split in order, each with its key in the version. */
  readonly rows: (split: Split) => Stream.Stream<StageRow, StageFailure>
  /** Prompts of captured calls of the workspace from before the run, without their answers, newest first. */
  readonly unlabelled: Stream.Stream<ReadonlyArray<Message>, StageFailure>
  readonly blobs: StageBlobs
  /** Opens a model of a source for embeddings; fails where the source is gone, or has none. */
  readonly openEmbeddings: (model: EmbeddingModel) => Effect.Effect<SourceModelEmbeddings, StageFailure>
  readonly meter: Meter
  readonly scoring: StageScoring
}

export interface StageRow {
  readonly key: string
  readonly row: Row
}

/** What a stage says while it works; `Finished` is the last word. */
export type Progress = Data.TaggedEnum<{
  Metric: { readonly name: string; readonly unit: string; readonly step: number; readonly value: number }
  Log: { readonly level: LogLine["level"]; readonly message: string }
  /** The stage's total usage since its beginning; repetitions count once. */
  Spend: { readonly usage: Usage }
  /** A new attempt goes on from here. */
  Checkpoint: { readonly state: Schema.Json; readonly usage: Usage }
  /** Of an evaluation: what the student says to the prompt of a holdout row. `confidence`: 0 to 1, where it has one. */
  Answer: {
    readonly row: StageRow
    readonly completion: Completion
    readonly latencyMillis: number
    readonly confidence: number | null
    /** How an endpoint told it; absent for a student that is asked otherwise. */
    readonly confidenceFrom?: AnswerConfidence["from"]
    /** What it cost, in micro-dollars; null: nobody knows. Absent: its latency at the run's price. */
    readonly costMicros?: number | null
    /** The id of the row's prompt, as far as the student knows it. */
    readonly template?: string
    /** Free properties, excluded from the comparison. Absent for whole answers. */
    readonly free?: ReadonlyArray<string>
  }
  /** Of an evaluation: what a student of decisions says to the questions of a holdout row. */
  Decisions: DecidedRow & { readonly key: StageRow["key"] }
  /** Of an evaluation: what a hosted model says to a holdout row. */
  CandidateAnswer: {
    /** Its place among the candidates of the stage. */
    readonly candidate: number
    readonly row: StageRow
    /** Null: no answer came. */
    readonly completion: Exclude<Completion, string> | null
    readonly latencyMillis: number
    /** In micro-dollars; null without a price. */
    readonly costMicros: number | null
  }
  /** Of an evaluation: the teacher's second answer to a holdout row. */
  TeacherAnswer: { readonly row: StageRow["key"]; readonly completion: Exclude<Completion, string> }
  /** Of an evaluation: the teacher's second answers to the questions of a holdout row of decisions. */
  TeacherDecisions: { readonly row: StageRow["key"]; readonly answers: ReadonlyArray<SecondAnswer> }
  /** Of a training: the train rows whose answers look wrong. */
  Examined: { readonly examination: Examination }
  /** `skipped`: the stage was reached and had nothing to do. */
  Finished: { readonly outcome: "succeeded" | "skipped"; readonly result: Schema.Json }
}>
export const Progress = Data.taggedEnum<Progress>()

/** The failure code of an exhausted budget. */
export const budgetExceeded = "budget_exceeded"

/** The stage cannot go on. `retryable`: another attempt may fare better. */
export class StageFailure extends Data.TaggedError("StageFailure")<{
  readonly code: string
  readonly message: string
  readonly retryable: boolean
}> {}

export const overBudget = new StageFailure({
  code: budgetExceeded,
  message: "The next step would have passed budget.max_cost_usd",
  retryable: false
})

/** The executor of this name makes stub artifacts, also in a live run that somebody tries out; reports say so. */
export const stubName = "stub"

export interface Executor {
  /** Shown as `executor` on runs; a run is always driven by its named executor. */
  readonly name: string
  /** Stages unsupported by the current setup, each with the reason for a person. */
  readonly lacks?: Readonly<Partial<Record<StageKind, string>>>
  /**
   * Performs one attempt of a stage, from its checkpoint, if any. Interrupting the stream stops the work. Deterministic:
   * the same stage of the same run reports the same.
   */
  readonly execute: (context: StageContext) => Stream.Stream<Progress, StageFailure>
}

/** The executor of this name evaluates students trained elsewhere. */
export const endpointName = "endpoint"

/** Always there: it needs nothing that a host would have to set up. */
export class EndpointExecutor extends Context.Service<EndpointExecutor, Executor>()(
  "@limbeck/distill/run/EndpointExecutor"
) {}

/** The executors that the host has set up. */
export class Executors extends Context.Service<
  Executors,
  {
    /** Who takes a new run; a failure says, for a person, what would have to be installed. */
    readonly choose: (options: {
      readonly dryRun: boolean
      readonly engine: StudentBase["engine"]
    }) => Result.Result<Executor, string>
    readonly find: (name: string) => Executor | undefined
  }
>()("@limbeck/distill/run/Executors") {}
