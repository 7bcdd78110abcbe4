/**
 * The formats of an external student: one GGUF file, or a tar of files, optionally gzipped. The whole archive is read
 * before use: links, paths out of its folder, and excessive sizes are refused.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import * as Effect from "effect/Effect"
import * as Tar from "effect/encoding/Tar"
import * as Stream from "effect/Stream"
import { DistillLimits } from "../../Limits.ts"
import type { ArtifactFormat } from "../../student/Artifact.ts"
import type { Gunzip } from "../Gunzip.ts"
import type { Findings } from "../UploadMachine.ts"
import * as ArchiveRules from "./ArchiveRules.ts"
import { atMost, ContentRefused, gunzip } from "./UploadContent.ts"

const refused = (message: string) => new ContentRefused({ message })

const tooLarge = () => refused(`The archive is more than ${DistillLimits.studentBytesMax} bytes when unpacked`)

type Content = Stream.Stream<Uint8Array, ContentRefused | StorageError>

/** The first bytes, which identify many formats. */
const magicOf = (content: Content) =>
  content.pipe(
    Stream.flatMap((chunk) => Stream.fromIterable(chunk.subarray(0, ArchiveRules.gguf.length))),
    Stream.take(ArchiveRules.gguf.length),
    Stream.runCollect,
    Effect.map((bytes) => String.fromCharCode(...bytes))
  )

const readTar = (content: Content) => {
  const archive = ArchiveRules.begin()
  return content.pipe(
    Stream.pipeThroughChannel(Tar.decode<ContentRefused | StorageError>()),
    // Skips bodies; the decoder fails on a truncated one.
    Stream.runForEach(({ header }) => {
      const fault = archive.add(header)
      return fault === null ? Effect.void : Effect.fail(refused(fault))
    }),
    Effect.catchTag("TarError", ({ message }) =>
      Effect.fail(refused(`It is neither a GGUF file nor a whole tar, gzipped or not: ${message}`))
    ),
    Effect.andThen(
      Effect.suspend(() => (archive.files() === 0 ? Effect.fail(refused("The archive holds no file")) : Effect.void))
    )
  )
}

const formatOf = Effect.fnUntraced(function* (unpacking: Gunzip["Service"], content: Content, gzip: boolean) {
  if (!gzip && (yield* magicOf(content)) === ArchiveRules.gguf) return "file" as const
  yield* readTar(gzip ? atMost(gunzip(unpacking, content), DistillLimits.studentBytesMax, tooLarge) : content)
  return gzip ? ("tar.gz" as const) : ("tar" as const)
})

const succeeded = (artifact: ArtifactFormat): Findings => ({ rows: null, artifact, errors: [], errorCount: 0 })

const failed = (message: string): Findings => ({ rows: null, errors: [{ line: 0, message }], errorCount: 1 })

/** Reads all of the content of an upload. */
export const survey = (
  unpacking: Gunzip["Service"],
  content: Content,
  gzip: boolean
): Effect.Effect<Findings, StorageError> =>
  formatOf(unpacking, content, gzip).pipe(
    Effect.map(succeeded),
    Effect.catchTag("ContentRefused", ({ message }) => Effect.succeed(failed(message)))
  )
