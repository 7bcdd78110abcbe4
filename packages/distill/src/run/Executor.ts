/** What does the work of a stage. The scheduler feeds it a stage and writes down what it says. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { DatasetVersion } from "../dataset/DatasetVersion.ts"
import type { StudentBase } from "../recipe/StudentCatalog.ts"
import type { Run, RunStage } from "./Run.ts"
import type { LogLine } from "./RunRecords.ts"

export interface StageContext {
  readonly run: Run
  readonly stage: RunStage
  readonly version: DatasetVersion
}

/** What a stage says while it works; `Finished` is the last word. */
export type Progress = Data.TaggedEnum<{
  Metric: { readonly name: string; readonly unit: string; readonly step: number; readonly value: number }
  Log: { readonly level: LogLine["level"]; readonly message: string }
  /** A new attempt goes on from here. */
  Checkpoint: { readonly checkpoint: Schema.Json }
  /** `skipped`: the stage was reached and had nothing to do. */
  Finished: { readonly outcome: "succeeded" | "skipped"; readonly result: Schema.Json }
}>
export const Progress = Data.taggedEnum<Progress>()

/** The stage cannot go on. `retryable`: another attempt may fare better. */
export class StageFailure extends Data.TaggedError("StageFailure")<{
  readonly code: string
  readonly message: string
  readonly retryable: boolean
}> {}

/** The executor of this name makes stub artifacts, also in a live run that somebody tries out; reports say so. */
export const stubName = "stub"

export interface Executor {
  /** Shown as `executor` on runs; a run is always driven by the one it names. */
  readonly name: string
  /**
   * Works on one attempt of a stage, from its checkpoint if it has one. Interrupting the stream stops the work. The same
   * stage of the same run always says the same.
   */
  readonly execute: (context: StageContext) => Stream.Stream<Progress, StageFailure>
}

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
