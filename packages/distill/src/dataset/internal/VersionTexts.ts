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
import * as DatasetVersion from "../DatasetVersion.ts"
import { isDecisionRow, type Row } from "../Row.ts"
import { RowStore } from "../RowStore.ts"
import type { VersionQuestion } from "../VersionQuestion.ts"
import type { CallLine } from "./CallRow.ts"
import * as DecisionLine from "./DecisionLine.ts"

export type Texts = Stream.Stream<CallLine, UploadContent.ContentRefused | StorageError>

type JoinedAlone = Extract<DatasetVersion.RowsFrom, { readonly versions: unknown }>
type Content = Exclude<DatasetVersion.RowsFrom, JoinedAlone | { readonly calls: unknown }>

const isJoinedAlone = (source: DatasetVersion.RowsFrom): source is JoinedAlone =>
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
    { createdAt }: DatasetVersion.DatasetVersion,
    source: Exclude<DatasetVersion.RowsFrom, JoinedAlone>
  ) {
    // Calls arrive late and are removed, so another attempt may read other calls; it keeps no rows of an earlier
    // attempt.
    if ("calls" in source) return calls.scan(partition, source.calls, createdAt)
    const content = (yield* contentOf(partition, source))?.value ?? null
    if (content === null || content.blob === null) {
      return Stream.fail(new UploadContent.ContentRefused({ message: "What the rows came from is no longer there" }))
    }
    const { blob, gzip } = content
    if ("format" in content && content.format === "decisions_jsonl") {
      const decisions = UploadContent.decisions({ blobs, gunzip }, partition, { blob, gzip })
      return Stream.map(decisions, (line): CallLine => line ?? { text: null, origin: null })
    }
    const texts = UploadContent.texts({ blobs, gunzip }, partition, { blob, gzip })
    return Stream.map(texts, (text): CallLine => ({ text, origin: null }))
  })

  /** The rows of a ready version, as lines. */
  const linesOf = Effect.fnUntraced(function* (partition: Partition, version: string) {
    const stored = yield* resources.find(partition, DatasetVersion.kind, version)
    const questions = Option.isSome(stored) ? (stored.value.value.questions ?? []) : []
    const byId = new Map<string, VersionQuestion>(questions.map((question) => [question.question, question]))
    return Stream.map(rows.scan(partition, version, null), ({ body }): CallLine => {
      if (byId.size === 0) return { text: body, origin: "versions" }
      // A version's rows were checked before storage.
      const row: Row = JSON.parse(body)
      return isDecisionRow(row) ? DecisionLine.ofRow(row, (id) => byId.get(id)) : { text: body, origin: "versions" }
    })
  })

  const joinedTexts = (partition: Partition, { versions = [] }: DatasetVersion.RowsFrom): Texts =>
    Stream.flatMap(Stream.fromIterable(versions), (version) => Stream.unwrap(linesOf(partition, version)))

  /** Own rows come first, so that a row that a joined version has too keeps its new weight. */
  return (partition: Partition, version: DatasetVersion.DatasetVersion): Texts => {
    const { source } = version
    const joined = joinedTexts(partition, source)
    return isJoinedAlone(source) ? joined : Stream.concat(Stream.unwrap(ownTexts(partition, version, source)), joined)
  }
})
