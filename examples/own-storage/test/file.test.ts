/** Cases beyond the suites: other processes with the file open, and a full disk. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Queue } from "@limbeck/core/queue/Queue"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Storage } from "@limbeck/core/storage/Storage"
import { freshFolder, temporaryFolder } from "@limbeck/testing/Folders"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as Notes from "@limbeck/testing/fixtures/Notes"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as StorageSqlite from "../src/StorageSqlite.ts"

const fill = fileURLToPath(new URL("fixtures/fill.ts", import.meta.url))

/** Two storages on one folder, each with connections of its own: what two processes are to SQLite. */
const twoStorages = Effect.gen(function* () {
  const directory = yield* freshFolder
  const open = Effect.map(Layer.build(StorageSqlite.layer({ directory })), (ports) => ({
    storage: Context.get(ports, Storage),
    resources: Context.get(ports, ResourceStore),
    queue: Context.get(ports, Queue)
  }))
  return [yield* open, yield* open] as const
})

describe("a file of SQLite", () => {
  it.live("processes that share it take turns: no transaction is lost, and no work is done twice (P387)", () =>
    Effect.gen(function* () {
      const storages = yield* twoStorages
      const partition = Fresh.partition()
      const note = Notes.note({ content: 0 })
      yield* storages[0].resources.insert(partition, Notes.kind, note)
      const subjects = Array.from({ length: 40 }, (_, index) => `s${index}`)
      for (const subject of subjects) yield* storages[0].queue.offer(partition, "topic", subject, Fresh.start)
      const claimed: Array<string> = []

      const work = Effect.fnUntraced(function* ({ queue, resources, storage }: (typeof storages)[number]) {
        const increment = Effect.gen(function* () {
          const { revision, value } = Option.getOrThrow(yield* resources.find(partition, Notes.kind, note.id))
          yield* Effect.sleep("1 millis")
          const content = Number(value.content) + 1
          yield* resources.compareAndSet(partition, Notes.kind, { value: { ...value, content }, revision })
        })
        for (let round = 0; round < 10; round++) {
          yield* storage.transaction(increment)
          const options = { topic: "topic", now: Fresh.start, limit: 2, leaseUntil: Fresh.start + 1 }
          claimed.push(...(yield* queue.claim(options)).map(({ subject }) => subject))
        }
      })
      yield* Effect.forEach([...storages, ...storages], work, { concurrency: "unbounded" })

      const stored = Option.getOrThrow(yield* storages[1].resources.find(partition, Notes.kind, note.id))
      assert.deepStrictEqual([stored.value.content, stored.revision], [40, 40])
      assert.deepStrictEqual(claimed.toSorted(), subjects.toSorted())
    }).pipe(Effect.scoped)
  )

  it("says that it takes no writes while the disk is full", async ({ onTestFinished }) => {
    const directory = await temporaryFolder(onTestFinished)
    // No file may grow beyond 4 MB: a full disk for SQLite.
    const command = 'ulimit -f 8000; exec "$0" --conditions=@limbeck/source "$1" "$2"'
    const { stdout } = await promisify(execFile)("sh", ["-c", command, process.execPath, fill, directory])
    assert.deepStrictEqual(JSON.parse(stdout), {
      before: "ok",
      operation: "Blobs.write",
      full: "read_only",
      later: "ok"
    })
  })
})
