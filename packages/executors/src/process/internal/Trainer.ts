/** A trainer that was started, wherever it works: what the executor of a stage needs of it, and who starts and finds one. */
import type { StageContext, StageFailure } from "@limbeck/distill/run/Executor"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Job } from "./Job.ts"

export interface Trainer {
  /** Whether it works still, or will, as far as is known at this moment. */
  readonly isAlive: () => boolean
  /** To be run while it is followed. */
  readonly attend: Effect.Effect<void>
  /** Waits until it begins to work, and returns when that was, in milliseconds. */
  readonly begun: Effect.Effect<number, StageFailure>
  /** Tells it to end, and ends it once the grace is over. Nothing for one that is gone. */
  readonly stop: (graceMillis: number) => Effect.Effect<void>
  /** Waits a moment for it to end by itself; returns whether it did. */
  readonly leave: Effect.Effect<boolean>
  /** Ends what a trainer that is gone has left behind. */
  readonly sweep: Effect.Effect<void>
}

export interface Launcher {
  /** Shown as `executor` on runs. */
  readonly name: string
  /** Told before a trainer that was started begins; null where it begins at once. */
  readonly waiting: string | null
  /** To be called uninterruptibly: what it starts is stopped by nobody else. */
  readonly start: (job: Job, input: Schema.Json, context: StageContext) => Effect.Effect<Trainer, StageFailure>
  /** The trainer of a job that anybody started; null if it is gone. */
  readonly find: (job: Job) => Effect.Effect<Trainer | null, StageFailure>
  /** From when to when a job that is gone is known to have worked, in milliseconds; null if it never began. */
  readonly lifeOf: (job: Job) => Effect.Effect<{ readonly from: number; readonly to: number } | null, StageFailure>
}
