/**
 * Follows a run: its records from any place, as they are written, until its end. Places belong to the run and are stored,
 * so a reader can resume at any server, and sees every record exactly once.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { DistillLimits } from "../Limits.ts"
import { recordsTopic } from "./internal/RunChanges.ts"
import * as Run from "./Run.ts"
import { isTerminal } from "./RunMachine.ts"
import { type RunRecord, RunRecords } from "./RunRecords.ts"

const decodeStatus = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ status: Run.RunStatus })))

/** The status after these records; `before` without a state among them. */
const statusAfter = (records: ReadonlyArray<RunRecord>, before: Run.RunStatus): Run.RunStatus => {
  const last = records.findLast((record) => record.kind === "state")
  // What we wrote ourselves, from a run.
  return last === undefined ? before : decodeStatus(last.state).status
}

interface Follower {
  /** The last place that was told. */
  readonly after: number
  readonly status: Run.RunStatus
  /** When something was told last. */
  readonly toldAt: number
}

/** The portion that a turn tells, and where to go on; a turn without a follower is the last. */
type Turn = readonly [ReadonlyArray<ReadonlyArray<RunRecord>>, Option.Option<Follower>]

export const make = Effect.gen(function* () {
  const records = yield* RunRecords
  const resources = yield* ResourceStore
  const queue = yield* Queue
  const { feedEveryMillis, feedHeartbeatMillis, feedPage, feedPollMillis } = DistillLimits

  const look = (partition: Partition, run: Run.RunId, after: number) =>
    records.all(partition, run, { after, limit: feedPage })

  /** A follower of a place that never comes would wait for ever, but for this. */
  const statusNow = (partition: Partition, run: Run.RunId, before: Run.RunStatus) =>
    Effect.map(
      resources.find(partition, Run.kind, run),
      Option.match({ onNone: () => before, onSome: ({ value }) => value.status })
    )

  /** Waits until there is something to tell, the run has ended, or a heartbeat is due: then it tells nothing. */
  const next = Effect.fnUntraced(function* (
    partition: Partition,
    run: Run.RunId,
    bell: Effect.Effect<void>,
    { after, status, toldAt }: Follower
  ): Effect.fn.Return<Turn, StorageError> {
    while (true) {
      const found = yield* look(partition, run, after)
      const now = yield* Clock.currentTimeMillis
      const last = found.at(-1)
      if (last !== undefined) {
        return [[found], Option.some({ after: last.place, status: statusAfter(found, status), toldAt: now })]
      }
      if (isTerminal(status)) return [[], Option.none()]
      const quiet = toldAt + feedHeartbeatMillis - now
      if (quiet <= 0) {
        return [[[]], Option.some({ after, status: yield* statusNow(partition, run, status), toldAt: now })]
      }
      yield* Effect.sleep(Math.min(feedEveryMillis, quiet))
      yield* Effect.timeoutOption(bell, Math.max(1, Math.min(feedPollMillis, quiet - feedEveryMillis)))
    }
  })

  /**
   * The records after `after`, in portions; an empty portion is a heartbeat. Ends after the last record of an ended run.
   * Reads nothing ahead of the reader, and holds nothing afterwards.
   */
  return (partition: Partition, run: Run.Run, after: number): Stream.Stream<ReadonlyArray<RunRecord>, StorageError> =>
    Stream.unwrap(
      Effect.gen(function* () {
        // Registered before the first look, so that no ring is missed in between.
        const bell = yield* queue.doorbell(recordsTopic)
        const start: Follower = { after, status: run.status, toldAt: yield* Clock.currentTimeMillis }
        return Stream.paginate(start, (follower) => next(partition, run.id, bell.await, follower))
      })
    )
})
