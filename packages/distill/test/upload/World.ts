/** Uploads and datasets on memory storage, and the few steps that most of their tests begin with. */

import * as Datasets from "@limbeck/distill/dataset/Datasets"
import * as VersionBuilder from "@limbeck/distill/dataset/VersionBuilder"
import * as Candidates from "@limbeck/distill/race/Candidates"
import * as Proposals from "@limbeck/distill/recipe/Proposals"
import * as StudentCatalog from "@limbeck/distill/recipe/StudentCatalog"
import * as StudentProbe from "@limbeck/distill/recipe/StudentProbe"
import { Executors } from "@limbeck/distill/run/Executor"
import * as Uploads from "@limbeck/distill/upload/Uploads"
import * as UploadWorker from "@limbeck/distill/upload/UploadWorker"
import * as Crypto from "@limbeck/node/Crypto"
import * as NodeRunningDigest from "@limbeck/node/dataset/NodeRunningDigest"
import * as NodeGunzip from "@limbeck/node/upload/NodeGunzip"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as World from "@limbeck/testing/World"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

const base = Layer.mergeAll(
  StorageMemory.layer,
  World.nothingCaptured,
  World.services,
  StudentCatalog.layer(),
  Layer.succeed(Executors, { choose: () => Result.fail("Nothing is set up to train"), find: () => undefined }),
  NodeGunzip.layer,
  NodeRunningDigest.layer,
  StudentProbe.layerUnmeasured,
  Candidates.none(() => Effect.succeedNone)
).pipe(Layer.provideMerge(Crypto.layer))

/** A fresh world for each test. */
export const world = Layer.mergeAll(
  Uploads.layer,
  UploadWorker.layer,
  Datasets.layer,
  VersionBuilder.layer,
  Proposals.layer
).pipe(Layer.provideMerge(World.events), Layer.provideMerge(base))

export const { live, test, stranger } = World

const utf8 = new TextEncoder()
export const bytesOf = (text: string): Uint8Array => utf8.encode(text)

/** Content in chunks with arbitrary ends. */
export const streamOf = (bytes: Uint8Array, chunkBytes = 7): Stream.Stream<Uint8Array> =>
  Stream.fromIterable(
    Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) =>
      bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes)
    )
  )

export const rowOf = (prompt: string, completion: string): string =>
  JSON.stringify({ messages: [{ role: "user", content: prompt }], completion })

export const jsonl = (lines: ReadonlyArray<string>): string => lines.map((line) => `${line}\n`).join("")

/** An upload with sent and read content. */
export const uploaded = Effect.fnUntraced(function* (content: string | Uint8Array, partition = live) {
  const uploads = yield* Uploads.Uploads
  const { id } = yield* uploads.create(partition, { filename: "calls.jsonl" })
  const bytes = typeof content === "string" ? bytesOf(content) : content
  yield* uploads.content(partition, id, null, streamOf(bytes, 64 * 1024), { gzipHint: false })
  yield* (yield* UploadWorker.UploadWorker).runOnce
  return yield* uploads.get(partition, id)
})

/** A version of a new dataset, built. */
export const built = Effect.fnUntraced(function* (
  upload: string,
  options: Partial<Datasets.VersionRequest> = {},
  partition = live
) {
  const datasets = yield* Datasets.Datasets
  const dataset = yield* datasets.create(partition, { name: "calls" })
  const { id } = yield* datasets.createVersion(partition, dataset.id, { from: { upload }, ...options })
  yield* (yield* VersionBuilder.VersionBuilder).runOnce
  return yield* datasets.getVersion(partition, id)
})

export const { eventsOf } = World
