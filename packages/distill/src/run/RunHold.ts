/**
 * A run under a lease: how it is by what its worker heard, and how far that is written. Every write first proves that the
 * lease is still held, so a worker that lost it can write nothing more; and each takes all that was heard since the last,
 * be it words, whole stages or the end, in one transaction.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { EventDraft } from "@limbeck/core/events/Event"
import { type LeaseLost, Queue, type Work } from "@limbeck/core/queue/Queue"
import type { Stored } from "@limbeck/core/resources/Kind"
import { ResourceStore, type RevisionConflict } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Semaphore from "effect/Semaphore"
import * as Report from "../report/Report.ts"
import * as StudentModel from "../student/StudentModel.ts"
import type * as Run from "./Run.ts"
import * as RunChanges from "./RunChanges.ts"
import type * as RunEnding from "./RunEnding.ts"
import { isTerminal } from "./RunMachine.ts"
import type { NewRecord } from "./RunRecords.ts"

export type WriteError = LeaseLost | StorageError | RevisionConflict

type Left = ReturnType<typeof RunEnding.make>

export interface RunHold {
  readonly work: Work
  /** By all that was heard, written or not. */
  readonly run: () => Run.Run
  /** Whether it has ended, or is given back, once all is written. */
  readonly isOver: () => boolean
  /** How much was heard since the last write. */
  readonly waiting: () => number
  /** Ends when something was heard that is not written. */
  readonly untilHeard: Effect.Effect<void>
  /** The run is now `next`; `extra` events come before its ending. */
  readonly move: (next: Run.Run, extra?: ReadonlyArray<EventDraft>) => void
  /** The same, with a record of what was said. */
  readonly note: (next: Run.Run, record?: NewRecord) => void
  /** What a success leaves, to be written with it. */
  readonly leave: (left: Left) => void
  /** With the next write the run is given back, to be due at this time. */
  readonly giveBackAt: (dueAt: number) => void
  /** Writes all that was heard. Nothing is lost by a failure: the next write takes it. After an end the work is settled. */
  readonly write: Effect.Effect<void, WriteError>
  /** Of a run that had ended before. */
  readonly settle: Effect.Effect<void, LeaseLost | StorageError>
}

export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const queue = yield* Queue
  const resources = yield* ResourceStore
  const changes = yield* RunChanges.make

  return (work: Work, found: Stored<Run.Run>): RunHold => {
    const { partition } = work
    const turn = Semaphore.makeUnsafe(1)
    const heard = Latch.makeUnsafe(false)
    let stored = found
    let draft = RunChanges.unchanged(found.value)
    let left: Left | null = null
    let dueAt: number | null = null
    let waiting = 0

    const set = (next: RunChanges.Draft) => {
      draft = next
      waiting++
      Latch.openUnsafe(heard)
    }

    /** The lease is proven by what is done with it. */
    const fence = (run: Run.Run) => {
      if (isTerminal(run.status)) return queue.settle(work)
      return dueAt === null ? queue.guard(work) : queue.release(work, dueAt)
    }

    const insert = ({ report, studentModel }: Left): Effect.Effect<void, StorageError> => {
      const inserted = resources.insert(partition, Report.kind, report)
      const both =
        studentModel === null
          ? inserted
          : Effect.andThen(inserted, resources.insert(partition, StudentModel.kind, studentModel))
      return Effect.catchTag(both, "AlreadyExists", Effect.die)
    }

    const writeAll = Effect.suspend(() => {
      // While this is written more is heard, also the end: that is for the next write.
      const writing = draft
      const leaving = left === null ? Effect.void : insert(left)
      if (writing.run === stored.value) return Effect.void
      draft = RunChanges.unchanged(writing.run)
      waiting = 0
      Latch.closeUnsafe(heard)
      return storage
        .transaction(
          Effect.andThen(Effect.andThen(fence(writing.run), leaving), changes.write(partition, stored, writing))
        )
        .pipe(
          Effect.tap((written) =>
            Effect.sync(() => {
              stored = written
            })
          ),
          Effect.asVoid,
          Effect.onError(() =>
            Effect.sync(() => {
              const { events, records, run } = draft
              set({ run, records: [...writing.records, ...records], events: [...writing.events, ...events] })
            })
          )
        )
    })

    return {
      work,
      run: () => draft.run,
      isOver: () => dueAt !== null || isTerminal(draft.run.status),
      waiting: () => waiting,
      untilHeard: heard.await,
      move: (next, extra) => set(RunChanges.step(partition, draft, next, extra)),
      note: (next, record) =>
        set({ ...draft, run: next, records: record === undefined ? draft.records : [...draft.records, record] }),
      leave: (made) => {
        left = made
      },
      giveBackAt: (at) => {
        dueAt = at
      },
      write: turn.withPermit(writeAll),
      settle: queue.settle(work)
    }
  }
})
