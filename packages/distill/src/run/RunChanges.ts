/**
 * The one way a run is written: its stored revision, the states it went through, what was said on the way, and the events
 * that tell of it, all in one transaction, however many steps it took.
 */

import { notFound } from "@limbeck/core/errors/Errors"
import type { EventDraft } from "@limbeck/core/events/Event"
import { Events } from "@limbeck/core/events/Events"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import type { Stored } from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Run from "./Run.ts"
import { type RunEvent, transition } from "./RunMachine.ts"
import { type NewRecord, RunRecords } from "./RunRecords.ts"
import { eventTypesOf, render } from "./RunResource.ts"

/** Rung when a run has new records; who follows one then looks for them. */
export const recordsTopic = "run_records"

/** Whether a follower is told of the change: the status moved on, or a stage did. */
const isNewState = (before: Run.Run, after: Run.Run): boolean =>
  before.status !== after.status ||
  after.stages.some(({ attempt, status }, index) => {
    const stage = before.stages[index]
    return stage?.status !== status || stage.attempt !== attempt
  })

/** What is to be written of a run: how it is by now, and all that tells how it came there, in order. */
export interface Draft {
  readonly run: Run.Run
  readonly records: ReadonlyArray<NewRecord>
  readonly events: ReadonlyArray<EventDraft>
}

export const unchanged = (run: Run.Run): Draft => ({ run, records: [], events: [] })

/** One step more; `extra` events come before the run's ending. */
export const step = (
  partition: Partition,
  { events, records, run }: Draft,
  next: Run.Run,
  extra: ReadonlyArray<EventDraft> = []
): Draft => {
  const types = eventTypesOf(run, next)
  if (types.length === 0 && !isNewState(run, next)) return { run: next, records, events: [...events, ...extra] }
  const object = render(partition, next)
  const told = types.map((type) => ({ type, object }))
  const ending = told.filter(({ type }) => type === "distill.run.succeeded")
  const before = told.filter((draft) => !ending.includes(draft))
  return {
    run: next,
    records: [...records, { kind: "state", at: next.updatedAt, state: JSON.stringify(object) }],
    events: [...events, ...before, ...extra, ...ending]
  }
}

/** Reads and moves runs; call `write` and `move` inside a transaction that holds the run's work item. */
export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const events = yield* Events
  const records = yield* RunRecords
  const queue = yield* Queue

  const find = Effect.fnUntraced(function* (partition: Partition, id: string) {
    const found = yield* resources.find(partition, Run.kind, id)
    return Option.isSome(found) ? found.value : yield* notFound("run", id)
  })

  /** Keeps the state that a run has come to, for those who follow it. */
  const recordState = (partition: Partition, run: Run.Run) =>
    records.append(partition, run.id, [
      { kind: "state", at: run.updatedAt, state: JSON.stringify(render(partition, run)) }
    ])

  /** Writes a draft over `stored` and tells what changed. */
  const write = Effect.fnUntraced(function* (partition: Partition, stored: Stored<Run.Run>, draft: Draft) {
    const written = yield* resources.compareAndSet(partition, Run.kind, { ...stored, value: draft.run })
    if (draft.records.length > 0) {
      yield* records.append(partition, draft.run.id, draft.records)
      yield* queue.nudge(recordsTopic)
    }
    if (draft.events.length > 0) yield* events.publish(partition, draft.events)
    return written
  })

  /** Applies a machine event to the run as stored. */
  const move = Effect.fnUntraced(function* (partition: Partition, stored: Stored<Run.Run>, event: RunEvent) {
    const now = yield* Clock.currentTimeMillis
    const next = yield* Effect.fromResult(transition(stored.value, event, now))
    return yield* write(partition, stored, step(partition, unchanged(stored.value), next))
  })

  return { find, recordState, write, move } as const
})
