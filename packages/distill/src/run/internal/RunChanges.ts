/**
 * The one way a run is written: its new revision, its records (states, metrics, log lines), its events, and what the ledger
 * has of it, all in one transaction, however many steps it took.
 */
import type { EventDraft } from "@limbeck/core/events/Event"
import { Events } from "@limbeck/core/events/Events"
import * as JsonTexts from "@limbeck/core/json/JsonTexts"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import type { StoredResource } from "@limbeck/core/resources/Kind"
import { ResourceStore, RevisionConflict } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Run from "../Run.ts"
import { type RunEvent, transition } from "../RunMachine.ts"
import { type NewRecord, RunRecords } from "../RunRecords.ts"
import { eventTypesOf, type RunResource, render } from "../RunResource.ts"
import * as RunBilling from "./RunBilling.ts"
import * as RunMeter from "./RunMeter.ts"

/** Rung for new records of a run, so that its followers read them. */
export const recordsTopic = "run_records"

/** Whether followers see a new state: a changed status of the run or of a stage. */
const isNewState = (before: Run.Run, after: Run.Run): boolean =>
  before.status !== after.status ||
  after.stages.some(({ attempt, status }, index) => {
    const stage = before.stages[index]
    return stage?.status !== status || stage.attempt !== attempt
  })

/** The state record of a run for its followers. */
const stateRecord = (run: Run.Run, resource: RunResource): NewRecord => ({
  kind: "state",
  at: run.updatedAt,
  state: JsonTexts.of(resource)
})

/** Unwritten changes of a run: its last state, and the records and events of all steps, in order. */
export interface Draft {
  readonly run: Run.Run
  readonly records: ReadonlyArray<NewRecord>
  readonly events: ReadonlyArray<EventDraft>
}

/** A draft with the stored run under it. */
export interface Change {
  readonly stored: StoredResource<Run.Run>
  readonly draft: Draft
}

export const noChange = (run: Run.Run): Draft => ({ run, records: [], events: [] })

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
  const own = types.map((type) => ({ type, object }))
  const ending = own.filter(({ type }) => type === "distill.run.succeeded")
  const before = own.filter((draft) => !ending.includes(draft))
  return {
    run: next,
    records: [...records, stateRecord(next, object)],
    events: [...events, ...before, ...extra, ...ending]
  }
}

/** Adds a step without an event, possibly with a record. */
export const note = (draft: Draft, next: Run.Run, record?: NewRecord): Draft => ({
  ...draft,
  run: next,
  records: record === undefined ? draft.records : [...draft.records, record]
})

/** Reads and moves runs; call `write` and `move` inside a transaction that holds the run's work item. */
export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const events = yield* Events
  const records = yield* RunRecords
  const queue = yield* Queue
  const billing = yield* RunBilling.make
  const storage = yield* Storage
  const count = yield* RunMeter.make

  const find = (partition: Partition, id: string) => Resources.require(resources, partition, Run.kind, id)

  /** Writes a new run with its hold, its first state and its event. Returns the run and its resource. */
  const insert = Effect.fnUntraced(function* (partition: Partition, made: Run.Run) {
    const run = billing.started(partition, made)
    const resource = render(partition, run)
    yield* resources.add(partition, Run.kind, run)
    yield* billing.hold(partition, run)
    yield* records.append(partition, run.id, [stateRecord(run, resource)])
    yield* events.publish(
      partition,
      eventTypesOf(null, run).map((type) => ({ type, object: resource }))
    )
    return { run, resource }
  })

  /** In the transaction that ends the run, so that its student is placed once, whoever dies. */
  const offerChallenger = Effect.fnUntraced(function* (partition: Partition, run: Run.Run) {
    if (run.retrains === undefined || run.status !== "succeeded" || run.studentModel === null) return
    yield* queue.offer(partition, Run.challengerTopic, run.id, run.updatedAt)
    yield* queue.nudge(Run.challengerTopic)
  })

  /** Writes the drafts of several runs; fails if a run has changed since its draft was made. */
  const write = Effect.fnUntraced(function* (partition: Partition, changes: ReadonlyArray<Change>) {
    const next = changes.map(({ draft, stored }) => ({ value: draft.run, revision: stored.revision }))
    const [refused] = yield* resources.compareAndSetMany(partition, Run.kind, next)
    const conflict = next.find(({ value }) => value.id === refused)
    if (conflict !== undefined) {
      const { revision, value } = conflict
      return yield* new RevisionConflict({ kind: Run.kind.name, id: value.id, revision })
    }
    for (const { draft, stored } of changes) yield* billing.settle(partition, stored.value, draft.run)
    for (const { draft } of changes) yield* offerChallenger(partition, draft.run)
    for (const { draft, stored } of changes) yield* storage.afterCommit(count(stored.value, draft.run))
    const appended = changes
      .filter(({ draft }) => draft.records.length > 0)
      .map(({ draft }) => ({ run: draft.run.id, records: draft.records }))
    if (appended.length > 0) {
      yield* records.appendMany(partition, appended)
      yield* queue.nudge(recordsTopic)
    }
    // Whoever writes, writes for several runs: each event goes on with the trace of its own.
    const drafts = changes.flatMap(({ draft: { events, run } }) =>
      events.map((event) => ({ ...event, traceparent: run.traceparent }))
    )
    if (drafts.length > 0) yield* events.publish(partition, drafts)
  })

  /** Applies a machine event to the run as stored. */
  const move = Effect.fnUntraced(function* (partition: Partition, stored: StoredResource<Run.Run>, event: RunEvent) {
    const now = yield* Clock.currentTimeMillis
    const next = yield* Effect.fromResult(transition(stored.value, event, now))
    const draft = step(partition, noChange(stored.value), next)
    yield* write(partition, [{ stored, draft }])
    return { value: draft.run, revision: stored.revision + 1 }
  })

  /** Like `move`, for a restarted run, with its new hold. */
  const restart = Effect.fnUntraced(function* (partition: Partition, stored: StoredResource<Run.Run>, event: RunEvent) {
    const moved = yield* move(partition, { ...stored, value: billing.started(partition, stored.value) }, event)
    yield* billing.hold(partition, moved.value)
    return moved
  })

  return { find, insert, write, move, restart } as const
})
