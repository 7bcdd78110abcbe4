/** Uploads as callers see them: announce one, send its content once, read it. The lines are the upload worker's to read. */

import { type BlobRef, Blobs, type Part } from "@limbeck/core/blobs/Blobs"
import {
  type Conflict,
  conflict,
  Gone,
  type InvalidInput,
  invalid,
  type NotFound,
  notFound,
  StorageError,
  TooLarge
} from "@limbeck/core/errors/Errors"
import { Events } from "@limbeck/core/events/Events"
import { Ids } from "@limbeck/core/ids/Ids"
import * as Page from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import type { Stored } from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Secrets } from "@limbeck/core/secrets/Secrets"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { Digest, sha256 } from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { Limits } from "../Limits.ts"
import * as KnownLoops from "../loop/KnownLoops.ts"
import * as Capability from "./Capability.ts"
import * as Upload from "./Upload.ts"
import { atMost, isGzip } from "./UploadContent.ts"
import * as UploadMachine from "./UploadMachine.ts"
import { eventsOf } from "./UploadResource.ts"

export interface UploadRequest {
  readonly filename: string
  /** What the content will be, if the caller knows: checked against the bytes sent. */
  readonly bytes?: number
  readonly sha256?: string
  readonly loop?: string
}

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

export class Uploads extends Context.Service<
  Uploads,
  {
    /** An upload that waits for its content. `TooLarge` when more is declared than may be sent. */
    readonly create: (
      partition: Partition,
      request: UploadRequest
    ) => Effect.Effect<Upload.Upload, InvalidInput | TooLarge | StorageError>
    /**
     * Keeps the content as it streams in, then hands it to the worker. `capability` is null where a token was the authority.
     * Content that is not what was declared leaves a failed upload. Of a stream that breaks off, what came is kept: a range
     * that begins where it ended goes on with it, and whatever begins with the first byte replaces it. Of several senders
     * the last to begin is heard.
     */
    readonly content: <E, R>(
      partition: Partition,
      id: string,
      capability: string | null,
      content: Stream.Stream<Uint8Array, E, R>,
      options: ContentOptions
    ) => Effect.Effect<Upload.Upload, E | InvalidInput | NotFound | Gone | Conflict | TooLarge | StorageError, R>
    /** Bytes of the content that are here; where the next range begins. */
    readonly received: (partition: Partition, upload: Upload.Upload) => Effect.Effect<number, StorageError>
    /** The partition of the upload that the capability belongs to. */
    readonly findByCapability: (id: string, capability: string) => Effect.Effect<Partition, NotFound | StorageError>
    /** What the upload URL carries; null once no content is awaited. */
    readonly capability: (partition: Partition, upload: Upload.Upload) => Effect.Effect<string | null>
    readonly get: (partition: Partition, id: string) => Effect.Effect<Upload.Upload, NotFound | StorageError>
    readonly page: (
      partition: Partition,
      request: Page.PageRequest
    ) => Effect.Effect<Page.Page<Upload.Upload>, StorageError>
  }
>()("@limbeck/distill/upload/Uploads") {}

const sealContext = (partition: Partition, id: string): string => `${partition.key}/upload/${id}`

const hex256 = /^[0-9a-f]{64}$/i

/** The rules of a request that its types cannot say. */
const check = (request: UploadRequest): Result.Result<void, InvalidInput | TooLarge> => {
  const { bytes, filename, sha256 } = request
  if (filename.length === 0 || filename.length > Limits.nameMax) {
    return Result.fail(invalid("filename", `A filename has 1 to ${Limits.nameMax} characters`))
  }
  if (bytes !== undefined && !(Number.isSafeInteger(bytes) && bytes >= 0)) {
    return Result.fail(invalid("bytes", "The number of bytes is a whole number, at least 0"))
  }
  if (bytes !== undefined && bytes > Limits.uploadBytesMax) return Result.fail(tooLarge())
  return sha256 === undefined || hex256.test(sha256)
    ? Result.void
    : Result.fail(invalid("sha256", "A SHA-256 is 64 hexadecimal characters"))
}

