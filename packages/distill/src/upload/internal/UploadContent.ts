/** The content of an upload as a stream: raw bytes, gunzipped if needed, split into lines, parsed as rows. */
import type { BlobRef, Blobs } from "@limbeck/core/blobs/Blobs"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Turns from "@limbeck/core/turns/Turns"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as DecisionLine from "../../dataset/internal/DecisionLine.ts"
import * as RowReader from "../../dataset/internal/RowReader.ts"
import { DistillLimits } from "../../Limits.ts"
import type { Gunzip } from "../Gunzip.ts"
import * as Lines from "./Lines.ts"

/** The file as a whole cannot be read on; the message is for the caller. */
export class ContentRefused extends Data.TaggedError("ContentRefused")<{ readonly message: string }> {}

export interface ReadLine {
  readonly line: number
  /** The line as sent, trimmed; empty if it could not be decoded. */
  readonly text: string
  /** A row, or decisions of which rows are made; or why it is neither. */
  readonly content: Result.Result<RowReader.ReadRow | DecisionLine.DecisionLine, string>
}

/** Fails as soon as the bytes exceed `max`. */
export const atMost = <E, R, E2>(
  content: Stream.Stream<Uint8Array, E, R>,
  max: number,
  exceeded: () => E2
): Stream.Stream<Uint8Array, E | E2, R> =>
  Stream.mapAccumEffect(
    content,
    () => 0,
    (before, chunk) => {
      const bytes = before + chunk.length
      return bytes > max ? Effect.fail(exceeded()) : Effect.succeed([bytes, [chunk]] as const)
    }
  )

/** Whether the first bytes are gzip's (RFC 1952). */
export const isGzip = (head: ArrayLike<number>): boolean => head[0] === 0x1f && head[1] === 0x8b

/** Remembers the first two passing bytes. */
export const sniff = <E, R>(
  content: Stream.Stream<Uint8Array, E, R>,
  head: Array<number>
): Stream.Stream<Uint8Array, E, R> =>
  Stream.map(content, (chunk) => {
    if (head.length < 2) head.push(...chunk.subarray(0, 2 - head.length))
    return chunk
  })

export const gunzip = (
  { unpack }: Gunzip["Service"],
  content: Stream.Stream<Uint8Array, ContentRefused | StorageError>
): Stream.Stream<Uint8Array, ContentRefused | StorageError> =>
  Stream.mapError(unpack(content), (error) =>
    error._tag === "NotGzip" ? new ContentRefused({ message: `Not gzip throughout: ${error.reason}` }) : error
  )

const utf8 = new TextDecoder("utf-8", { fatal: true })

interface DecodedLine {
  readonly line: number
  readonly text: Result.Result<string, string>
}

const decode = ({ bytes, number }: Lines.Line): DecodedLine => ({
  line: number,
  text:
    bytes === null
      ? Result.fail(`Longer than ${DistillLimits.rowBytesMax} bytes`)
      : Result.try({ try: () => utf8.decode(bytes).trim(), catch: () => "Not UTF-8" })
})

const isBlank = ({ text }: DecodedLine): boolean => Result.isSuccess(text) && text.success === ""

const readingBy = (read: (text: string) => Turns.Steps<ReadLine["content"]>) =>
  function* ({ line, text }: DecodedLine): Turns.Steps<ReadLine> {
    if (Result.isFailure(text)) return { line, text: "", content: Result.fail(text.failure) }
    return { line, text: text.success, content: yield* read(text.success) }
  }

/** How each format of lines is read. */
const readers = {
  chat_jsonl: readingBy(RowReader.reading),
  decisions_jsonl: readingBy(DecisionLine.reading)
}
export type LineFormat = keyof typeof readers

function* readingDecisions({ text }: DecodedLine): Turns.Steps<DecisionLine.DecisionLine | null> {
  if (Result.isFailure(text)) return null
  return Result.getOrElse(yield* DecisionLine.reading(text.success), () => null)
}

/** Every line that is not blank, in order and in constant memory. */
const read = (
  unpacking: Gunzip["Service"],
  content: Stream.Stream<Uint8Array, ContentRefused | StorageError>,
  options: { readonly gzip: boolean }
): Stream.Stream<DecodedLine, ContentRefused | StorageError> =>
  atMost(
    options.gzip ? gunzip(unpacking, content) : content,
    DistillLimits.contentBytesMax,
    () =>
      new ContentRefused({ message: `The content is more than ${DistillLimits.contentBytesMax} bytes when unpacked` })
  ).pipe(
    Stream.mapAccum(Lines.start, (state, chunk) => Lines.push(state, chunk, DistillLimits.rowBytesMax), {
      onHalt: Lines.end
    }),
    // Once per piece: an operator per line would cost more than reading it.
    Stream.mapArrayEffect((lines) =>
      lines[lines.length - 1]!.number > DistillLimits.uploadLinesMax
        ? Effect.fail(new ContentRefused({ message: `The content is more than ${DistillLimits.uploadLinesMax} lines` }))
        : Effect.succeed(lines)
    ),
    Stream.map(decode),
    Stream.filter((line) => !isBlank(line))
  )

/** How contents are read: the blobs, and gzip. */
interface Contents {
  readonly blobs: Blobs["Service"]
  readonly gunzip: Gunzip["Service"]
}

/** As they were sent. */
export const bytes = (
  blobs: Blobs["Service"],
  partition: Partition,
  { sha256 }: BlobRef
): Stream.Stream<Uint8Array, ContentRefused | StorageError> =>
  Stream.unwrap(
    Effect.map(
      blobs.exists(partition, sha256),
      (exists): Stream.Stream<Uint8Array, ContentRefused | StorageError> =>
        exists
          ? blobs.get(partition, sha256)
          : Stream.fail(new ContentRefused({ message: "The content is no longer there" }))
    )
  )

/** Of an upload whose content is here. */
const decodedLines = (
  { blobs, gunzip: unpacking }: Contents,
  partition: Partition,
  upload: { readonly blob: BlobRef; readonly gzip: boolean }
): Stream.Stream<DecodedLine, ContentRefused | StorageError> =>
  read(unpacking, bytes(blobs, partition, upload.blob), upload)

/** The parsed lines of an upload with stored content. */
export const lines = (
  format: LineFormat,
  ...upload: Parameters<typeof decodedLines>
): Stream.Stream<ReadLine, ContentRefused | StorageError> =>
  Stream.mapArrayEffect(decodedLines(...upload), (lines) => Turns.forEach(lines, readers[format]))

/** The decisions of an upload of pairs; null for a line without any. */
export const decisions = (
  ...upload: Parameters<typeof decodedLines>
): Stream.Stream<DecisionLine.DecisionLine | null, ContentRefused | StorageError> =>
  Stream.mapArrayEffect(decodedLines(...upload), (lines) => Turns.forEach(lines, readingDecisions))

/** The same as text, without parsing; null for an undecodable line. */
export const texts = (
  ...upload: Parameters<typeof decodedLines>
): Stream.Stream<string | null, ContentRefused | StorageError> =>
  Stream.map(decodedLines(...upload), ({ text }) => Result.getOrElse(text, () => null))
