/** Uploads for callers: announce an upload, send its content once, read it. The upload worker reads the content. */
import type { Blobs } from "@limbeck/core/blobs/Blobs"
import {
  type InvalidInput,
  invalid,
  type NotFound,
  notFound,
  type StorageError,
  type TooLarge
} from "@limbeck/core/errors/Errors"
import type { Events } from "@limbeck/core/events/Events"
import { Ids } from "@limbeck/core/ids/Ids"
import * as Page from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Secrets } from "@limbeck/core/secrets/Secrets"
import type { Storage } from "@limbeck/core/storage/Storage"
import * as Characters from "@limbeck/core/text/Characters"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type { Digest } from "effect/crypto/Digest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Stream from "effect/Stream"
import type { ContentRefused } from "../Errors.ts"
import { DistillLimits } from "../Limits.ts"
import * as KnownLoops from "../loop/internal/KnownLoops.ts"
import { type ContentOptions, tooLarge } from "./ContentRange.ts"
import * as Arrival from "./internal/Arrival.ts"
import * as Capability from "./internal/Capability.ts"
import * as Upload from "./Upload.ts"
import * as UploadMachine from "./UploadMachine.ts"

export interface UploadRequest {
  readonly filename: string
  /** `chat_jsonl` by default. */
  readonly format?: Upload.UploadFormat
  /** What the content will be, if the caller knows: checked against the bytes sent. */
  readonly bytes?: number
  readonly sha256?: string
  readonly loop?: string
}

export class Uploads extends Context.Service<
  Uploads,
  {
    /** An upload that waits for its content. `TooLarge` when more is declared than may be sent. */
    readonly create: (
      partition: Partition,
      request: UploadRequest
    ) => Effect.Effect<Upload.Upload, InvalidInput | NotFound | TooLarge | StorageError>
    /**
     * Stores the content while it streams in, then hands it to the worker. `capability` is null for a caller with a
     * token. Content that differs from its declaration leaves a failed upload. The bytes of a broken stream are kept: a
     * range from their end continues the upload, and a range from the first byte replaces them. Of several senders the
     * last one to start wins.
     */
    readonly content: <E, R>(
      partition: Partition,
      id: string,
      capability: string | null,
      content: Stream.Stream<Uint8Array, E, R>,
      options: ContentOptions
    ) => Effect.Effect<Upload.Upload, E | NotFound | ContentRefused | TooLarge | StorageError, R>
    /** The stored bytes of the content: the start of the next range. */
    readonly receivedBytes: (partition: Partition, upload: Upload.Upload) => Effect.Effect<number, StorageError>
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
  if (filename.length === 0 || !Characters.areAtMost(filename, DistillLimits.nameMax)) {
    return Result.fail(invalid("filename", `A filename has 1 to ${DistillLimits.nameMax} characters`))
  }
  if (bytes !== undefined && !(Number.isSafeInteger(bytes) && bytes >= 0)) {
    return Result.fail(invalid("bytes", "The number of bytes is a whole number, at least 0"))
  }
  if (bytes !== undefined && bytes > DistillLimits.uploadBytesMax) return Result.fail(tooLarge("bytes"))
  return sha256 === undefined || hex256.test(sha256)
    ? Result.void
    : Result.fail(invalid("sha256", "A SHA-256 is 64 hexadecimal characters"))
}

const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const ids = yield* Ids
  const secrets = yield* Secrets
  const capabilities = yield* Capability.make
  const arrival = yield* Arrival.make

  const findAuthorized = Effect.fnUntraced(function* (partition: Partition, id: string, capability: string | null) {
    const found = yield* arrival.find(partition, id)
    const allowed = capability === null || (yield* capabilities.digestOf(capability)) === found.value.capabilityDigest
    return allowed ? found : yield* notFound("upload", id)
  })

  const create = Effect.fn("Uploads.create")(function* (partition: Partition, request: UploadRequest) {
    yield* Effect.fromResult(check(request))
    yield* KnownLoops.check(resources, partition, request.loop)
    const now = yield* Clock.currentTimeMillis
    const id = yield* ids.make("upl")
    const capability = yield* capabilities.issue(partition)
    const upload: Upload.Upload = {
      id,
      filename: request.filename,
      format: request.format ?? "chat_jsonl",
      expectedBytes: request.bytes ?? null,
      expectedSha256: request.sha256?.toLowerCase() ?? null,
      status: "awaiting_content",
      capabilityDigest: capability.digest,
      sealedCapability: yield* secrets.seal(capability.text, sealContext(partition, id)),
      blob: null,
      gzip: false,
      rows: null,
      errors: [],
      errorCount: 0,
      loop: request.loop ?? null,
      createdAt: now,
      updatedAt: now
    }
    yield* resources.add(partition, Upload.kind, upload)
    return upload
  })

  const content = Effect.fn("Uploads.content")(function* <E, R>(
    partition: Partition,
    id: string,
    capability: string | null,
    bytes: Stream.Stream<Uint8Array, E, R>,
    options: ContentOptions
  ) {
    return yield* arrival.receive(partition, yield* findAuthorized(partition, id, capability), bytes, options)
  })

  const findByCapability = Effect.fn("Uploads.findByCapability")(function* (id: string, capability: string) {
    const partition = yield* capabilities.partitionOf(capability)
    if (partition === undefined) return yield* notFound("upload", id)
    yield* findAuthorized(partition, id, capability)
    return partition
  })

  const now = <A>(f: (now: number) => A) => Effect.map(Clock.currentTimeMillis, f)

  const get = Effect.fnUntraced(function* (partition: Partition, id: string) {
    const { value } = yield* arrival.find(partition, id)
    return yield* now((at) => UploadMachine.at(value, at))
  })

  const page = Effect.fnUntraced(function* (partition: Partition, request: Page.PageRequest) {
    const uploads = yield* resources.page(partition, Upload.kind, [], request)
    return yield* now((at) => Page.map(uploads, (upload) => UploadMachine.at(upload, at)))
  })

  const capability = Effect.fn("Uploads.capability")(function* (partition: Partition, upload: Upload.Upload) {
    return upload.status === "awaiting_content"
      ? yield* secrets.open(upload.sealedCapability, sealContext(partition, upload.id))
      : null
  })

  return Uploads.of({ create, content, receivedBytes: arrival.receivedBytes, findByCapability, capability, get, page })
})

export const layer: Layer.Layer<
  Uploads,
  never,
  Storage | ResourceStore | Blobs | Queue | Events | Ids | Secrets | Digest | SecureRandom
> = Layer.effect(Uploads, make)
