/**
 * A started trainer, on this machine or elsewhere: the interface for the stage executor, and the port that starts and
 * finds trainers.
 */
import type { StageContext, StageFailure } from "@limbeck/distill/run/Executor"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Job } from "./Job.ts"

export interface Trainer {
  /** Whether the trainer works or will start to work, by current knowledge. */
  readonly isAlive: () => boolean
  /** Runs while the trainer is followed. */
  readonly attend: Effect.Effect<void>
  /** Waits for the start of the work and returns its time, in milliseconds. */
  readonly begun: Effect.Effect<number, StageFailure>
  /** Asks the trainer to stop, and kills it after the grace time. Does nothing for an exited trainer. */
  readonly stop: (graceMillis: number) => Effect.Effect<void>
  /** Waits briefly for the trainer to exit by itself; returns whether it did. */
  readonly leave: Effect.Effect<boolean>
  /** Kills processes that an exited trainer left behind. */
  readonly sweep: Effect.Effect<void>
}

export interface Launcher {
  /** The `executor` name in runs. */
  readonly name: string
  /** The log line while a started trainer waits for its turn; null if trainers start at once. */
  readonly waiting: string | null
  /** Call it uninterruptibly: only the caller stops the started trainer. */
  readonly start: (job: Job, input: Schema.Json, context: StageContext) => Effect.Effect<Trainer, StageFailure>
  /** The running trainer of a job, started by any process; null after its end. */
  readonly find: (job: Job) => Effect.Effect<Trainer | null, StageFailure>
  /** The known working time of a job that is gone, in milliseconds; null if it never began. */
  readonly lifeOf: (job: Job) => Effect.Effect<{ readonly from: number; readonly to: number } | null, StageFailure>
}
