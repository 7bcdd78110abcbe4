/** Students in memory: loads, their number, and evictions. */
import { assert, it } from "@effect/vitest"
import { Blobs } from "@limbeck/core/blobs/Blobs"
import * as Partition from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { StudentEngine } from "@limbeck/distill/student/StudentEngine"
import * as StudentModel from "@limbeck/distill/student/StudentModel"
import * as StudentShelf from "@limbeck/serving/student/StudentShelf"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

const partition = Partition.make("ws_00000000000000000000000001", true)
const idOf = <Prefix extends string>(prefix: Prefix, number: number) =>
  `${prefix}_${String(number).padStart(26, "0")}` as const

/** Answers with its own bytes; `read` counts loads. */
const engineOf = (read: Array<string>) =>
  Layer.succeed(StudentEngine, {
    load: (format, bytes) => {
      const text = new TextDecoder().decode(bytes)
      read.push(text)
      return format === "odd" ? Result.fail("it is odd") : Result.succeed({ predict: () => ({ text, confidence: 1 }) })
    }
  })

const world = (read: Array<string>) => Layer.merge(StorageMemory.layer, engineOf(read))

const publish = Effect.fnUntraced(function* (number: number, content: string, artifact: object | null = {}) {
  const bytes = new TextEncoder().encode(content)
  const ref = yield* (yield* Blobs).put(partition, Stream.succeed(bytes))
  const student: StudentModel.StudentModel = {
    origin: "run",
    id: idOf("stu", number),
    name: null,
    base: "builtin/text-classifier",
    run: idOf("run", number),
    report: idOf("rpt", number),
    datasetVersion: idOf("dsv", number),
    executor: "builtin",
    endpoint: null,
    artifact: artifact === null ? null : { ...ref, format: "text", ...artifact },
    accuracy: null,
    holdout: null,
    agreementAt: [],
    createdAt: 0
  }
  yield* (yield* ResourceStore).insert(partition, StudentModel.kind, student)
  return student.id
})

const said = (shelf: Effect.Success<ReturnType<typeof StudentShelf.make>>, id: string) =>
  Effect.flatMap(shelf.load(partition, id), ({ predict }) => predict([{ role: "user", content: "12345678" }]))

/** These students need no embeddings. */
const unasked = () => Effect.die("nobody embeds")

it.effect("is read once, however many ask at once and however often", () => {
  const read: Array<string> = []
  return Effect.gen(function* () {
    const id = yield* publish(1, "one")
    const shelf = yield* StudentShelf.make(100, unasked)
    const all = yield* Effect.all(
      Array.from({ length: 20 }, () => said(shelf, id)),
      { concurrency: "unbounded" }
    )
    for (const answer of [...all, yield* said(shelf, id)]) {
      assert.deepStrictEqual(answer, {
        text: "one",
        confidence: 1,
        isNew: false,
        isUnknownTemplate: false,
        distribution: [],
        inputTokens: 2,
        outputTokens: 1
      })
    }
    assert.deepStrictEqual(read, ["one"])
  }).pipe(Effect.provide(world(read)))
})

it.effect("the one that nobody has asked for longest makes room", () => {
  const read: Array<string> = []
  return Effect.gen(function* () {
    const ids = yield* Effect.forEach(["aaaa", "bbbb", "cccc"], (content, index) => publish(index, content))
    const [a = "", b = "", c = ""] = ids
    const shelf = yield* StudentShelf.make(8, unasked)
    for (const id of [a, b, a, c, a, b, c]) yield* said(shelf, id)
    assert.deepStrictEqual(read, ["aaaa", "bbbb", "cccc", "bbbb", "cccc"])
    const large = yield* publish(4, "larger than all the room there is")
    for (const id of [large, large]) yield* said(shelf, id)
    assert.lengthOf(read, 6)
  }).pipe(Effect.provide(world(read)))
})

it.effect("says why one cannot be had, and tries again", () => {
  const read: Array<string> = []
  return Effect.gen(function* () {
    const shelf = yield* StudentShelf.make(100, unasked)
    const unreadable = [
      idOf("stu", 9),
      yield* publish(1, "none", null),
      yield* publish(2, "gone", { sha256: "ab".repeat(32) }),
      yield* publish(3, "odd", { format: "odd" })
    ]
    for (const id of [...unreadable, ...unreadable]) {
      assert.strictEqual((yield* Effect.flip(shelf.load(partition, id)))._tag, "StudentUnreadable")
    }
    assert.deepStrictEqual(read, ["odd", "odd"])
    const elsewhere = Partition.make(partition.workspace, false)
    const mine = yield* publish(5, "mine")
    yield* said(shelf, mine)
    assert.strictEqual((yield* Effect.flip(shelf.load(elsewhere, mine)))._tag, "StudentUnreadable")
  }).pipe(Effect.provide(world(read)))
})
