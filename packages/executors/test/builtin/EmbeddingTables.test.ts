import * as fs from "node:fs/promises"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Row } from "@limbeck/distill/dataset/Row"
import { StudentEngine } from "@limbeck/distill/student/StudentEngine"
import * as BuiltinEngine from "@limbeck/executors/builtin/BuiltinEngine"
import * as BuiltinExecutor from "@limbeck/executors/builtin/BuiltinExecutor"
import * as EmbeddingTables from "@limbeck/executors/builtin/EmbeddingTables"
import * as Crypto from "@limbeck/node/Crypto"
import { freshFolder } from "@limbeck/testing/Folders"
import * as Plans from "@limbeck/testing/fixtures/Plans"
import * as StageContexts from "@limbeck/testing/fixtures/StageContexts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { TableUnreadable } from "../../src/builtin/tables/Tables.ts"
import { safetensors, writeEmbeddings } from "./StaticEmbeddings.ts"

const topics = ["north", "south"] as const

/** Words of a topic share no piece, so that only the table knows what they have in common. */
const wordOf = (topic: number, n: number): string =>
  ((topic * 500 + n) * 7919 + 104_729).toString(36).split("").reverse().join("q")

/** Two dimensions, one for each topic, and a little of the other. */
const vectors = Object.fromEntries(
  topics.flatMap((_, topic) =>
    Array.from({ length: 300 }, (_, n) => [wordOf(topic, n), topic === 0 ? [1, 0.1] : [0.1, 1]] as const)
  )
)

const rowsOf = (count: number, from: number): ReadonlyArray<Row> =>
  Array.from({ length: count }, (_, row) => {
    const words = [0, 1, 2].map((nth) => wordOf(row % 2, (from + row * 3 + nth) % 300))
    return { messages: [{ role: "user", content: words.join(" ") }], completion: topics[row % 2]! }
  })

const version = Plans.version({ rows: 40, trainRows: 40, holdoutRows: 0 })
const recipeAsSent = { student_model: Plans.builtin, stages: [{ kind: "sft", config: { epochs: 10 } }], rewards: [] }
const run = Plans.newRun(version, { recipeAsSent, dryRun: false }, { executor: BuiltinExecutor.builtinName })
const stage = run.stages.find(({ kind }) => kind === "sft")!

/** The bytes of the student, and its format; or the failure. */
const train = Effect.fnUntraced(function* (tables: ReturnType<typeof EmbeddingTables.make>) {
  const kept = StageContexts.memory()
  const rows = { train: rowsOf(40, 0).map((row, at) => ({ key: `${at}`, row })), holdout: [] }
  const { context } = yield* StageContexts.make({ run, stage, version, rows }, kept)
  const said = yield* Effect.result(Stream.runCollect(BuiltinExecutor.make({ tables }).execute(context)))
  return Result.map(said, (all) => {
    const last = all.at(-1)
    if (last?._tag !== "Finished") throw new Error("no result")
    // The executor's own result.
    const { artifact } = last.result as { readonly artifact: { readonly sha256: string; readonly format: string } }
    return { bytes: kept.get(artifact.sha256)!, format: artifact.format }
  })
}, Effect.provide(Crypto.layer))

const loading = (tables: ReturnType<typeof EmbeddingTables.make>, format: string, bytes: Uint8Array) =>
  Effect.map(StudentEngine, (engine) => engine.load(format, bytes)).pipe(
    Effect.provide(BuiltinEngine.layerWith(tables))
  )

