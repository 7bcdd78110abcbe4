/** The stored parts of an upload's content: their sizes, and which of them the upload still names. */
import { Blobs, type Part } from "@limbeck/core/blobs/Blobs"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import * as Effect from "effect/Effect"
import * as Upload from "../Upload.ts"

export const sizeOf = (parts: ReadonlyArray<Part>): number => parts.reduce((sum, { bytes }) => sum + bytes, 0)

export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const blobs = yield* Blobs

  const find = (partition: Partition, id: string) => Resources.require(resources, partition, Upload.kind, id)

  /** The parts of the content with their bytes; only those that end at or before `most`. */
  const stored = Effect.fnUntraced(function* (
    partition: Partition,
    { parts = [] }: Upload.Upload,
    most = Number.POSITIVE_INFINITY
  ) {
    const found: Array<Part> = []
    for (const { bytes, id } of parts) {
      const kept = bytes ?? (yield* blobs.storedBytes(partition, id, most - sizeOf(found)))
      if (kept > 0) found.push({ id, bytes: kept })
    }
    return found
  })

  /** Whether the upload is going to be made of this part. */
  const isNamed = (partition: Partition, id: string, part: string) =>
    Effect.map(find(partition, id), ({ value: { parts = [] } }) => parts.some((one) => one.id === part))

  /** A failure leaves parts behind, which are swept after a day. */
  const discard = (partition: Partition, parts: ReadonlyArray<{ readonly id: string }>) =>
    Effect.ignore(
      blobs.discard(
        partition,
        parts.map(({ id }) => id)
      )
    )

  /** Discards a replaced sender's part, unless the next sender continues after it. */
  const discardUnnamed = Effect.fnUntraced(function* (partition: Partition, id: string, part: string) {
    if (!(yield* isNamed(partition, id, part))) yield* discard(partition, [{ id: part }])
  })

  return { find, stored, isNamed, discard, discardUnnamed } as const
})
