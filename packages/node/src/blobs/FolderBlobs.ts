/**
 * Blobs in a folder, which many processes may share. What has been promised is on the disk. Every partition has a folder of
 * its own: contents by their digest, parts on their way, and drafts of contents that have no name yet.
 */
import { createHash, randomUUID } from "node:crypto"
import * as fs from "node:fs/promises"
import path from "node:path"
import { type BlobRef, Blobs, type Part } from "@limbeck/core/blobs/Blobs"
import { StorageError } from "@limbeck/core/errors/Errors"
import { Limits } from "@limbeck/core/Limits"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { orMissing } from "../ErrorCode.ts"
import { Contents, type Piece } from "./Contents.ts"
import * as Files from "./Files.ts"
import { sweep } from "./Sweep.ts"

/** Bytes between two looks whether the part that is written is still wanted. */
const lookEvery = 4 * 1024 ** 2

const partName = /^[0-9a-f]{8}-[0-9a-f-]{27}$/

const failed = (operation: string) => (cause: unknown) => new StorageError({ operation, cause })

/** Not to be torn by an interruption: what a call has begun, it ends. */
const attempt = <A>(operation: string, call: () => Promise<A>): Effect.Effect<A, StorageError> =>
  Effect.uninterruptible(Effect.tryPromise({ try: call, catch: failed(operation) }))

const opened = (operation: string, name: string, flags: string) =>
  Effect.acquireRelease(
    attempt(operation, () => fs.open(name, flags)),
    (handle) => Effect.promise(() => handle.close())
  )

/** The first `bytes` of a file that is open, in pieces of their own. */
const bytesOf = (handle: fs.FileHandle, bytes: number): Stream.Stream<Uint8Array, StorageError> =>
  Stream.paginate(0, (from) => {
    const wanted = Math.min(Limits.blobPieceBytes, bytes - from)
    if (wanted <= 0) return Effect.succeed([[], Option.none()])
    return Effect.flatMap(
      attempt("Blobs.get", () => handle.read(Buffer.allocUnsafeSlow(wanted), 0, wanted, from)),
      ({ buffer, bytesRead }) =>
        bytesRead === 0
          ? Effect.fail(failed("Blobs.get")(new Error("The file is shorter than it was")))
          : Effect.succeed([[buffer.subarray(0, bytesRead)], Option.some(from + bytesRead)])
    )
  })

/** Writes what comes, as it comes; `isWanted` is asked now and then. */
const copyTo = Effect.fnUntraced(function* <E, R>(
  handle: fs.FileHandle,
  content: Stream.Stream<Uint8Array, E, R>,
  isWanted: () => Promise<boolean>
) {
  const hash = createHash("sha256")
  let bytes = 0
  let looked = 0
  const look = () => isWanted().then((wanted) => (wanted ? undefined : Promise.reject(new Error("The part is gone"))))
  yield* Stream.runForEach(content, (chunk) =>
    attempt("Blobs.write", async () => {
      hash.update(chunk)
      bytes += chunk.length
      await handle.writeFile(chunk)
      if (bytes < looked + lookEvery) return
      looked = bytes
      await look()
    })
  )
  yield* attempt("Blobs.write", async () => {
    await handle.sync()
    await look()
  })
  const ref: BlobRef = { sha256: hash.digest("hex"), bytes }
  return ref
})

const always = () => Promise.resolve(true)

