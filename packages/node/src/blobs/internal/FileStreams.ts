/** Files as byte streams, with failures as `StorageError`. */
import { createHash } from "node:crypto"
import * as fs from "node:fs/promises"
import type { BlobRef } from "@limbeck/core/blobs/Blobs"
import { StorageError } from "@limbeck/core/errors/Errors"
import { Limits } from "@limbeck/core/Limits"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { privateFile } from "../../internal/PrivateModes.ts"

/** Bytes between two checks that the part is still wanted. */
const lookEvery = 4 * 1024 ** 2

export const storageErrorOf = (operation: string) => (cause: unknown) => new StorageError({ operation, cause })

/** Not to be torn by an interruption: what a call has begun, it ends. */
export const attempt = <A>(operation: string, call: () => Promise<A>): Effect.Effect<A, StorageError> =>
  Effect.uninterruptible(Effect.tryPromise({ try: call, catch: storageErrorOf(operation) }))

export const open = (operation: string, name: string, flags: string) =>
  Effect.acquireRelease(
    attempt(operation, () => fs.open(name, flags, privateFile)),
    (handle) => Effect.promise(() => handle.close())
  )

/** The first `bytes` of an open file, in pieces with their own memory. */
export const bytesOf = (handle: fs.FileHandle, bytes: number): Stream.Stream<Uint8Array, StorageError> =>
  Stream.paginate(0, (from) => {
    const wanted = Math.min(Limits.blobPieceBytes, bytes - from)
    if (wanted <= 0) return Effect.succeed([[], Option.none()])
    return Effect.flatMap(
      attempt("Blobs.get", () => handle.read(Buffer.allocUnsafeSlow(wanted), 0, wanted, from)),
      ({ buffer, bytesRead }) =>
        bytesRead === 0
          ? Effect.fail(storageErrorOf("Blobs.get")(new Error("The file is shorter than it was")))
          : Effect.succeed([[buffer.subarray(0, bytesRead)], Option.some(from + bytesRead)])
    )
  })

/** Writes what comes, as it comes; `isWanted` is asked now and then. */
export const copyTo = Effect.fnUntraced(function* <E, R>(
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
