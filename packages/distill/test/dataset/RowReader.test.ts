import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as RowReader from "../../src/dataset/internal/RowReader.ts"

const user = { role: "user", content: "hello" }
const faultOf = (value: unknown) => {
  const read = RowReader.read(typeof value === "string" ? value : JSON.stringify(value))
  return Result.isFailure(read) ? read.failure : undefined
}

const good = { messages: [user], completion: "hi" }
/** So many of an object's. */
const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, index]))
/** A message whose strings have so many characters, in parts. */
const talking = (characters: number) => ({
  role: "user",
  content: [{ type: "text", text: "x".repeat(characters - 8) }]
})
const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth)

describe("RowReader", () => {
  const rows: Record<string, unknown> = {
    "a text completion": { messages: [user], completion: "hi" },
    "an empty completion": { messages: [user], completion: "" },
    "an assistant message as completion": { messages: [user], completion: { role: "assistant", tool_calls: [] } },
    "a last message of the assistant": { messages: [user, { role: "assistant", content: "hi" }] },
    "content in parts": { messages: [{ role: "user", content: [{ type: "text", text: "x" }] }], completion: "y" },
    "a message without content": { messages: [{ role: "user" }], completion: "y" },
    "all there is": { messages: [user], completion: "y", tags: ["a"], external_id: "1", metadata: { a: [null] } },
    "fields that we do not know": { messages: [user], completion: "y", tools: [{ type: "function" }] },
    "a key named __proto__": '{"messages":[{"role":"user","__proto__":{"role":1}}],"completion":"y"}',
    "as many members as there may be": { ...good, metadata: members(9_994) },
    "as many messages as there may be": { messages: Array.from({ length: 1_000 }, () => user), completion: "y" },
    "as long a message as there may be": { messages: [talking(1_000_000)], completion: "y".repeat(1_000_000) },
    "a lone surrogate": '{"messages":[{"role":"user","content":"\\ud800"}],"completion":"y"}'
  }
  for (const [name, row] of Object.entries(rows)) {
    it(`${name}: is a row`, () => assert.isUndefined(faultOf(row)))
  }

  const faults: ReadonlyArray<readonly [unknown, string]> = [
    ["", "Not JSON"],
    ["{} {}", "Not JSON"],
    ["null", "Expected object"],
    ["[]", "Expected object"],
    [{}, "messages: This field is required"],
    [{ messages: [] }, "messages[0]: This field is required"],
    [{ messages: "hello" }, "messages: Expected array"],
    [{ messages: [user, {}], completion: "y" }, "messages[1].role: This field is required"],
    [{ messages: [{ role: 7 }], completion: "y" }, "messages[0].role: Expected string"],
    [{ messages: [user] }, "No completion: neither completion nor a last message with role assistant"],
    [{ messages: [user], completion: 3 }, "completion: Expected a string or an assistant message"],
    [{ messages: [user], completion: null }, "completion: Expected a string or an assistant message"],
    [{ messages: [user], completion: user }, "completion: Expected a string or an assistant message"],
    [{ messages: [user], completion: "y", tags: [1] }, "tags[0]: Expected string"],
    [{ messages: [user], completion: "y", metadata: [] }, "metadata: Expected object"],
    [`{"messages":${nested(1_000)}}`, "Nests deeper than 128 levels"],
    [nested(200_000), "Nests deeper than 128 levels"],
    [{ ...good, metadata: members(9_995) }, "More than 10000 members and items in all"],
    [{ ...good, tools: Array.from({ length: 2_000_000 }, () => ({})) }, "More than 10000 members and items in all"],
    [{ messages: Array.from({ length: 1_001 }, () => user), completion: "y" }, "More than 1000 messages"],
    [{ messages: [user, talking(1_000_001)], completion: "y" }, "messages[1]: More than 1000000 characters"],
    [{ messages: [user], completion: "y".repeat(1_000_001) }, "completion: More than 1000000 characters"],
    ["x".repeat(8 * 2 ** 20 + 1), "Longer than 8388608 bytes"]
  ]
  for (const [row, fault] of faults) {
    const text = typeof row === "string" ? row : JSON.stringify(row)
    it(`${text.slice(0, 60)}: ${fault}`, () => assert.strictEqual(faultOf(row), fault))
  }

  it("a message about a bad line never shows its content, and is short", () => {
    const secret = "sk-secret".repeat(100)
    for (const row of [{ messages: secret }, { messages: [user], completion: { role: secret } }]) {
      const fault = faultOf(row) ?? ""
      assert.notInclude(fault, "sk-secret")
      assert.isAtMost(fault.length, 200)
    }
  })
})
