import { assert, describe, it } from "@effect/vitest"
import * as JsonLists from "../../src/json/JsonLists.ts"
import * as JsonTexts from "../../src/json/JsonTexts.ts"

const resource = (name: string) => JsonTexts.keep({ id: name, name: `${name} ü 漢` })

const textOf = (value: unknown): string => {
  const answer = JsonLists.of(value)
  return typeof answer === "string" ? answer : new TextDecoder().decode(answer)
}

const written = (value: unknown): string => JSON.stringify(value)

describe("a list that is shown again", () => {
  const [one, two, three] = [resource("one"), resource("two"), resource("three")]
  const list = (data: ReadonlyArray<object>, has_more = false, next_cursor: string | null = null) => ({
    data: [...data],
    has_more,
    next_cursor
  })

  it("is written once while it is the same (P394)", () => {
    const first = JsonLists.of(list([one, two]))
    assert.instanceOf(first, Uint8Array)
    assert.strictEqual(JsonLists.of(list([one, two])), first)
    assert.strictEqual(textOf(list([one, two])), written(list([one, two])))
  })

  it("shows what it is now, whatever else begins with the same resource (P394)", () => {
    const others = [
      list([one, two]),
      list([one, three]),
      list([one, three, two]),
      list([one, resource("four"), two]),
      list([one]),
      list([one, two, three]),
      list([one, two], true, "after two"),
      list([one, two], true, "after one"),
      list([two, one]),
      { ...list([one, two]), total: 2 },
      { ...list([one, two]), next_cursor: undefined },
      { ...list([one, two]), totals: { all: 2 } },
      { ...list([one, two]), totals: { all: 3 } },
      list([one, { id: "two", name: "changes" }]),
      list([one, { id: "two", name: "has changed" }])
    ]
    for (const other of [...others, ...others.toReversed()]) assert.strictEqual(textOf(other), written(other))
  })

  it("is written each time where a resource in it may change (P394)", () => {
    const changing = { id: "changing", name: "before" }
    assert.strictEqual(textOf(list([one, changing])), written(list([one, { ...changing }])))
    changing.name = "after"
    assert.strictEqual(textOf(list([one, changing])), written(list([one, { ...changing }])))
  })

  it("is an answer as it is where there is no list, or an empty one", () => {
    for (const answer of [list([]), { data: "none" }, { data: [null] }, { data: [1] }, one, null, "text", [one]]) {
      assert.strictEqual(textOf(answer), written(answer))
    }
  })
})
