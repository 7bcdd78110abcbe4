/** The one way a run is written: transition, stored revision, events, all in one transaction. */

import { notFound } from "@limbeck/core/errors/Errors"
import type { EventDraft } from "@limbeck/core/events/Event"
import { Events } from "@limbeck/core/events/Events"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Stored } from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Run from "./Run.ts"
import { type RunEvent, transition } from "./RunMachine.ts"
import { eventsOf } from "./RunResource.ts"

/** Reads and moves runs; call `move` inside a transaction that holds the run's work item. */
export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const events = yield* Events

  const find = Effect.fnUntraced(function* (partition: Partition, id: string) {
    const found = yield* resources.find(partition, Run.kind, id)
    return Option.isSome(found) ? found.value : yield* notFound("run", id)
  })

  /** Writes `next` over `stored` and tells what changed; `extra` events come before the run's ending. */
  const write = Effect.fnUntraced(function* (
    partition: Partition,
    stored: Stored<Run.Run>,
    next: Run.Run,
    extra: ReadonlyArray<EventDraft> = []
  ) {
    const written = yield* resources.compareAndSet(partition, Run.kind, { ...stored, value: next })
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

  return { find, write, move } as const
})
