/** Uploads and datasets on memory storage, and the few steps that most of their tests begin with. */

import { EventStore } from "@limbeck/core/events/EventStore"
import * as Events from "@limbeck/core/events/Events"
import * as Ids from "@limbeck/core/ids/Ids"
import * as Page from "@limbeck/core/pages/Page"
import * as Partition from "@limbeck/core/partition/Partition"
import * as Secrets from "@limbeck/core/secrets/Secrets"
import { CallRows } from "@limbeck/distill/dataset/CallRows"
import * as Datasets from "@limbeck/distill/dataset/Datasets"
import * as VersionBuilder from "@limbeck/distill/dataset/VersionBuilder"
import * as Catalog from "@limbeck/distill/recipe/Catalog"
import * as Proposals from "@limbeck/distill/recipe/Proposals"
import * as Uploads from "@limbeck/distill/upload/Uploads"
import * as UploadWorker from "@limbeck/distill/upload/UploadWorker"
import * as Crypto from "@limbeck/node/Crypto"
import * as NodeGunzip from "@limbeck/node/upload/NodeGunzip"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

const nothingCaptured = Layer.succeed(CallRows, {
  resolve: (_, filter) => Effect.succeed(filter),
  scan: () => Stream.empty
})

const base = Layer.mergeAll(
  StorageMemory.layer,
  nothingCaptured,
  Ids.layer,
  Secrets.layer([Redacted.make(new Uint8Array(32))]),
  Catalog.layer(),
  NodeGunzip.layer
).pipe(Layer.provideMerge(Crypto.layer))

/** A fresh one for every test that is given it. */
export const world = Layer.mergeAll(
  Uploads.layer,
  UploadWorker.layer,
  Datasets.layer,
  VersionBuilder.layer,
  Proposals.layer
).pipe(Layer.provideMerge(Layer.provide(Events.layer, Events.Fanout.none)), Layer.provideMerge(base))

export const live = Partition.make("ws_00000000000000000000000001", true)
export const test = Partition.make("ws_00000000000000000000000001", false)
export const stranger = Partition.make("ws_00000000000000000000000002", true)

const utf8 = new TextEncoder()
export const bytesOf = (text: string): Uint8Array => utf8.encode(text)

/** Content in chunks that end where they like. */
export const streamOf = (bytes: Uint8Array, chunkBytes = 7): Stream.Stream<Uint8Array> =>
  Stream.fromIterable(
    Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) =>
      bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes)
    )
  )

export const rowOf = (prompt: string, completion: string): string =>
  JSON.stringify({ messages: [{ role: "user", content: prompt }], completion })

export const jsonl = (lines: ReadonlyArray<string>): string => lines.map((line) => `${line}\n`).join("")

/** An upload whose content was sent and read. */
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

export const eventsOf = Effect.fnUntraced(function* (partition = live) {
  const { items } = yield* (yield* EventStore).page(partition, null, Page.firstPage(100))
  return items.toReversed()
})