export const make = (directory: string): Blobs["Service"] => {
  const contents = new Contents(directory)
  const partPath = (partition: Partition, part: string): string | undefined =>
    partName.test(part) ? contents.folder(partition, "parts", part) : undefined
  /** The bytes that a part has; undefined when it is gone, or was never. */
  const sizeOf = async (partition: Partition, part: string): Promise<number | undefined> => {
    const name = partPath(partition, part)
    return name === undefined ? undefined : (await orMissing(fs.stat(name)))?.size
  }
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
      Effect.flatMap(opened("Blobs.put", file, "wx"), (handle) => copyTo(handle, content, always))
    )
    yield* attempt("Blobs.put", () => fs.rename(file, path.join(draft, contents.pieceName(0, ref.bytes))))
    yield* publish("Blobs.put", partition, draft, ref)
    return ref
  }, Effect.scoped)

  const write = Effect.fnUntraced(function* <E, R>(
    partition: Partition,
    part: string,
    content: Stream.Stream<Uint8Array, E, R>
  ) {
    const name = partPath(partition, part)
    if (name === undefined) return yield* failed("Blobs.write")(new Error("There is no such part"))
    const handle = yield* opened("Blobs.write", name, "r+")
    return yield* copyTo(handle, content, () => isThere(name))
  }, Effect.scoped)

  const isThere = async (name: string) => (await Files.writtenAt(name)) !== undefined

  /** Links, so that nothing is copied and the parts stay as they are until they are let go. */
  const linkAll = async (partition: Partition, draft: string, parts: ReadonlyArray<Part>): Promise<number> => {
    let total = 0
    for (const [index, { bytes, id }] of parts.entries()) {
      const name = partPath(partition, id)
      const size = await sizeOf(partition, id)
      if (name === undefined || size === undefined || size < bytes) throw new Error("A part is gone")
      await Files.sync(name)
      await fs.link(name, path.join(draft, contents.pieceName(index, bytes)))
      total += bytes
    }
    return total
  }

  const seal = Effect.fnUntraced(function* (partition: Partition, parts: ReadonlyArray<Part>, ref: BlobRef) {
    const draft = yield* draftFor("Blobs.seal", partition)
    const total = yield* attempt("Blobs.seal", () => linkAll(partition, draft, parts))
    if (total !== ref.bytes) return yield* failed("Blobs.seal")(new Error("The parts are not the whole content"))
    yield* publish("Blobs.seal", partition, draft, ref)
  }, Effect.scoped)

  const readPart = Effect.fnUntraced(function* (name: string, bytes: number) {
    return bytesOf(yield* opened("Blobs.digest", name, "r"), bytes)
  })

  const digest = Effect.fnUntraced(function* (partition: Partition, parts: ReadonlyArray<Part>) {
    const hash = createHash("sha256")
    let total = 0
    for (const { bytes, id } of parts) {
      const name = partPath(partition, id)
      const size = yield* attempt("Blobs.digest", () => sizeOf(partition, id))
      if (name === undefined || size === undefined) continue
      yield* Stream.runForEach(Stream.unwrap(readPart(name, Math.min(size, bytes))), (chunk) =>
        Effect.sync(() => {
          hash.update(chunk)
          total += chunk.length
        })
      )
    }
    const ref: BlobRef = { sha256: hash.digest("hex"), bytes: total }
    return ref
  })

  const readPiece = (partition: Partition, sha256: string, piece: Piece) =>
    Stream.unwrap(
      Effect.map(
        Effect.acquireRelease(
          attempt("Blobs.get", () => contents.open(partition, sha256, piece)),
          (handle) => Effect.promise(async () => handle?.close())
        ),
        (handle) =>
          handle === undefined
            ? Stream.fail(failed("Blobs.get")(new Error("A piece of the content is gone")))
            : bytesOf(handle, piece.bytes)
      )
    )

  const piecesOf = (operation: string, partition: Partition, sha256: string) =>
    attempt(operation, () => contents.pieces(partition, sha256))

  const begin = async (partition: Partition): Promise<string> => {
    const parts = contents.folder(partition, "parts")
    await Files.ensureFolder(parts)
    const id = randomUUID()
    await fs.writeFile(path.join(parts, id), "", { flag: "wx", flush: true })
    await Files.sync(parts)
    return id
  }

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
    begin: (partition) => attempt("Blobs.begin", () => begin(partition)),
    write,
    kept: (partition, part, most = Number.POSITIVE_INFINITY) =>
      Effect.map(
        attempt("Blobs.kept", () => sizeOf(partition, part)),
        (size = 0) => Math.min(most, size)
      ),
    digest,
    seal,
    discard: (partition, parts) =>
      attempt("Blobs.discard", async () => {
        for (const part of parts) {
          const name = partPath(partition, part)
          if (name !== undefined) await Files.remove(name)
        }
      }),
    quiet: (before) => Stream.fromAsyncIterable(contents.quiet(before), failed("Blobs.quiet")),
    removeIfQuiet: (partition, sha256, before) =>
      attempt("Blobs.removeIfQuiet", () => contents.removeIfQuiet(partition, sha256, before))
  })
}

/** What nobody goes on with is removed at the start, and then every day. */
const sweeping = (directory: string) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => attempt("Blobs.sweep", () => sweep(directory, now))).pipe(
    Effect.catchCause((cause) => Effect.logWarning("parts that nobody goes on with could not be swept", cause)),
    Effect.repeat(Schedule.spaced("1 day"))
  )

/** The folder is made if it is missing. */
export const layer = (directory: string): Layer.Layer<Blobs, StorageError> =>
  Layer.effect(
    Blobs,
    Effect.gen(function* () {
      yield* attempt("Blobs.layer", () => Files.ensureFolder(path.resolve(directory)))
      yield* Effect.forkScoped(sweeping(directory))
      return make(directory)
    })
  )
