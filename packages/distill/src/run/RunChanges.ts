/** The one way a run is written: transition, stored revision, the state it came to, events, all in one transaction. */

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
import { RunRecords } from "./RunRecords.ts"
import { eventsOf, render } from "./RunResource.ts"

/** Rung when a run has new records; who follows one then looks for them. */
export const recordsTopic = "run_records"

/** Whether a follower is told of the change: the status moved on, or a stage did. */
const isNewState = (before: Run.Run, after: Run.Run): boolean =>
  before.status !== after.status ||
  after.stages.some(({ attempt, status }, index) => {
    const stage = before.stages[index]
    return stage?.status !== status || stage.attempt !== attempt
  })

/** Reads and moves runs; call `move` inside a transaction that holds the run's work item. */
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
    records.appendState(partition, run.id, run.updatedAt, JSON.stringify(render(partition, run)))

  /** Writes `next` over `stored` and tells what changed; `extra` events come before the run's ending. */
  const write = Effect.fnUntraced(function* (
    partition: Partition,
    stored: Stored<Run.Run>,
    next: Run.Run,
    extra: ReadonlyArray<EventDraft> = []
  ) {
    const written = yield* resources.compareAndSet(partition, Run.kind, { ...stored, value: next })
    if (isNewState(stored.value, next)) yield* recordState(partition, next)
    yield* queue.nudge(recordsTopic)
    const drafts = eventsOf(partition, stored.value, next)
    const ending = drafts.filter((draft) => draft.type === "distill.run.succeeded")
    yield* events.publish(partition, [...drafts.filter((draft) => !ending.includes(draft)), ...extra, ...ending])
    return written
  })

  /** Applies a machine event to the run as stored. */
  const move = Effect.fnUntraced(function* (partition: Partition, stored: Stored<Run.Run>, event: RunEvent) {
    const now = yield* Clock.currentTimeMillis
    const next = yield* Effect.fromResult(transition(stored.value, event, now))
    return yield* write(partition, stored, next)
  })

  return { find, recordState, write, move } as const
})
