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
import { RowStore } from "../RowStore.ts"
import type { CallLine } from "./CallRow.ts"

export type Texts = Stream.Stream<CallLine, UploadContent.ContentRefused | StorageError>

type JoinedAlone = Extract<RowsFrom, { readonly versions: unknown }>
type Content = Exclude<RowsFrom, JoinedAlone | { readonly calls: unknown }>

const isJoinedAlone = (source: RowsFrom): source is JoinedAlone =>
  !("calls" in source || "pull" in source || "upload" in source)

export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const blobs = yield* Blobs
  const gunzip = yield* Gunzip
  const calls = yield* CallRows
  const rows = yield* RowStore

  const contentOf = Effect.fnUntraced(function* (partition: Partition, from: Content) {
    if ("pull" in from) return Option.getOrNull(yield* resources.find(partition, Pull.kind, from.pull))
    return Option.getOrNull(yield* resources.find(partition, Upload.kind, from.upload))
  })

  const ownTexts = Effect.fnUntraced(function* (
    partition: Partition,
    { createdAt }: DatasetVersion,
    source: Exclude<RowsFrom, JoinedAlone>
  ) {
    // Calls arrive late and are removed, so another attempt may read other calls; it keeps no rows of an earlier
    // attempt.
    if ("calls" in source) return calls.scan(partition, source.calls, createdAt)
    const content = (yield* contentOf(partition, source))?.value ?? null
    if (content === null || content.blob === null) {
      return Stream.fail(new UploadContent.ContentRefused({ message: "What the rows came from is no longer there" }))
    }
    const texts = UploadContent.texts({ blobs, gunzip }, partition, { blob: content.blob, gzip: content.gzip })
    return Stream.map(texts, (text): CallLine => ({ text, origin: null }))
  })

  const joinedTexts = (partition: Partition, { versions = [] }: RowsFrom): Texts =>
    Stream.flatMap(Stream.fromIterable(versions), (version) =>
      Stream.map(rows.scan(partition, version, null), ({ body }): CallLine => ({ text: body, origin: "versions" }))
    )

  /** Own rows come first, so that a row that a joined version has too keeps its new weight. */
  return (partition: Partition, version: DatasetVersion): Texts => {
    const { source } = version
    const joined = joinedTexts(partition, source)
    return isJoinedAlone(source) ? joined : Stream.concat(Stream.unwrap(ownTexts(partition, version, source)), joined)
  }
})
