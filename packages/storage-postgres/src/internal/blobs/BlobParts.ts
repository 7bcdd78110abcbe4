/** Parts of a content on its way: named, written, measured, and read as one for its digest. */
import { createHash } from "node:crypto"
import type { BlobRef, Blobs, Part } from "@limbeck/core/blobs/Blobs"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { failAs } from "../connection/PostgresError.ts"
import type * as BlobPieces from "./BlobPieces.ts"

/** The partition's name and a number name a part, so that no other partition reaches the part. */
const nameOf = (partition: Partition, upload: number): string => `${partition.key}/${upload}`
export const numberOf = (partition: Partition, part: string): number => {
  const prefix = `${partition.key}/`
  const upload = part.startsWith(prefix) ? Number(part.slice(prefix.length)) : -1
  return Number.isSafeInteger(upload) ? upload : -1
}

type Methods = Pick<Blobs["Service"], "begin" | "write" | "storedBytes" | "digest" | "discard">

export const make = ({ begin, piecesFrom, remove, sizesOf, write }: ReturnType<typeof BlobPieces.make>): Methods => {
  const digest = Effect.fnUntraced(function* (partition: Partition, parts: ReadonlyArray<Part>) {
    const hash = createHash("sha256")
    let total = 0
    for (const { bytes, id } of parts) {
      let left = bytes
      yield* Stream.runForEachWhile(piecesFrom(numberOf(partition, id)), (piece) =>
        Effect.sync(() => {
          const counted = piece.subarray(0, left)
          hash.update(counted)
          total += counted.length
          left -= counted.length
          return left > 0
        })
      )
    }
    const ref: BlobRef = { sha256: hash.digest("hex"), bytes: total }
    return ref
  })

  return {
    begin: (partition) =>
      begin.pipe(
        Effect.map((upload) => nameOf(partition, upload)),
        failAs("Blobs.begin")
      ),
    write: (partition, part, content) => write(numberOf(partition, part), content, { keepsWhatCame: true }),
    storedBytes: (partition, part, most = Number.POSITIVE_INFINITY) =>
      sizesOf(numberOf(partition, part)).pipe(
        Effect.map((sizes) => sizes.reduce((sum, size) => (sum + size > most ? sum : sum + size), 0)),
        failAs("Blobs.storedBytes")
      ),
    digest,
    discard: (partition, parts) =>
      Effect.forEach(parts, (part) => remove(numberOf(partition, part)), { discard: true }).pipe(
        failAs("Blobs.discard")
      )
  }
}
