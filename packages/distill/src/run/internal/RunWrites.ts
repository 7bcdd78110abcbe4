/**
 * Writes batches of steps. Batches that arrive during a transaction share the next one: every lease is proved first, and a
 * run with a lost lease is left out. If one run makes storage refuse the transaction, or the transaction fails, each
 * batch is written separately: no run fails because of another.
 *
 *   state of the run      what the transaction does with the work item
 *   ended                 settles the item: no worker claims the item again
 *   due again later       releases the item until the due time, for any worker
 *   running               keeps the item; a run with a lost lease is left out
 */

import type { StorageError } from "@limbeck/core/errors/Errors"
import { Pools } from "@limbeck/core/pools/Pools"
import * as Gathered from "@limbeck/core/queue/Gathered"
import { LeaseLost, type Outcome, Queue, type Work } from "@limbeck/core/queue/Queue"
import type { StoredResource } from "@limbeck/core/resources/Kind"
import { ResourceStore, type RevisionConflict } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Report from "../../report/Report.ts"
import * as StudentModel from "../../student/StudentModel.ts"
import type * as Run from "../Run.ts"
import { isTerminal } from "../RunMachine.ts"
import type * as HoldState from "./HoldState.ts"
import * as RunChanges from "./RunChanges.ts"
import type { RunEnding } from "./RunEnding.ts"

export type WriteError = LeaseLost | StorageError | RevisionConflict

export interface Write {
  readonly work: Work
  /** What it is written over. */
  readonly stored: StoredResource<Run.Run>
  readonly batch: HoldState.Batch
}

const outcomeOf = ({ batch, work }: Write): Outcome => {
  const { run } = batch.draft
  return { work, next: isTerminal(run.status) ? "done" : (run.dueAt ?? "held") }
}

/** The end of a charged run locks the accounts of its partition, which delays others. */
const charges = ({ batch }: Write): boolean =>
  batch.draft.run.billing !== undefined && isTerminal(batch.draft.run.status)

/** Returns the new revision after its commit. */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const queue = yield* Queue
  const resources = yield* ResourceStore
  const changes = yield* RunChanges.make

  const insertEnding = Effect.fnUntraced(function* ({ partition }: Work, { found, report, studentModel }: RunEnding) {
    yield* resources.add(partition, Report.kind, report)
    if (studentModel !== null) yield* resources.add(partition, StudentModel.kind, studentModel)
    if (found === null) return
    const evaluated = yield* resources.find(partition, StudentModel.kind, found.id)
    if (Option.isNone(evaluated)) return
    const { revision, value } = evaluated.value
    yield* resources.compareAndSet(partition, StudentModel.kind, { revision, value: { ...value, ...found } })
  })

  const writeOfOne = Effect.fnUntraced(function* (writes: ReadonlyArray<Write>) {
    for (const { batch, work } of writes) if (batch.ending !== null) yield* insertEnding(work, batch.ending)
    // A group is never empty.
    yield* changes.write(
      writes[0]!.work.partition,
      writes.map(({ batch, stored }) => ({ stored, draft: batch.draft }))
    )
  })

  /** One transaction. */
  const writeTogether = (writes: ReadonlyArray<Write>) =>
    storage.transaction(
      Effect.gen(function* () {
        const lost = new Set(yield* queue.conclude(writes.map(outcomeOf)))
        const held = writes.filter(({ work }) => !lost.has(work))
        const partitions = Map.groupBy(held, ({ work }) => work.partition.key)
        yield* Effect.forEach(partitions.values(), writeOfOne, { discard: true })
        return writes.map(({ stored, work }): Exit.Exit<number, WriteError> => {
          const { subject, topic } = work
          return lost.has(work) ? Exit.fail(new LeaseLost({ topic, subject })) : Exit.succeed(stored.revision + 1)
        })
      })
    )

  const writeAlone = (write: Write) =>
    Effect.exit(Effect.flatMap(writeTogether([write]), ([exit = Exit.die("A write has no exit")]) => exit))

  const eachAlone = (writes: ReadonlyArray<Write>) => Effect.forEach(writes, writeAlone)

  const perform = Effect.fnUntraced(function* (writes: ReadonlyArray<Write>) {
    const charged = writes.filter(charges)
    const free = writes.filter((write) => !charges(write))
    const written =
      free.length < 2 ? yield* eachAlone(free) : yield* Effect.catchCause(writeTogether(free), () => eachAlone(free))
    const exits = new Map(free.map((write, index) => [write, written[index]]))
    for (const write of charged) exits.set(write, yield* writeAlone(write))
    return writes.map((write) => exits.get(write) ?? Exit.die("A write has no exit"))
  })

  return yield* Gathered.make<Write, number, WriteError>({ perform, togetherMax: Pools.runs.size })
})
