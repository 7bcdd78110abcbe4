/**
 * Moves artifacts of a stage between the work folder and the blobs: a file unchanged, a folder as a tar of its files,
 * sorted by name, without owners and times, so that equal files have equal digests.
 */
import * as fs from "node:fs"
import path from "node:path"
import { type StageContext, StageFailure } from "@limbeck/distill/run/Executor"
import * as Effect from "effect/Effect"
import * as Tar from "effect/encoding/Tar"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { exists, io, unusable } from "./Files.ts"
import { privateFile, privateFolder } from "./PrivateModes.ts"

export const Artifact = Schema.Struct({
  sha256: Schema.String,
  bytes: Schema.Int,
  format: Schema.Literals(["file", "tar"])
})
export type Artifact = typeof Artifact.Type

const wrong = (message: string) => new StageFailure({ code: "artifact_unreadable", message, retryable: false })

const bytesOf = (file: string): Stream.Stream<Uint8Array, StageFailure> =>
  Stream.suspend(() => Stream.fromAsyncIterable(fs.createReadStream(file), unusable))

/** Everything below a folder, as paths with slashes, in one order everywhere. */
const filesIn = async (folder: string): Promise<ReadonlyArray<string>> => {
  const found = await fs.promises.readdir(folder, { recursive: true, withFileTypes: true })
  const link = found.find((entry) => !entry.isFile() && !entry.isDirectory())
  if (link !== undefined) throw wrong(`The artifact holds ${link.name}, which is neither a file nor a folder`)
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"))
    .sort()
}

const orWrong = <A>(call: () => Promise<A>): Effect.Effect<A, StageFailure> =>
  Effect.tryPromise({ try: call, catch: (error) => (error instanceof StageFailure ? error : unusable(error)) })

const tarOf = (folder: string): Stream.Stream<Uint8Array, StageFailure> =>
  Stream.fromIterableEffect(orWrong(() => filesIn(folder))).pipe(
    Stream.mapEffect((name) => {
      const file = path.join(folder, name)
      return Effect.map(
        io(() => fs.promises.stat(file)),
        ({ size }) => Tar.fileStream(name, size, bytesOf(file))
      )
    }),
    Stream.pipeThroughChannel(Tar.encode<StageFailure, unknown, Tar.Entry<StageFailure>>()),
    Stream.mapError((error) =>
      error._tag === "TarError" ? wrong(`The artifact cannot be packed: ${error.message}`) : error
    )
  )

/** Resolves the trainer's path from its work folder. Rejects paths outside of the run's folder. */
const locate = async (named: string, workdir: string, runFolder: string): Promise<string> => {
  const real = await fs.promises.realpath(path.resolve(workdir, named)).catch(() => null)
  if (real === null) throw wrong("The artifact that the trainer named is not there")
  const inside = `${await fs.promises.realpath(runFolder)}${path.sep}`
  if (!real.startsWith(inside)) throw wrong("The artifact that the trainer named lies outside of the run's folder")
  return real
}

export const put = Effect.fnUntraced(function* (
  { blobs }: StageContext,
  named: string,
  { runFolder, workdir }: { readonly runFolder: string; readonly workdir: string }
) {
  const found = yield* orWrong(() => locate(named, workdir, runFolder))
  const isFolder = (yield* io(() => fs.promises.stat(found))).isDirectory()
  const { bytes, sha256 } = yield* blobs.put(isFolder ? tarOf(found) : bytesOf(found))
  const artifact: Artifact = { sha256, bytes, format: isFolder ? "tar" : "file" }
  return artifact
})

const writeFile = (file: string, content: Stream.Stream<Uint8Array, StageFailure | Tar.TarError>) =>
  Effect.gen(function* () {
    yield* io(() => fs.promises.mkdir(path.dirname(file), { recursive: true, mode: privateFolder }))
    const handle = yield* Effect.acquireRelease(
      io(() => fs.promises.open(file, "w", privateFile)),
      (handle) => Effect.promise(() => handle.close())
    )
    yield* Stream.runForEach(content, (chunk) => io(() => handle.writeFile(chunk)))
  }).pipe(Effect.scoped)

const unpack = (content: Stream.Stream<Uint8Array, StageFailure>, folder: string) =>
  content.pipe(
    Stream.pipeThroughChannel(Tar.decode<StageFailure>()),
    Stream.runForEach(({ body, header }) => {
      const file = path.resolve(folder, header.path)
      if (file !== folder && !file.startsWith(`${folder}${path.sep}`)) {
        return Effect.fail(wrong("The artifact has a path that leads out of it"))
      }
      // Archives of other tools list folders too. Writing a file creates its folders.
      if (header.type === "Directory") return Effect.void
      return header.type === "File"
        ? writeFile(file, body)
        : Effect.fail(wrong(`The artifact holds ${header.path}, which is neither a file nor a folder`))
    })
  )

const clear = (file: string) => io(() => fs.promises.rm(file, { recursive: true, force: true }))

/** If several processes fetch an artifact into the same folder, the first rename wins. */
const moveDraft = async (draft: string, target: string): Promise<void> => {
  try {
    await fs.promises.rename(draft, target)
  } catch (error) {
    if (!(await exists(target))) throw error
    await fs.promises.rm(draft, { recursive: true, force: true })
  }
}

/**
 * Fetches the artifact's file or folder, once per folder. `suffix` names the draft, and differs between concurrent
 * processes.
 */
export const fetch = Effect.fnUntraced(function* (
  { blobs }: { readonly blobs: Pick<StageContext["blobs"], "get"> },
  { format, sha256 }: Artifact,
  folder: string,
  suffix = ".new"
) {
  const target = path.join(folder, sha256)
  if (yield* io(() => exists(target))) return target
  const draft = `${target}${suffix}`
  yield* clear(draft)
  if (format === "tar") yield* io(() => fs.promises.mkdir(draft, { recursive: true, mode: privateFolder }))
  yield* (format === "tar" ? unpack(blobs.get(sha256), draft) : writeFile(draft, blobs.get(sha256))).pipe(
    Effect.mapError((error) => (error._tag === "TarError" ? wrong("The artifact cannot be unpacked") : error))
  )
  yield* io(() => moveDraft(draft, target))
  return target
})
