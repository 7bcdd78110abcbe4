/**
 * How the content of an upload arrives: in parts, each a stream that may break off, from senders that may replace one another.
 *
 *                 begin(from = n), n bytes stored             the part is stored, the content is not whole
 *   ┌──────────┐ ────────────────────────────▶ ┌───────────┐ ────────────────────────────▶ ┌─────────┐
 *   │ Nothing  │   adds a part of unknown size │ Receiving │   (or its stream broke off)   │ Partial │
 *   └──────────┘ ◀──────────────────────────── └───────────┘ ◀──────────────────────────── └─────────┘
 *        begin(from = 0) replaces all parts      │  │   ▲ begin(from = n) of another sender    │
 *        from any state                          │  └───┘ replaces the last part, or comes     │ the final
 *                                                │        after what it has stored             │ range, or a
 *                                                │ the part is stored, the content is whole    │ worker
 *                                                ▼                                             ▼
 *                                              Sealed: one blob; the upload is processing, or failed
 *
 *   Nothing, Receiving, Partial   the upload is `awaiting_content`; its `parts` say how far the content is
 *   Sealed                        the upload has its `blob` and no parts
 *
 * 1. The content is the parts of the upload in order. Only the last may be of unknown size, and counts as far as it is stored.
 * 2. A part begins at the byte where the parts before it end; another first byte is refused.
 * 3. The upload's revision decides who may write: each begin is a compare-and-set, so the last of several senders to begin
 *    owns the part named by the upload. The others fail with a conflict, and their parts are discarded.
 * 4. Sealing the blob, the new status, the work item and the events are one transaction.
 * 5. While a sender lives, its process postpones the upload's work item (`ArrivalBeat`). After its death a worker finds the
 *    upload and seals a content that is whole (`ContentSeal.finish`).
 */
import { Blobs, type Part } from "@limbeck/core/blobs/Blobs"
import { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { StoredResource } from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { ContentOutOfOrder, ContentSuperseded, TooManyParts } from "../../Errors.ts"
import { DistillLimits } from "../../Limits.ts"
import {
  announcedBytes,
  type ContentOptions,
  isFinal,
  isWhole,
  limitContent,
  tooLarge,
  totalOf
} from "../ContentRange.ts"
import * as Upload from "../Upload.ts"
import * as UploadMachine from "../UploadMachine.ts"
import * as ArrivalBeat from "./ArrivalBeat.ts"
import * as ContentSeal from "./ContentSeal.ts"
import * as UploadParts from "./UploadParts.ts"

/** The right to bring a part: it ends when another sender begins. */
interface Turn {
  /** The upload as it names the part. */
  readonly stored: StoredResource<Upload.Upload>
  readonly earlier: ReadonlyArray<Part>
  readonly part: string
}

const makeBegin = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const blobs = yield* Blobs
  const parts = yield* UploadParts.make
  const beat = yield* ArrivalBeat.make

  /** Makes this sender the only one; its predecessor finds itself replaced. */
  return Effect.fnUntraced(function* (
    partition: Partition,
    { revision, value }: StoredResource<Upload.Upload>,
    options: ContentOptions
  ) {
    const from = options.range?.from ?? 0
    // A sender with a broken connection may still be storing: leaves out bytes stored since the caller's request.
    const earlier = from === 0 ? [] : yield* parts.stored(partition, value, from)
    if (UploadParts.sizeOf(earlier) !== from) {
      const nextByte = UploadParts.sizeOf(yield* parts.stored(partition, value))
      return yield* new ContentOutOfOrder({ id: value.id, nextByte })
    }
    if (earlier.length >= DistillLimits.uploadPartsMax) {
      return yield* new TooManyParts({ id: value.id, partsMax: DistillLimits.uploadPartsMax })
    }
    const part = yield* blobs.begin(partition)
    const upload: Upload.Upload = {
      ...value,
      parts: [...earlier, { id: part, bytes: null }],
      totalBytes: totalOf(value, options),
      gzip: options.gzipHint || (from > 0 && value.gzip)
    }
    const stored = yield* storage.transaction(
      Effect.gen(function* () {
        yield* beat.postpone(partition, value.id)
        return yield* resources.compareAndSet(partition, Upload.kind, { revision, value: upload })
      })
    )
    if (from === 0) yield* parts.discard(partition, value.parts ?? [])
    const turn: Turn = { stored, earlier, part }
    return turn
  })
})

const makeBring = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const blobs = yield* Blobs
  const parts = yield* UploadParts.make
  const { seal } = yield* ContentSeal.make

  /** Stores the part, and seals the content where this part was the last. */
  return Effect.fnUntraced(function* <E, R>(
    partition: Partition,
    { earlier, part, stored }: Turn,
    bytes: Stream.Stream<Uint8Array, E, R>,
    options: ContentOptions
  ) {
    const written = yield* blobs.write(partition, part, limitContent(bytes, options))
    const all = [...earlier, { id: part, bytes: written.bytes }]
    const size = UploadParts.sizeOf(all)
    if (!isWhole(size, stored.value, options)) return (yield* parts.find(partition, stored.value.id)).value
    // The length is known now, and a worker that finishes this needs it.
    const known =
      stored.value.totalBytes === size
        ? stored
        : yield* resources.compareAndSet(partition, Upload.kind, {
            ...stored,
            value: { ...stored.value, totalBytes: size }
          })
    return yield* seal(partition, known, all, written)
  })
})

/** The content part of `Uploads`, and the worker's handling of content without its sender. */
export const make = Effect.gen(function* () {
  const parts = yield* UploadParts.make
  const beat = yield* ArrivalBeat.make
  const { conclude, finish } = yield* ContentSeal.make
  const begin = yield* makeBegin
  const bring = yield* makeBring

  /** Receives content from an authorized sender. */
  const receive = Effect.fnUntraced(function* <E, R>(
    partition: Partition,
    found: StoredResource<Upload.Upload>,
    bytes: Stream.Stream<Uint8Array, E, R>,
    options: ContentOptions
  ) {
    const { id } = found.value
    const current = UploadMachine.at(found.value, yield* Clock.currentTimeMillis)
    const replaced = () => new ContentSuperseded({ id })
    if (isFinal(options.range)) {
      const concluding = conclude(partition, { ...found, value: current }, options.range.from)
      return yield* Effect.catchTag(concluding, "RevisionConflict", replaced)
    }
    if (current.status !== "awaiting_content") return yield* ContentSeal.refusal(current)
    if (announcedBytes(options) > DistillLimits.uploadBytesMax) return yield* tooLarge()
    const turn = yield* Effect.catchTag(begin(partition, found, options), "RevisionConflict", replaced)
    const { part } = turn
    const bringing = Effect.catchTag(bring(partition, turn, bytes, options), "RevisionConflict", () =>
      Effect.andThen(parts.discardUnnamed(partition, id, part), replaced())
    )
    // Another sender may have discarded this part during the write: a conflict, not a storage failure.
    return yield* Effect.catch(beat.during(partition, id, part, bringing), (error) =>
      Effect.flatMap(
        error instanceof StorageError ? parts.isNamed(partition, id, part) : Effect.succeed(true),
        (isOurs) => (isOurs ? Effect.fail(error) : replaced())
      )
    )
  })

  /** The stored bytes of the content. */
  const receivedBytes = (partition: Partition, upload: Upload.Upload) =>
    upload.blob === null
      ? Effect.map(parts.stored(partition, upload), UploadParts.sizeOf)
      : Effect.succeed(upload.blob.bytes)

  return { find: parts.find, receive, receivedBytes, finish }
})
