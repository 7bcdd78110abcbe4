/**
 * How the content of an upload comes in: in parts, each a stream that may break off, from senders who may replace one
 * another. Once all of it is here, it becomes one content, in the transaction that says so.
 */
import { type BlobRef, Blobs, type Part } from "@limbeck/core/blobs/Blobs"
import { type Conflict, conflict, Gone, invalid, notFound, StorageError, TooLarge } from "@limbeck/core/errors/Errors"
import { Events } from "@limbeck/core/events/Events"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import type { Stored } from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { Limits } from "../Limits.ts"
import * as Upload from "./Upload.ts"
import { atMost, isGzip } from "./UploadContent.ts"
import * as UploadMachine from "./UploadMachine.ts"
import { eventsOf } from "./UploadResource.ts"

/** A part of the content: bytes `from` to `to`, both included, of `total`; null while that is not known. */
export interface ContentRange {
  readonly from: number
  readonly to: number
  readonly total: number | null
}

export interface ContentOptions {
  readonly gzipHint: boolean
  /** How many bytes the sender says will come: too many are refused before they are sent. */
  readonly length?: number
  /** The whole content unless told. */
  readonly range?: ContentRange
}

export const tooLarge = () => new TooLarge({ message: `An upload has at most ${Limits.uploadBytesMax} bytes` })

/** The size of the whole, as far as the sender has told. */
const announced = ({ length = 0, range }: ContentOptions): number =>
  Math.max(range?.total ?? 0, (range?.from ?? 0) + length)

const sizeOf = (parts: ReadonlyArray<Part>): number => parts.reduce((sum, { bytes }) => sum + bytes, 0)

/** No more than may be sent, and no more than the range says. */
const limited = <E, R>(content: Stream.Stream<Uint8Array, E, R>, { range }: ContentOptions) => {
  const bounded = atMost(content, Limits.uploadBytesMax - (range?.from ?? 0), tooLarge)
  return range === undefined
    ? bounded
    : atMost(bounded, range.to + 1 - range.from, () => invalid("Content-Range", "The body is longer than its range"))
}

const isWhole = (received: number, { range }: ContentOptions): boolean =>
  range === undefined || received === range.total

/** Why no content may be sent: the upload is not waiting for any. */
const refusal = (upload: Upload.Upload): Gone | Conflict =>
  upload.status === "expired"
    ? new Gone({ message: `Upload ${upload.id} has expired: its content did not come in time` })
    : conflict(`The content of upload ${upload.id} was sent already: it is ${upload.status}`)

