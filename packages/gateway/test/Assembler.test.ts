/** The corpus of streams put together. That the proxy passes them byte for byte is in server's streams.test.ts. */
import { assert, describe, it } from "@effect/vitest"
import { streams } from "@limbeck/testing/fixtures/streams/Corpus"
import * as Assembler from "../src/capture/Assembler.ts"

describe("a stream", () => {
  it("has a corpus of at least 200, each of its own name", () => {
    assert.isAtLeast(streams.length, 200)
    assert.strictEqual(new Set(streams.map(({ name }) => name)).size, streams.length)
  })

  for (const { endpoint, failed, name, text, whole } of streams) {
    it(`comes to what was said: ${name}`, () => {
      const assembled = Assembler.assemble(endpoint, text)
      // As it is stored.
      assert.deepStrictEqual(JSON.parse(JSON.stringify(assembled)), { completion: whole, failed })
    })
  }
})
