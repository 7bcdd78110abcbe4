/** How deep JSON nests and how much it holds, told from its text. */
import { assert, describe, it } from "@effect/vitest"
import { excessSteps, memberBeyond, type ShapeMax } from "@limbeck/core/json/JsonShape"
import * as Turns from "@limbeck/core/turns/Turns"

const excessOf = (json: string, max: ShapeMax) => Turns.atOnce(excessSteps(json, max))

/** The same laws in other words: of the value that was read. */
const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

const membersOf = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce((sum: number, member) => sum + 1 + membersOf(member), 0)
    : 0

const texts = [
  "1",
  '"[[[,,,"',
  "[]",
  " [ ] ",
  "{ }",
  "[[]]",
  "[1 , 2]",
  "[\n\t-1.5e3,\r\ntrue]",
  '{"a":{}}',
  '{"a":null,"b":{"c":[1,2,{"d":"e"}]}}',
  '{"[[[,":"]]]\\"[[[,","\\\\":[{"a":[]}]}',
  '[[],[[]],{"a":[1,2,[3]]}]',
  '{"text":"\\\\\\"{{{{","b":[{}]}'
]

describe("JsonShape", () => {
  it("a text nests as deep as what it says, whatever its strings hold", () => {
    for (const text of texts) {
      const depth = depthOf(JSON.parse(text))
      assert.isUndefined(excessOf(text, { depth }), text)
      if (depth > 0) assert.strictEqual(excessOf(text, { depth: depth - 1 }), "depth", text)
    }
  })

  it("a text has as many members and items as what it says, whatever its strings hold (P118)", () => {
    for (const text of texts) {
      const members = membersOf(JSON.parse(text))
      assert.isUndefined(excessOf(text, { members }), text)
      if (members > 0) assert.strictEqual(excessOf(text, { members: members - 1 }), "members", text)
    }
  })

  it("looks no further than it has to, and takes any text", () => {
    const many = `[${"1,".repeat(1_000_000)}`
    assert.strictEqual(excessOf(many, { members: 10 }), "members")
    assert.strictEqual(excessOf("[".repeat(1_000_000), { depth: 10 }), "depth")
    for (const text of ["", "}", "]]]]", '"', '"\\', "{,,", "a\0b"])
      assert.isUndefined(excessOf(text, { depth: 1, members: 3 }))
  })

  it("the member in which a text comes to have too many is named (P118)", () => {
    const text = '{"a":[1,2],"b\\"":{"c":":{","d":[3,4,5]},"e":0}'
    assert.deepStrictEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((members) => memberBeyond(text, members)),
      [null, "a", "a", "a", 'b\\"', 'b\\"', 'b\\"', 'b\\"', 'b\\"', 'b\\"']
    )
    assert.isUndefined(memberBeyond(text, 10))
    assert.isNull(memberBeyond("[1,2,3]", 2))
    for (const broken of ["{,,,", '{"a,,,', '{"\\']) memberBeyond(broken, 0)
  })
})