/** What arrivals are made of; `Uploads` says what they promise. */
export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const blobs = yield* Blobs
  const queue = yield* Queue
  const events = yield* Events

  const find = Effect.fnUntraced(function* (partition: Partition, id: string) {
    const found = yield* resources.find(partition, Upload.kind, id)
    return Option.isNone(found) ? yield* notFound("upload", id) : found.value
  })

  /** Writes what arrived, with its work or its event, unless somebody else's content came first. */
  const arrived = Effect.fnUntraced(function* (
    partition: Partition,
    stored: Stored<Upload.Upload>,
    event: UploadMachine.UploadEvent
  ) {
    const now = yield* Clock.currentTimeMillis
    const moved = UploadMachine.transition(stored.value, event, now)
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

  /** The parts of the content that are here, with their bytes; of the last as many as end at `most` or before. */
  const partsOf = Effect.fnUntraced(function* (
    partition: Partition,
    { parts = [] }: Upload.Upload,
    most = Number.POSITIVE_INFINITY
  ) {
    const here: Array<Part> = []
    for (const { bytes, id } of parts) {
      const kept = bytes ?? (yield* blobs.kept(partition, id, most - sizeOf(here)))
      if (kept > 0) here.push({ id, bytes: kept })
    }
    return here
  })

  /** Makes this request the only one that brings content; the writer before it will find itself replaced. */
  const takeOver = Effect.fnUntraced(function* (
    partition: Partition,
    { revision, value }: Stored<Upload.Upload>,
    options: ContentOptions
  ) {
    const from = options.range?.from ?? 0
    // A sender whose connection broke may still be draining: what it brought since the caller asked is not waited for.
    const earlier = from === 0 ? [] : yield* partsOf(partition, value, from)
    if (sizeOf(earlier) !== from) {
      const received = sizeOf(yield* partsOf(partition, value))
      return yield* conflict(`The next byte of upload ${value.id} is number ${received}`, "Content-Range")
    }
    if (earlier.length >= Limits.uploadPartsMax) {
      return yield* conflict(`The content came in more than ${Limits.uploadPartsMax} parts: send it whole`)
    }
    const part = yield* blobs.begin(partition)
    const upload: Upload.Upload = {
      ...value,
      parts: [...earlier, { id: part, bytes: null }],
      gzip: options.gzipHint || (from > 0 && value.gzip)
    }
    const stored = yield* resources.compareAndSet(partition, Upload.kind, { revision, value: upload })
    if (from === 0) yield* discard(partition, value.parts ?? [])
    return { stored, earlier, part }
  })

  /** What stays behind is swept after a day. */
  const discard = (partition: Partition, parts: ReadonlyArray<{ readonly id: string }>) =>
    Effect.ignore(
      blobs.discard(
        partition,
        parts.map(({ id }) => id)
      )
    )

  /** Whether the part is one of those that the upload is going to be made of. */
  const counts = (partition: Partition, id: string, part: string) =>
    Effect.map(find(partition, id), ({ value: { parts = [] } }) => parts.some((one) => one.id === part))

  /** What a sender brought that was replaced; unless the one after it goes on with that. */
  const letGo = Effect.fnUntraced(function* (partition: Partition, id: string, part: string) {
    if (!(yield* counts(partition, id, part))) yield* discard(partition, [{ id: part }])
  })

  /** All parts are here: they become one content, in the transaction that says so. */
  const complete = Effect.fnUntraced(function* (
    partition: Partition,
    stored: Stored<Upload.Upload>,
    parts: ReadonlyArray<Part>,
    written: BlobRef
  ) {
    const blob = parts.length === 1 ? written : yield* blobs.digest(partition, parts)
    const upload = yield* storage.transaction(
      Effect.gen(function* () {
        yield* blobs.seal(partition, parts, blob)
        const head = Option.getOrElse(yield* Stream.runHead(blobs.get(partition, blob.sha256)), () => [])
        const event = UploadMachine.UploadEvent.ContentArrived({ blob, gzip: stored.value.gzip || isGzip(head) })
        return yield* arrived(partition, stored, event)
      })
    )
    yield* discard(partition, parts)
    return upload
  })

  /** Takes the content that somebody sends who may do so. */
  const receive = Effect.fnUntraced(function* <E, R>(
    partition: Partition,
    found: Stored<Upload.Upload>,
    bytes: Stream.Stream<Uint8Array, E, R>,
    options: ContentOptions
  ) {
    const { id } = found.value
    const current = UploadMachine.at(found.value, yield* Clock.currentTimeMillis)
    if (current.status !== "awaiting_content") return yield* refusal(current)
    if (announced(options) > Limits.uploadBytesMax) return yield* tooLarge()
    const superseded = () => conflict(`Other content of upload ${id} was sent at the same time`)
    const { earlier, part, stored } = yield* Effect.catchTag(
      takeOver(partition, found, options),
      "RevisionConflict",
      superseded
    )
    const bring = Effect.gen(function* () {
      const written = yield* blobs.write(partition, part, limited(bytes, options))
      const parts = [...earlier, { id: part, bytes: written.bytes }]
      if (!isWhole(sizeOf(parts), options)) return (yield* find(partition, id)).value
      return yield* complete(partition, stored, parts, written).pipe(
        Effect.catchTag("RevisionConflict", () => Effect.andThen(letGo(partition, id, part), superseded()))
      )
    })
    // Whoever replaced this sender may have taken its part away under its hands.
    return yield* Effect.catch(bring, (error) =>
      Effect.flatMap(error instanceof StorageError ? counts(partition, id, part) : Effect.succeed(true), (isOurs) =>
        isOurs ? Effect.fail(error) : superseded()
      )
    )
  })

  /** Bytes that are here. */
  const received = (partition: Partition, upload: Upload.Upload) =>
    upload.blob === null ? Effect.map(partsOf(partition, upload), sizeOf) : Effect.succeed(upload.blob.bytes)

  return { find, receive, received }
})