const tooLarge = () => new TooLarge({ message: `An upload has at most ${Limits.uploadBytesMax} bytes` })

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

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const resources = yield* ResourceStore
  const blobs = yield* Blobs
  const queue = yield* Queue
  const events = yield* Events
  const ids = yield* Ids
  const secrets = yield* Secrets
  const digest = yield* Digest
  const random = yield* SecureRandom

  const digestOf = (capability: string) => digest.digestHex(sha256, new TextEncoder().encode(capability))

  const find = Effect.fnUntraced(function* (partition: Partition, id: string) {
    const found = yield* resources.find(partition, Upload.kind, id)
    return Option.isNone(found) ? yield* notFound("upload", id) : found.value
  })

  const findAuthorized = Effect.fnUntraced(function* (partition: Partition, id: string, capability: string | null) {
    const found = yield* find(partition, id)
    const allowed = capability === null || (yield* digestOf(capability)) === found.value.capabilityDigest
    return allowed ? found : yield* notFound("upload", id)
  })

  const create = Effect.fn("Uploads.create")(function* (partition: Partition, request: UploadRequest) {
    yield* Effect.fromResult(check(request))
    yield* KnownLoops.check(resources, partition, request.loop)
    const now = yield* Clock.currentTimeMillis
    const id = yield* ids.make("upl")
    const capability = Capability.make(partition, yield* random.randomBytes(32))
    const upload: Upload.Upload = {
      id,
      filename: request.filename,
      format: "chat_jsonl",
      expectedBytes: request.bytes ?? null,
      expectedSha256: request.sha256?.toLowerCase() ?? null,
      status: "awaiting_content",
      capabilityDigest: yield* digestOf(capability),
      sealedCapability: yield* secrets.seal(capability, sealContext(partition, id)),
      blob: null,
      gzip: false,
      rows: null,
      errors: [],
      errorCount: 0,
      loop: request.loop ?? null,
      createdAt: now,
      updatedAt: now
    }
    yield* Effect.catchTag(resources.insert(partition, Upload.kind, upload), "AlreadyExists", Effect.die)
    return upload
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

  const content = Effect.fn("Uploads.content")(function* <E, R>(
    partition: Partition,
    id: string,
    capability: string | null,
    bytes: Stream.Stream<Uint8Array, E, R>,
    options: ContentOptions
  ) {
    const found = yield* findAuthorized(partition, id, capability)
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

  const findByCapability = Effect.fn("Uploads.findByCapability")(function* (id: string, capability: string) {
    const partition = Capability.partitionOf(capability)
    if (partition === undefined) return yield* notFound("upload", id)
    yield* findAuthorized(partition, id, capability)
    return partition
  })

  const now = <A>(f: (now: number) => A) => Effect.map(Clock.currentTimeMillis, f)

  const get = Effect.fn("Uploads.get")(function* (partition: Partition, id: string) {
    const { value } = yield* find(partition, id)
    return yield* now((at) => UploadMachine.at(value, at))
  })

  const page = Effect.fn("Uploads.page")(function* (partition: Partition, request: Page.PageRequest) {
    const uploads = yield* resources.page(partition, Upload.kind, [], request)
    return yield* now((at) => Page.map(uploads, (upload) => UploadMachine.at(upload, at)))
  })

  const capability = Effect.fn("Uploads.capability")(function* (partition: Partition, upload: Upload.Upload) {
    return upload.status === "awaiting_content"
      ? yield* secrets.open(upload.sealedCapability, sealContext(partition, upload.id))
      : null
  })

  const received = Effect.fn("Uploads.received")((partition: Partition, upload: Upload.Upload) =>
    upload.blob === null ? Effect.map(partsOf(partition, upload), sizeOf) : Effect.succeed(upload.blob.bytes)
  )

  return Uploads.of({ create, content, received, findByCapability, capability, get, page })
})

export const layer: Layer.Layer<
  Uploads,
  never,
  Storage | ResourceStore | Blobs | Queue | Events | Ids | Secrets | Digest | SecureRandom
> = Layer.effect(Uploads, make)
