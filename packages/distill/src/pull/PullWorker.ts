/**
 * Performs pulls: fetches the content into one blob, invisible until complete, and reads its lines like an upload's. After
 * a worker's death the next one fetches missing content from its first byte.
 */
import { Blobs } from "@limbeck/core/blobs/Blobs"
import type { StorageError } from "@limbeck/core/errors/Errors"
import { Events } from "@limbeck/core/events/Events"
import { Pools } from "@limbeck/core/pools/Pools"
import * as LeasedWorker from "@limbeck/core/queue/LeasedWorker"
import { type LeaseLost, Queue, type Work } from "@limbeck/core/queue/Queue"
import type { StoredResource } from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Connectors } from "../connector/Connectors.ts"
import type { ObjectStore } from "../connector/ObjectStore.ts"
import type { Remote } from "../connector/Remote.ts"
import { DistillLimits } from "../Limits.ts"
import { Gunzip } from "../upload/Gunzip.ts"
import * as Survey from "../upload/internal/Survey.ts"
import * as UploadContent from "../upload/internal/UploadContent.ts"
import * as PullContent from "./internal/PullContent.ts"
import * as Pull from "./Pull.ts"
import { PullEvent, transition } from "./PullMachine.ts"
import { eventsOf } from "./PullResource.ts"

/** Does pulls that are due. */
export class PullWorker extends Context.Service<PullWorker, LeasedWorker.LeasedWorker>()(
  "@limbeck/distill/pull/PullWorker"
) {}

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const blobs = yield* Blobs
  const gunzip = yield* Gunzip
  const queue = yield* Queue
  const events = yield* Events
  const fetch = yield* PullContent.make

  /** Writes a move under the lease; the final one also publishes its event and ends the work. */
  const move = (
    work: Work,
    stored: StoredResource<Pull.Pull>,
    event: PullEvent
  ): Effect.Effect<StoredResource<Pull.Pull>, LeaseLost | StorageError> =>
    storage.transaction(
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const value = yield* Effect.orDie(Effect.fromResult(transition(stored.value, event, now)))
        yield* queue.guard(work)
        // Only the lease holder writes a pull, and the guard has just proved the lease.
        const next = yield* Effect.catchTag(
          resources.compareAndSet(work.partition, Pull.kind, { ...stored, value }),
          "RevisionConflict",
          Effect.die
        )
        yield* events.publish(work.partition, eventsOf(work.partition, value))
        if (value.finishedAt !== null) yield* queue.settle(work)
        return next
      })
    )

  const arrive = Effect.fnUntraced(function* (work: Work, started: StoredResource<Pull.Pull>) {
    return started.value.blob === null
      ? yield* move(work, started, yield* fetch(work.partition, started.value.connector))
      : started
  })

  const perform = Effect.fn("PullWorker.perform")(function* (work: Work) {
    const stored = Option.getOrUndefined(yield* resources.find(work.partition, Pull.kind, work.subject))
    if (stored === undefined || stored.value.finishedAt !== null) return yield* queue.settle(work)
    const started = yield* move(work, stored, PullEvent.Started())
    if (started.value.starts > DistillLimits.pullStartsMax) {
      const message = `It was begun ${DistillLimits.pullStartsMax} times, and never came to its end`
      return void (yield* move(work, started, PullEvent.Failed({ code: "interrupted", message })))
    }
    const arrived = yield* arrive(work, started)
    const { blob, gzip } = arrived.value
    if (blob === null || arrived.value.finishedAt !== null) return
    const found = yield* Survey.survey(
      UploadContent.lines("chat_jsonl", { blobs, gunzip }, work.partition, { blob, gzip })
    )
    yield* move(work, arrived, PullEvent.ContentRead(found))
  })

  const worker = yield* LeasedWorker.make({
    topic: Pull.topic,
    perform,
    pool: Pools.pulls,
    leaseMillis: DistillLimits.leaseMillis,
    heartbeatMillis: DistillLimits.heartbeatMillis,
    pollMillis: DistillLimits.pollMillis
  })
  return PullWorker.of(worker)
})

export const layer: Layer.Layer<
  PullWorker,
  never,
  Storage | ResourceStore | Blobs | Gunzip | Queue | Events | Connectors | Remote | ObjectStore
> = Layer.effect(PullWorker, make)
