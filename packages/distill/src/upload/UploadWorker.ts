/**
 * Reads the content of uploads: every line is a row, or the content is a student, or the upload fails whole. Stores the
 * findings once, at the end, under the lease; a worker that dies earlier leaves nothing behind. Complete content that was
 * not sealed, because its server died, is sealed first.
 */
import { Blobs } from "@limbeck/core/blobs/Blobs"
import { Events } from "@limbeck/core/events/Events"
import { Pools } from "@limbeck/core/pools/Pools"
import type { LeasedWorker } from "@limbeck/core/queue/LeasedWorker"
import { Queue, type Work } from "@limbeck/core/queue/Queue"
import type { StoredResource } from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as ContentWorker from "../internal/ContentWorker.ts"
import { Gunzip } from "./Gunzip.ts"
import * as Arrival from "./internal/Arrival.ts"
import * as StudentArchive from "./internal/StudentArchive.ts"
import * as Survey from "./internal/Survey.ts"
import * as UploadContent from "./internal/UploadContent.ts"
import * as Upload from "./Upload.ts"
import * as UploadMachine from "./UploadMachine.ts"
import { eventsOf } from "./UploadResource.ts"

/** Reads due uploads. */
export class UploadWorker extends Context.Service<UploadWorker, LeasedWorker>()(
  "@limbeck/distill/upload/UploadWorker"
) {}

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const blobs = yield* Blobs
  const gunzip = yield* Gunzip
  const queue = yield* Queue
  const events = yield* Events
  const arrival = yield* Arrival.make

  const finish = Effect.fnUntraced(function* (
    work: Work,
    stored: StoredResource<Upload.Upload>,
    found: UploadMachine.Findings
  ) {
    const now = yield* Clock.currentTimeMillis
    const read = UploadMachine.UploadEvent.ContentRead(found)
    const upload = yield* Effect.orDie(Effect.fromResult(UploadMachine.transition(stored.value, read, now)))
    yield* queue.guard(work)
    yield* resources.compareAndSet(work.partition, Upload.kind, { ...stored, value: upload })
    yield* events.publish(work.partition, eventsOf(work.partition, upload))
    yield* queue.settle(work)
  })

  /** The process that received this content has been silent for long. A whole content is sealed, and due to be read. */
  const finishArrival = Effect.fnUntraced(function* (work: Work, stored: StoredResource<Upload.Upload>) {
    const isExpired = UploadMachine.at(stored.value, yield* Clock.currentTimeMillis).status === "expired"
    const { expectedBytes, totalBytes } = stored.value
    const finished = isExpired
      ? Option.none()
      : yield* arrival.finish(work.partition, stored, totalBytes ?? expectedBytes).pipe(
          // Somebody sends again.
          Effect.catchTags({
            RevisionConflict: () => Effect.succeedNone,
            UploadExpired: Effect.die,
            UploadAlreadySent: Effect.die
          })
        )
    if (Option.isNone(finished) || finished.value.status !== "processing") yield* queue.settle(work)
  })

  const perform = Effect.fn("UploadWorker.perform")(function* (work: Work) {
    const stored = Option.getOrUndefined(yield* resources.find(work.partition, Upload.kind, work.subject))
    const blob = stored?.value.blob
    if (stored?.value.status === "awaiting_content") return yield* finishArrival(work, stored)
    if (stored?.value.status !== "processing" || blob === null || blob === undefined) return yield* queue.settle(work)
    const { format, gzip } = stored.value
    const found = yield* format === "student_model"
      ? StudentArchive.survey(gunzip, UploadContent.bytes(blobs, work.partition, blob), gzip)
      : Survey.survey(UploadContent.lines(format, { blobs, gunzip }, work.partition, { blob, gzip }))
    yield* storage.transaction(finish(work, stored, found)).pipe(
      // Only the holder of the lease writes a processing upload, and the guard has just proved that we are it.
      Effect.catchTag("RevisionConflict", Effect.die)
    )
  })

  return UploadWorker.of(yield* ContentWorker.make(Upload.topic, Pools.uploads, perform))
})

export const layer: Layer.Layer<UploadWorker, never, Storage | ResourceStore | Blobs | Gunzip | Queue | Events> =
  Layer.effect(UploadWorker, make)
