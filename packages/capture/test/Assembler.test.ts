/** The corpus of streams put together. That the proxy passes them byte for byte is in server's streams.test.ts. */
import { assert, describe, it } from "@effect/vitest"
import { streams } from "@limbeck/testing/fixtures/streams/Corpus"
import * as Assembler from "../src/call/internal/Assembler.ts"

describe("a stream", () => {
  it("has a corpus of at least 200, each of its own name", () => {
    assert.isAtLeast(streams.length, 200)
    assert.strictEqual(new Set(streams.map(({ name }) => name)).size, streams.length)
  })

  for (const { endpoint, failed, name, text, whole } of streams) {
    it(`comes to what was said: ${name} (P72)`, () => {
      const assembled = Assembler.assemble(endpoint, text)
      // As it is stored.
      assert.deepStrictEqual(JSON.parse(JSON.stringify(assembled)), { completion: whole, failed })
    })
  }

  it("of very many calls, items and choices takes no longer than its length", () => {
    const many = 60_000
    const piece = (at: number) => ({
      index: at % 7 === 0 ? at : 0,
      delta: {
        content: "a",
        tool_calls: [{ index: at, id: `call_${at}`, function: { name: "f" } }, { id: `own_${at}` }],
        annotations: [{ index: at }]
      }
    })
    const text = Array.from({ length: many }, (_, at) => `data: ${JSON.stringify({ choices: [piece(at)] })}\n\n`)
    const { completion } = Assembler.assemble("chat.completions", text.join("")) ?? {}
    assert.lengthOf(completion?.["choices"] as ReadonlyArray<unknown>, Math.ceil(many / 7))
  })
})