describe("static embeddings", () => {
  it.live("let a student answer for words that its rows lack, from a shared table (P1584)", () =>
    Effect.gen(function* () {
      const folder = yield* freshFolder
      yield* Effect.promise(() => writeEmbeddings(path.join(folder, "tiny"), vectors))
      const { bytes, format } = Result.getOrThrow(yield* train(EmbeddingTables.make(folder, "tiny")))
      assert.strictEqual(format, "limbeck-text-classifier/5")
      // Words that no row has.
      const fresh = rowsOf(60, 150)
      const tables = EmbeddingTables.make(folder)
      const student = Result.getOrThrow(yield* loading(tables, format, bytes))
      const right = fresh.filter(({ completion, messages }) => student.predict(messages).text === completion).length
      assert.isAtLeast(right, 57)
      const without = Result.getOrThrow(yield* train(EmbeddingTables.make(folder)))
      const plain = Result.getOrThrow(yield* loading(tables, without.format, without.bytes))
      const known = fresh.filter(({ completion, messages }) => plain.predict(messages).text === completion).length
      assert.isBelow(known, 50)
      // The file holds no table: another server without the folder, or with other files, refuses it.
      const absent = yield* loading(EmbeddingTables.make(path.join(folder, "none")), format, bytes)
      assert.match(Result.getOrThrow(Result.flip(absent)), /tiny cannot be read: model.safetensors is missing/)
      yield* Effect.promise(() => writeEmbeddings(path.join(folder, "tiny"), { ...vectors, another: [1, 1] }))
      const changed = yield* loading(EmbeddingTables.make(folder), format, bytes)
      assert.match(Result.getOrThrow(Result.flip(changed)), /not those that the student was trained with/)
    })
  )

  it.live("are the mean of the known pieces of a text, of length 1 (P1584)", () =>
    Effect.gen(function* () {
      const folder = yield* freshFolder
      yield* Effect.promise(() =>
        writeEmbeddings(path.join(folder, "tiny"), { play: [1, 0], "##ing": [0, 1], chess: [3, -1] })
      )
      const chosen = EmbeddingTables.make(folder, "tiny").trainingTable()
      if (chosen === null || chosen instanceof TableUnreadable) throw new Error("no table")
      const into = new Float32Array(2)
      chosen.table.pool("Playing Chess, unknown", into)
      assert.deepStrictEqual([...into], [1, 0])
      chosen.table.pool("playing", into)
      assert.deepStrictEqual([...into], [...Float32Array.of(Math.SQRT1_2, Math.SQRT1_2)])
      chosen.table.pool("nothing known", into)
      assert.deepStrictEqual([...into], [0, 0])
    })
  )

  it.live("by a Unigram tokenizer too (P1584)", () =>
    Effect.gen(function* () {
      const folder = yield* freshFolder
      const place = path.join(folder, "tiny")
      yield* Effect.promise(() => writeEmbeddings(place, { hello: [1, 0], wor: [0, 2], ld: [0, 2] }))
      const vocab = [
        ["<unk>", 0],
        ["▁hello", -1],
        ["▁wor", -2],
        ["ld", -2]
      ]
      const metaspace = { type: "Metaspace", replacement: "▁", prepend_scheme: "always", split: true }
      const tokenizer = {
        version: "1.0",
        added_tokens: [],
        normalizer: null,
        pre_tokenizer: metaspace,
        post_processor: null,
        decoder: metaspace,
        model: { type: "Unigram", unk_id: 0, vocab }
      }
      yield* Effect.promise(() => fs.writeFile(path.join(place, "tokenizer.json"), JSON.stringify(tokenizer)))
      const chosen = EmbeddingTables.make(folder, "tiny").trainingTable()
      if (chosen === null || chosen instanceof TableUnreadable) throw new Error("no table")
      const into = new Float32Array(2)
      chosen.table.pool("world", into)
      assert.deepStrictEqual([...into], [0, 1])
      chosen.table.pool("hello", into)
      assert.deepStrictEqual([...into], [1, 0])
    })
  )

  it.live("that are missing, cut, too large or of another form end a training with the reason (P1585)", () =>
    Effect.gen(function* () {
      const folder = yield* freshFolder
      const place = path.join(folder, "tiny")
      const file = path.join(place, "model.safetensors")
      const reasonOf = Effect.gen(function* () {
        const failure = Result.getOrThrow(Result.flip(yield* train(EmbeddingTables.make(folder, "tiny"))))
        assert.deepStrictEqual([failure.code, failure.retryable], ["embeddings_unreadable", false])
        return failure.message
      })
      const whole = safetensors([
        [1, 2],
        [3, 4]
      ])
      const writing = (bytes: Uint8Array) => Effect.promise(() => fs.writeFile(file, bytes))
      assert.match(yield* reasonOf, /model.safetensors is missing/)
      yield* Effect.promise(() => writeEmbeddings(place, vectors))
      for (const length of [4, 20, whole.length - 1]) {
        yield* writing(whole.subarray(0, length))
        assert.match(yield* reasonOf, /cut short/)
      }
      yield* writing(safetensors([[1, 2]], "embeddings", "F16"))
      assert.match(yield* reasonOf, /its numbers are F16, and only F32 is read/)
      yield* writing(safetensors([[1, 2]], "other"))
      assert.match(yield* reasonOf, /no table `embeddings`/)
      yield* writing(safetensors([Array.from({ length: 1_025 }, () => 1)]))
      assert.match(yield* reasonOf, /1025 dimensions, and at most 1024 are read/)
      // A sparse file, which takes no space.
      yield* Effect.promise(() => fs.truncate(file, 512 * 1024 ** 2 + 1))
      assert.match(yield* reasonOf, /has 536870913 bytes, and at most 536870912 are read/)
      yield* writing(whole)
      yield* Effect.promise(() => fs.writeFile(path.join(place, "tokenizer.json"), "{"))
      assert.match(yield* reasonOf, /tokenizer.json is no JSON/)
      const outside = EmbeddingTables.make(folder, "../tiny").trainingTable()
      assert.instanceOf(outside, TableUnreadable)
    })
  )
})
