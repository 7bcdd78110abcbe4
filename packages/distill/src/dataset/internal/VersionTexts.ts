/** The lines of a version, from any kind of source. */
import { Blobs } from "@limbeck/core/blobs/Blobs"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Pull from "../../pull/Pull.ts"
import { Gunzip } from "../../upload/Gunzip.ts"
import * as UploadContent from "../../upload/internal/UploadContent.ts"
import * as Upload from "../../upload/Upload.ts"
import { CallRows } from "../CallRows.ts"
import type { DatasetVersion, RowsFrom } from "../DatasetVersion.ts"
import type { CallLine } from "./CallRow.ts"

/** Null: a line that is no text, or a call beyond the bounds of a row. */
export type Texts = Stream.Stream<CallLine, UploadContent.ContentRefused | StorageError>

export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const blobs = yield* Blobs
  const gunzip = yield* Gunzip
  const calls = yield* CallRows

  const contentOf = Effect.fnUntraced(function* (
    partition: Partition,
    from: Exclude<RowsFrom, { readonly calls: unknown }>
  ) {
    if ("pull" in from) return Option.getOrNull(yield* resources.find(partition, Pull.kind, from.pull))
    return Option.getOrNull(yield* resources.find(partition, Upload.kind, from.upload))
  })

  const textsOf = Effect.fnUntraced(function* (partition: Partition, { createdAt, source }: DatasetVersion) {
    // Calls arrive late and are removed, so another attempt may read other calls; it keeps no rows of an earlier
    // attempt.
    if ("calls" in source) return calls.scan(partition, source.calls, createdAt)
    const content = (yield* contentOf(partition, source))?.value ?? null
    return content === null || content.blob === null
      ? Stream.fail(new UploadContent.ContentRefused({ message: "What the rows came from is no longer there" }))
      : UploadContent.texts({ blobs, gunzip }, partition, { blob: content.blob, gzip: content.gzip })
  })

  return (partition: Partition, version: DatasetVersion): Texts => Stream.unwrap(textsOf(partition, version))
})
