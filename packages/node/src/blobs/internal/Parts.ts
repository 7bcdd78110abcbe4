/** Parts of a partition's unfinished blobs: each a file of its own, which grows until it is sealed or discarded. */
import { createHash, randomUUID } from "node:crypto"
import * as fs from "node:fs/promises"
import path from "node:path"
import type { BlobRef, Part } from "@limbeck/core/blobs/Blobs"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { orMissing } from "../../internal/ErrorCode.ts"
import { privateFile } from "../../internal/PrivateModes.ts"
import type { Contents } from "./Contents.ts"
import { attempt, bytesOf, copyTo, open, storageErrorOf } from "./FileStreams.ts"
import * as Files from "./Files.ts"

const partName = /^[0-9a-f]{8}-[0-9a-f-]{27}$/

export const make = (contents: Contents) => {
  const partPath = (partition: Partition, part: string): string | undefined =>
    partName.test(part) ? contents.folder(partition, "parts", part) : undefined
  /** The size of a part; undefined for a missing part. */
  const sizeOf = async (partition: Partition, part: string): Promise<number | undefined> => {
    const name = partPath(partition, part)
    return name === undefined ? undefined : (await orMissing(fs.stat(name)))?.size
  }
  const isThere = async (name: string) => (await Files.writeTimeOf(name)) !== undefined

  const begin = async (partition: Partition): Promise<string> => {
    const parts = contents.folder(partition, "parts")
    await Files.ensureFolder(parts)
    const id = randomUUID()
    await fs.writeFile(path.join(parts, id), "", { flag: "wx", flush: true, mode: privateFile })
    await Files.sync(parts)
    return id
  }

  const write = Effect.fnUntraced(function* <E, R>(
    partition: Partition,
    part: string,
    content: Stream.Stream<Uint8Array, E, R>
  ) {
    const name = partPath(partition, part)
    if (name === undefined) return yield* storageErrorOf("Blobs.write")(new Error("There is no such part"))
    const handle = yield* open("Blobs.write", name, "r+")
    return yield* copyTo(handle, content, () => isThere(name))
  }, Effect.scoped)

  /** Links the parts, so that nothing is copied and each part stays until its discard. */
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

  const readPart = Effect.fnUntraced(function* (name: string, bytes: number) {
    return bytesOf(yield* open("Blobs.digest", name, "r"), bytes)
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

  const discard = async (partition: Partition, parts: ReadonlyArray<string>): Promise<void> => {
    for (const part of parts) {
      const name = partPath(partition, part)
      if (name !== undefined) await Files.remove(name)
    }
  }

  return { begin, digest, discard, linkAll, sizeOf, write } as const
}
