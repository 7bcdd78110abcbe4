/** Seals an upload's parts into one content, once all are stored, in the transaction that moves the upload on. */
import { type BlobRef, Blobs, type Part } from "@limbeck/core/blobs/Blobs"
import { Events } from "@limbeck/core/events/Events"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import type { StoredResource } from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { ContentOutOfOrder, UploadAlreadySent, UploadExpired } from "../../Errors.ts"
import * as Upload from "../Upload.ts"
import * as UploadMachine from "../UploadMachine.ts"
import { eventsOf } from "../UploadResource.ts"
import { isGzip } from "./UploadContent.ts"
import * as UploadParts from "./UploadParts.ts"

/** Why an upload takes no content: it is not waiting for any. */
export const refusal = ({ id, status }: Upload.Upload): UploadExpired | UploadAlreadySent =>
  status === "expired" ? new UploadExpired({ id }) : new UploadAlreadySent({ id, status })

/** Writes that the content has arrived, with the upload's work item and events, unless other content came first. */
const makeArrived = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const queue = yield* Queue
  const events = yield* Events

  return Effect.fnUntraced(function* (
    partition: Partition,
    stored: StoredResource<Upload.Upload>,
    content: { readonly blob: BlobRef; readonly gzip: boolean }
  ) {
    const now = yield* Clock.currentTimeMillis
    const moved = UploadMachine.transition(stored.value, UploadMachine.UploadEvent.ContentArrived(content), now)
    if (Result.isFailure(moved)) return yield* refusal(UploadMachine.at(stored.value, now))
    const upload = moved.success
    yield* resources.compareAndSet(partition, Upload.kind, { ...stored, value: upload })
    if (upload.status === "processing") {
      yield* queue.offer(partition, Upload.topic, upload.id, now)
      yield* queue.nudge(Upload.topic)
    }
    yield* events.publish(partition, eventsOf(partition, upload))
    return upload
  })
})

export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const blobs = yield* Blobs
  const parts = yield* UploadParts.make
  const arrived = yield* makeArrived

  /** `all`: the whole content. `written`: its digest, if it came in one part. */
  const seal = Effect.fnUntraced(function* (
    partition: Partition,
    stored: StoredResource<Upload.Upload>,
    all: ReadonlyArray<Part>,
    written?: BlobRef
  ) {
    const blob = all.length === 1 && written !== undefined ? written : yield* blobs.digest(partition, all)
    const upload = yield* storage.transaction(
      Effect.gen(function* () {
        yield* blobs.seal(partition, all, blob)
        const head = Option.getOrElse(yield* Stream.runHead(blobs.get(partition, blob.sha256)), () => [])
        return yield* arrived(partition, stored, { blob, gzip: stored.value.gzip || isGzip(head) })
      })
    )
    yield* parts.discard(partition, all)
    return upload
  })

  /** Seals a complete content without its sender. None if bytes are missing. */
  const finish = Effect.fnUntraced(function* (
    partition: Partition,
    stored: StoredResource<Upload.Upload>,
    total: number | null
  ) {
    const all = yield* parts.stored(partition, stored.value)
    return total === null || UploadParts.sizeOf(all) !== total || total === 0
      ? Option.none<Upload.Upload>()
      : Option.some(yield* seal(partition, stored, all))
  })

  /** The request that announces the end. Repeating it changes nothing. */
  const conclude = Effect.fnUntraced(function* (
    partition: Partition,
    stored: StoredResource<Upload.Upload>,
    total: number
  ) {
    const { blob, id, status } = stored.value
    if (status !== "awaiting_content") {
      return blob?.bytes === total ? stored.value : yield* refusal(stored.value)
    }
    const finished = yield* finish(partition, stored, total)
    if (Option.isSome(finished)) return finished.value
    const nextByte = UploadParts.sizeOf(yield* parts.stored(partition, stored.value))
    return yield* new ContentOutOfOrder({ id, nextByte })
  })

  return { seal, finish, conclude } as const
})
