/**
 * The files of served students, and their removal. Several servers of one machine may share the folder.
 *
 *     <folder>/<student>.log
 *              <student>/about.json  its partition
 *                        <digest>    its artifact
 *                        users/      a note of each server that serves it
 *                        removers/   a note of each server that looks whether its files may go
 *
 * A user of a student writes a note, and then waits for removers. A remover writes a note, and then looks for users. So at
 * least one sees the other, and no file in use is removed. A kill at any point leaves a void note, and an artifact that is
 * whole or gone: removal renames it first.
 */
import * as fs from "node:fs/promises"
import path from "node:path"
import type { StorageError } from "@limbeck/core/errors/Errors"
import * as Partition from "@limbeck/core/partition/Partition"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { format } from "effect/Formatter"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { exists, readText, writeJson } from "../../process/internal/Files.ts"
import { ServingProcessLimits as Limits } from "./Limits.ts"
import * as Notes from "./Notes.ts"

const About = Schema.Struct({ partition: Schema.String })
const decodeAbout = Schema.decodeUnknownOption(Schema.fromJsonString(About))

const placeOf = (folder: string, student: string) => {
  const root = path.join(folder, student)
  return {
    root,
    about: path.join(root, "about.json"),
    users: path.join(root, "users"),
    removers: path.join(root, "removers")
  }
}
type Place = ReturnType<typeof placeOf>

const noted = (folder: string) =>
  Effect.acquireRelease(
    Effect.promise(() => Notes.write(folder)),
    (file) => Effect.promise(() => fs.rm(file, { force: true }))
  )

/** The folder of a student, which stays until the scope closes. */
export const useFolder = Effect.fnUntraced(function* (folder: string, partition: Partition.Partition, student: string) {
  const place = placeOf(folder, student)
  yield* noted(place.users)
  while (yield* Effect.promise(() => Notes.areLeft(place.removers))) yield* Effect.sleep(Limits.startPollMillis)
  yield* Effect.promise(() => writeJson(place.about, { partition: partition.key }))
  return place.root
})

const goneSuffix = ".gone"

/** `isWanted`: removes only leftovers of unfinished fetches. */
const clean = async ({ about, root, users }: Place, isWanted: boolean): Promise<void> => {
  if (await Notes.areLeft(users)) return
  const kept = [about, users, path.join(root, "removers")].map((file) => path.basename(file))
  for (const name of await fs.readdir(root)) {
    if (kept.includes(name) || (isWanted && !/\.(?:new|gone)$/.test(name))) continue
    const file = path.join(root, name)
    const gone = name.endsWith(goneSuffix) ? file : file + goneSuffix
    // Somebody may have been killed here, and the artifact fetched again.
    await fs.rm(gone, { recursive: true, force: true })
    if (gone === file) continue
    await fs.rename(file, gone)
    await fs.rm(gone, { recursive: true, force: true })
  }
  await Notes.clear(users)
  if (!isWanted) await fs.rm(about, { force: true })
}

/** Whether the files of a student are wanted, though no process uses them at the moment. */
type IsWanted = (partition: Partition.Partition, student: string) => Effect.Effect<boolean, StorageError>

const sweepOne = Effect.fnUntraced(function* (folder: string, student: string, isWanted: IsWanted) {
  const place = placeOf(folder, student)
  const about = decodeAbout(yield* Effect.promise(() => readText(place.about)))
  const wanted = Option.isSome(about) && (yield* isWanted(Partition.fromKey(about.value.partition), student))
  yield* Effect.scoped(
    Effect.andThen(
      noted(place.removers),
      Effect.promise(() => clean(place, wanted))
    )
  )
  yield* Effect.promise(async () => {
    await Notes.clear(place.removers)
    // The folder stays if a newcomer has a note inside.
    await fs.rmdir(place.root).catch(() => {})
  })
})

/** Keeps a removed student's log for a while. */
const removeOldLogs = async (folder: string, names: ReadonlyArray<string>, now: number): Promise<void> => {
  for (const name of names.filter((one) => one.endsWith(".log"))) {
    if (await exists(path.join(folder, path.basename(name, ".log")))) continue
    const { mtimeMs } = await fs.stat(path.join(folder, name))
    if (mtimeMs < now - Limits.logKeptMillis) await fs.rm(path.join(folder, name), { force: true })
  }
}

const student = /^stu_\w+$/

/** As earlier versions named artifacts. */
const digest = /^[0-9a-f]{64}/

/** Removes unwanted, unused students, and leftovers of killed processes. */
export const sweep = Effect.fnUntraced(function* (folder: string, isWanted: IsWanted) {
  const names = yield* Effect.promise(() => fs.readdir(folder).catch((): ReadonlyArray<string> => []))
  for (const name of names) {
    if (digest.test(name)) {
      yield* Effect.promise(() => fs.rm(path.join(folder, name), { recursive: true, force: true }))
    } else if (student.test(name)) {
      yield* Effect.catchDefect(sweepOne(folder, name, isWanted), (defect) =>
        Effect.annotateLogs(Effect.logWarning("served_files_kept", format(defect)), { student: name })
      )
    }
  }
  const now = yield* Clock.currentTimeMillis
  yield* Effect.promise(() => removeOldLogs(folder, names, now))
})
