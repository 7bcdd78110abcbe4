/** How deep JSON nests, told from its text. */
import { assert, describe, it } from "@effect/vitest"
import { nestsDeeper } from "@limbeck/gateway/capture/JsonDepth"

/** The same law in other words: of the value that was read. */
const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

describe("JsonDepth", () => {
  it("a text nests as deep as what it says, whatever its strings hold", () => {
    const texts = [
      "1",
      '"[[["',
      "[]",
      '{"a":{}}',
      '{"[[[":"]]]\\"[[[","\\\\":[{"a":[]}]}',
      '[[],[[]],{"a":[1,2,[3]]}]',
      '{"text":"\\\\\\"{{{{","b":[{}]}'
    ]
    for (const text of texts) {
      const depth = depthOf(JSON.parse(text))
      assert.isFalse(nestsDeeper(text, depth), text)
      if (depth > 0) assert.isTrue(nestsDeeper(text, depth - 1), text)
    }
  })
})
