import * as fs from "node:fs/promises"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Partition from "@limbeck/core/partition/Partition"
import type { Row } from "@limbeck/distill/dataset/Row"
import { RowStore } from "@limbeck/distill/dataset/RowStore"
import { StudentTokens } from "@limbeck/distill/recipe/StudentTokens"
import { freshFolder } from "@limbeck/testing/Folders"
import { chatTemplate, writeModel } from "@limbeck/testing/fixtures/Tokenizers"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as StudentTokenizers from "../../src/tokens/StudentTokenizers.ts"

const partition = Partition.make("ws_00000000000000000000000001", true)

/** Eight tokens before the answer, and three of it with its end. */
const short: Row = { messages: [{ role: "user", content: "one two three" }], completion: "four five" }

/** A template gets text parts joined, and call arguments as an object; calls add a mark and a word. */
const calling: Row = {
  messages: [{ role: "user", content: [{ type: "text", text: "one two three" }] }],
  completion: {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "1", type: "function", function: { name: "look", arguments: '{"city":"Oslo"}' } }]
  }
}

/** Counts by a folder of models, over a version of these rows; `scans`: how often they were read. */
const counted = Effect.fnUntraced(function* (folder: string, rows: ReadonlyArray<Row>, times = 1) {
  let scans = 0
  const store = Layer.mock(RowStore)({
    scan: () => {
      scans++
      return Stream.fromIterable(
        rows.map((row, index) => ({ key: `${index}`, split: "train" as const, body: JSON.stringify(row) }))
      )
    }
  })
  const counts = yield* Effect.gen(function* () {
    const { count } = yield* StudentTokens
    return yield* Effect.replicateEffect(count(partition, "dsv_1", "some/model"), times)
  }).pipe(Effect.provide(Layer.provide(StudentTokenizers.layer(folder), store)))
  return { counts, scans }
})

describe("the tokens of a version", () => {
  it.live("are counted by the student's own tokenizer, in its chat template, once (P413)", () =>
    Effect.gen(function* () {
      const folder = yield* freshFolder
      yield* Effect.promise(() => writeModel(path.join(folder, "some/model")))
      const { counts, scans } = yield* counted(folder, [short, calling], 2)
      const [first, again] = counts
      assert.deepStrictEqual(first, { rows: 2, promptTokens: 16, completionTokens: 6, longestTokens: 11 })
      assert.deepStrictEqual([again, scans], [first, 1])
    })
  )

  it.live("are counted by a template of a file, and by a plain one for a base model without any (P413)", () =>
    Effect.gen(function* () {
      const folder = yield* freshFolder
      const model = path.join(folder, "some/model")
      yield* Effect.promise(() => writeModel(model, {}))
      const { counts: plain } = yield* counted(folder, [short])
      // "User:", three words and "Assistant:"; then the words of the answer, with its end marker.
      assert.deepStrictEqual(plain[0], { rows: 1, promptTokens: 5, completionTokens: 3, longestTokens: 8 })
      yield* Effect.promise(() => fs.writeFile(path.join(model, "chat_template.jinja"), chatTemplate))
      const { counts: filed } = yield* counted(folder, [short])
      assert.deepStrictEqual(filed[0], { rows: 1, promptTokens: 8, completionTokens: 3, longestTokens: 11 })
    })
  )

  it.live("are not known where there is no such tokenizer, or it takes no such rows; and that is not kept (P413)", () =>
    Effect.gen(function* () {
      const folder = yield* freshFolder
      const model = path.join(folder, "some/model")
      const { counts: none } = yield* counted(folder, [short])
      assert.deepStrictEqual(none, [null])
      yield* Effect.promise(() => writeModel(model, { chat_template: "{{ raise_exception('no such rows') }}" }))
      const { counts: refused, scans } = yield* counted(folder, [short], 2)
      assert.deepStrictEqual([refused, scans], [[null, null], 2])
      yield* Effect.promise(() => fs.writeFile(path.join(model, "tokenizer.json"), "no JSON"))
      assert.deepStrictEqual((yield* counted(folder, [short])).counts, [null])
    })
  )
})
