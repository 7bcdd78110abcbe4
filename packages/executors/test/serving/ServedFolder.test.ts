import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import * as fs from "node:fs/promises"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Partition from "@limbeck/core/partition/Partition"
import { freshFolder } from "@limbeck/testing/Folders"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Notes from "../../src/serving/internal/Notes.ts"
import * as ServedFolder from "../../src/serving/internal/ServedFolder.ts"

const partition = Partition.make("ws_00000000000000000000000001", true)
const artifact = "a".repeat(64)

const sweep = (folder: string, isWanted = false) => ServedFolder.sweep(folder, () => Effect.succeed(isWanted))

/** As a process leaves it that uses a student, and writes a draft beside its artifact. */
const begun = Effect.fnUntraced(function* (folder: string, student = "stu_1") {
  const place = yield* ServedFolder.useFolder(folder, partition, student)
  yield* Effect.promise(async () => {
    await fs.mkdir(path.join(place, artifact))
    await fs.writeFile(path.join(place, artifact, "model"), "weights")
    await fs.writeFile(path.join(place, `${artifact}.77.new`), "half")
  })
  return place
})

/** The note of a killed process. */
const killed = (folder: string) =>
  Effect.promise(async () => {
    const { pid } = spawnSync("true")
    await fs.mkdir(folder, { recursive: true })
    await fs.writeFile(path.join(folder, "note"), JSON.stringify({ pid, identity: "boot 1" }))
  })

describe("the files of served students", () => {
  it.live("stay while they are used, and go when they are neither used nor wanted (P379)", () =>
    Effect.gen(function* () {
      const folder = yield* freshFolder
      const place = yield* Effect.scoped(
        Effect.gen(function* () {
          const place = yield* begun(folder)
          yield* sweep(folder)
          assert.isTrue(existsSync(path.join(place, artifact, "model")))
          return place
        })
      )
      yield* sweep(folder, true)
      assert.isTrue(existsSync(path.join(place, artifact, "model")))
      assert.isFalse(existsSync(path.join(place, `${artifact}.77.new`)))
      yield* sweep(folder)
      assert.isFalse(existsSync(place))
    })
  )

  it.live("go too where their servers were killed, at any point of using or removing them (P379)", () =>
    Effect.gen(function* () {
      const folder = yield* freshFolder
      const place = yield* Effect.scoped(begun(folder))
      yield* killed(path.join(place, "users"))
      yield* killed(path.join(place, "removers"))
      yield* Effect.promise(() => fs.rename(path.join(place, artifact), path.join(place, `${artifact}.gone`)))
      // As earlier versions kept them.
      yield* Effect.promise(() => fs.mkdir(path.join(folder, artifact)))
      // A dead process's note does not delay the next server.
      yield* Effect.scoped(begun(folder))
      yield* killed(path.join(folder, "stu_2", "users"))
      yield* sweep(folder)
      assert.deepStrictEqual(yield* Effect.promise(() => fs.readdir(folder)), [])
    })
  )

  it.live("are not used while somebody removes them (P379)", () =>
    Effect.gen(function* () {
      const folder = yield* freshFolder
      const removers = path.join(folder, "stu_1", "removers")
      const note = yield* Effect.promise(() => Notes.write(removers))
      const isIn = yield* Deferred.make<void>()
      const using = yield* Effect.forkChild(
        Effect.scoped(
          Effect.andThen(ServedFolder.useFolder(folder, partition, "stu_1"), Deferred.succeed(isIn, undefined))
        )
      )
      while (!existsSync(path.join(folder, "stu_1", "users"))) yield* Effect.sleep(5)
      assert.isFalse(Deferred.isDoneUnsafe(isIn))
      yield* Effect.promise(() => fs.rm(note))
      yield* Fiber.join(using)
      assert.isTrue(Deferred.isDoneUnsafe(isIn))
    })
  )
})
