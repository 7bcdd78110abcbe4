/** A student's artifact as local files for its server. */
import * as fs from "node:fs/promises"
import path from "node:path"
import { Blobs } from "@limbeck/core/blobs/Blobs"
import type { Partition } from "@limbeck/core/partition/Partition"
import { StageFailure } from "@limbeck/distill/run/Executor"
import type { ArtifactFormat } from "@limbeck/distill/student/Artifact"
import { ModelServerFailed, type Servable } from "@limbeck/distill/student/ModelServers"
import { Gunzip } from "@limbeck/distill/upload/Gunzip"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Artifacts from "../../process/internal/Artifacts.ts"

/** An archive of a single folder stands for that folder. */
const rootOf = async (artifact: string): Promise<string> => {
  const isFolder = (await fs.stat(artifact)).isDirectory()
  const [entry, ...others] = isFolder ? await fs.readdir(artifact, { withFileTypes: true }) : []
  return entry?.isDirectory() === true && others.length === 0 ? rootOf(path.join(artifact, entry.name)) : artifact
}

const failed = (message: string) => new ModelServerFailed({ message })

/** The unpacking format of other tools' archives. */
const unpackedAs = { file: "file", tar: "tar", "tar.gz": "tar" } as const satisfies Record<
  ArtifactFormat,
  Artifacts.Artifact["format"]
>

const isKnown = (format: string): format is ArtifactFormat => Object.hasOwn(unpackedAs, format)

const unavailable = new StageFailure({ code: "storage", message: "the storage did not answer", retryable: true })
const damage = new StageFailure({ code: "artifact", message: "its bytes are no whole archive", retryable: false })

/** The file or folder of the artifact below `folder`; fetched once. */
export const make = Effect.gen(function* () {
  const blobs = yield* Blobs
  const gunzip = yield* Gunzip

  const contentOf = (partition: Partition, format: ArtifactFormat) => (sha256: string) => {
    const bytes = Stream.mapError(blobs.get(partition, sha256), () => unavailable)
    if (format !== "tar.gz") return bytes
    return Stream.mapError(gunzip.unpack(bytes), (error) => (error._tag === "NotGzip" ? damage : error))
  }

  return Effect.fnUntraced(function* (partition: Partition, { artifact }: Servable, folder: string) {
    const { bytes, format, sha256 } = artifact
    if (!isKnown(format)) return yield* failed(`its artifact is a ${format}, which no command can serve`)
    const known = { sha256, bytes, format: unpackedAs[format] }
    const get = contentOf(partition, format)
    // Another draft for each process that may fetch at the same time.
    const draft = `.${process.pid}.new`
    const fetched = yield* Effect.mapError(Artifacts.fetch({ blobs: { get } }, known, folder, draft), ({ message }) =>
      failed(`its artifact cannot be read: ${message}`)
    )
    return yield* Effect.promise(() => rootOf(fetched))
  })
})
