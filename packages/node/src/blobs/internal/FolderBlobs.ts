import * as fs from "node:fs/promises"
import path from "node:path"
import { type BlobRef, Blobs, type Part } from "@limbeck/core/blobs/Blobs"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { Contents, type Piece } from "./Contents.ts"
import { attempt, bytesOf, copyTo, open, storageErrorOf } from "./FileStreams.ts"
import * as Files from "./Files.ts"
import * as Parts from "./Parts.ts"
import { sweep } from "./Sweep.ts"

const always = () => Promise.resolve(true)

export const make = (directory: string): Blobs["Service"] => {
  const contents = new Contents(directory)
  const parts = Parts.make(contents)
  const remove = (draft: string) => Effect.promise(() => Files.remove(draft))
  const draftFor = (operation: string, partition: Partition) =>
    Effect.acquireRelease(
      attempt(operation, () => contents.draft(partition)),
      (draft, exit) => (Exit.isSuccess(exit) ? Effect.void : remove(draft))
    )
  const publish = (operation: string, partition: Partition, draft: string, ref: BlobRef) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      attempt(operation, () => contents.publish(partition, draft, ref, now))
    )

  const put = Effect.fnUntraced(function* <E, R>(partition: Partition, content: Stream.Stream<Uint8Array, E, R>) {
    const draft = yield* draftFor("Blobs.put", partition)
    const file = path.join(draft, "piece")
    const ref = yield* Effect.scoped(
      Effect.flatMap(open("Blobs.put", file, "wx"), (handle) => copyTo(handle, content, always))
    )
    yield* attempt("Blobs.put", () => fs.rename(file, path.join(draft, contents.pieceName(0, ref.bytes))))
    yield* publish("Blobs.put", partition, draft, ref)
    return ref
  }, Effect.scoped)

  const seal = Effect.fnUntraced(function* (partition: Partition, sealed: ReadonlyArray<Part>, ref: BlobRef) {
    const draft = yield* draftFor("Blobs.seal", partition)
    const total = yield* attempt("Blobs.seal", () => parts.linkAll(partition, draft, sealed))
    if (total !== ref.bytes)
      return yield* storageErrorOf("Blobs.seal")(new Error("The parts are not the whole content"))
    yield* publish("Blobs.seal", partition, draft, ref)
  }, Effect.scoped)

  const readPiece = (partition: Partition, sha256: string, piece: Piece) =>
    Stream.unwrap(
      Effect.map(
        Effect.acquireRelease(
          attempt("Blobs.get", () => contents.open(partition, sha256, piece)),
          (handle) => Effect.promise(async () => handle?.close())
        ),
        (handle) =>
          handle === undefined
            ? Stream.fail(storageErrorOf("Blobs.get")(new Error("A piece of the content is gone")))
            : bytesOf(handle, piece.bytes)
      )
    )

  const piecesOf = (operation: string, partition: Partition, sha256: string) =>
    attempt(operation, () => contents.pieces(partition, sha256))

  return Blobs.of({
    put,
    get: (partition, sha256) =>
      Stream.unwrap(
        Effect.map(piecesOf("Blobs.get", partition, sha256), (pieces) =>
          Stream.flatMap(Stream.fromIterable(pieces ?? []), (piece) => readPiece(partition, sha256, piece))
        )
      ),
    exists: (partition, sha256) =>
      Effect.map(piecesOf("Blobs.exists", partition, sha256), (pieces) => pieces !== undefined),
    begin: (partition) => attempt("Blobs.begin", () => parts.begin(partition)),
    write: parts.write,
    storedBytes: (partition, part, most = Number.POSITIVE_INFINITY) =>
      Effect.map(
        attempt("Blobs.storedBytes", () => parts.sizeOf(partition, part)),
        (size = 0) => Math.min(most, size)
      ),
    digest: parts.digest,
    seal,
    discard: (partition, ids) => attempt("Blobs.discard", () => parts.discard(partition, ids)),
    quiet: (before) => Stream.fromAsyncIterable(contents.quiet(before), storageErrorOf("Blobs.quiet")),
    removeIfQuiet: (partition, sha256, before) =>
      attempt("Blobs.removeIfQuiet", () => contents.removeIfQuiet(partition, sha256, before))
  })
}

/** Parts and drafts that nothing uses are removed at the start, and then every day. */
const sweepDaily = (directory: string) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => attempt("Blobs.sweep", () => sweep(directory, now))).pipe(
    Effect.catchCause((cause) => Effect.logWarning("blobs_not_swept", cause)),
    Effect.repeat(Schedule.spaced("1 day"))
  )

/** Creates a missing folder. */
export const layer = (directory: string): Layer.Layer<Blobs, StorageError> =>
  Layer.effect(
    Blobs,
    Effect.gen(function* () {
      yield* attempt("Blobs.layer", () => Files.ensureFolder(path.resolve(directory)))
      yield* Effect.forkScoped(sweepDaily(directory))
      return make(directory)
    })
  )
