/**
 * A run under a lease. Steps are added as they happen and written in batches, each in one transaction that first proves the
 * lease: a worker without it writes nothing more. `HoldState` draws the states and lists the invariants, `RunWrites` has
 * the transaction.
 */

import type { StorageError } from "@limbeck/core/errors/Errors"
import * as Invariant from "@limbeck/core/errors/Invariant"
import type { EventDraft } from "@limbeck/core/events/Event"
import { type LeaseLost, Queue, type Work } from "@limbeck/core/queue/Queue"
import type { StoredResource } from "@limbeck/core/resources/Kind"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Semaphore from "effect/Semaphore"
import type * as Run from "../Run.ts"
import { isTerminal } from "../RunMachine.ts"
import type { NewRecord } from "../RunRecords.ts"
import * as HoldState from "./HoldState.ts"
import * as RunChanges from "./RunChanges.ts"
import type { RunEnding } from "./RunEnding.ts"
import * as RunWrites from "./RunWrites.ts"

export interface RunHold {
  readonly work: Work
  /** After every step, written or not. */
  readonly run: () => Run.Run
  /** Whether the run has ended or waits for its next attempt, once all is written. */
  readonly isOver: () => boolean
  /** Steps since the last write began. */
  readonly unwrittenSteps: () => number
  /** Waits for an unwritten step. */
  readonly awaitUnwritten: Effect.Effect<void>
  /** A step of the run's machine, with its events. */
  readonly move: (next: Run.Run) => void
  /** The move to success, with its results; `events` precede the success's own. */
  readonly succeed: (next: Run.Run, ending: RunEnding, events: ReadonlyArray<EventDraft>) => void
  /** A step that publishes no event: progress of the running stage, with its record. */
  readonly progress: (next: Run.Run, record?: NewRecord) => void
  /** Writes every step so far. A failure loses nothing: the next write takes it too. */
  readonly write: Effect.Effect<void, RunWrites.WriteError>
  /** Settles the work item of a run that had ended before its claim. */
  readonly settle: Effect.Effect<void, LeaseLost | StorageError>
}

export const make = Effect.gen(function* () {
  const queue = yield* Queue
  const writeBatch = yield* RunWrites.make

  return (work: Work, found: StoredResource<Run.Run>): RunHold => {
    const oneWrite = Semaphore.makeUnsafe(1)
    const isAhead = Latch.makeUnsafe(false)
    let state = HoldState.make(found)

    const set = (next: HoldState.HoldState) => {
      state = next
      if (state.next.steps > 0) Latch.openUnsafe(isAhead)
      else Latch.closeUnsafe(isAhead)
    }

    const checkState = Effect.suspend(() =>
      Invariant.check("HoldState", HoldState.mistakeIn(state), { run: work.subject })
    )

    const writeSteps = Effect.suspend(() => {
      if (state.next.steps === 0) return Effect.void
      const batch = state.next
      set(HoldState.beginWrite(state))
      // Shares its transaction with other runs, and may commit despite an interruption.
      return writeBatch({ work, stored: state.stored, batch }).pipe(
        Effect.tap((revision) => Effect.sync(() => set(HoldState.commit(state, revision)))),
        Effect.onError(() => Effect.sync(() => set(HoldState.failWrite(state)))),
        Effect.asVoid,
        Effect.uninterruptible
      )
    })

    return {
      work,
      run: () => HoldState.runOf(state),
      isOver: () => HoldState.runOf(state).dueAt != null || isTerminal(HoldState.runOf(state).status),
      unwrittenSteps: () => state.next.steps,
      awaitUnwritten: isAhead.await,
      move: (next) => set(HoldState.add(state, (draft) => RunChanges.step(work.partition, draft, next))),
      succeed: (next, ending, events) =>
        set(HoldState.add(state, (draft) => RunChanges.step(work.partition, draft, next, events), ending)),
      progress: (next, record) => set(HoldState.add(state, (draft) => RunChanges.note(draft, next, record))),
      write: oneWrite.withPermit(Effect.andThen(checkState, writeSteps)),
      settle: queue.settle(work)
    }
  }
})
