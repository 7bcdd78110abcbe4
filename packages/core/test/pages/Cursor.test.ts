import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Cursor from "../../src/pages/Cursor.ts"
import * as Partition from "../../src/partition/Partition.ts"

const workspace = "ws_00000000000000000000000001"
const live = Partition.make(workspace, true)
const position = "evt_01m7w6c3bv0000000000000000"

const scope = (fields: Partial<Cursor.ListScope> = {}): Cursor.ListScope => ({
  partition: live,
  list: "events",
  filters: { type: "distill.*", status: null },
  ...fields
})

const isRefused = (result: Result.Result<string, { readonly param: string | null }>) =>
  Result.isFailure(result) && result.failure.param === "cursor"

const text = Schema.String.check(Schema.isPattern(/^[ -~]*$/))

describe("a cursor", () => {
  it.prop("gives the position back to the list that made it", [Schema.String, text, text], ([at, list, value]) => {
    const made = scope({ list, filters: { value } })
    assert.deepStrictEqual(Cursor.decode(made, Cursor.encode(made, at)), Result.succeed(at))
  })

  it.prop("is made of what a URL takes as it is", [Schema.String], ([at]) => {
    assert.match(Cursor.encode(scope(), at), /^[A-Za-z0-9_-]+$/)
  })

  it.prop("of other filters is refused (P11)", [text, text], ([a, b]) => {
    const result = Cursor.decode(scope({ filters: { a } }), Cursor.encode(scope({ filters: { a: b } }), position))
    assert.strictEqual(isRefused(result), a !== b)
  })

  const others: ReadonlyArray<readonly [string, Cursor.ListScope]> = [
    ["another list", scope({ list: "tokens" })],
    ["the other mode", scope({ partition: Partition.make(workspace, false) })],
    ["another workspace", scope({ partition: Partition.make("ws_00000000000000000000000002", true) })],
    ["no filter", scope({ filters: {} })],
    ["another value of a filter", scope({ filters: { type: "*" } })],
    ["a further filter", scope({ filters: { type: "distill.*", status: "failed" } })],
    ["the same value of another filter", scope({ filters: { kind: "distill.*" } })],
    ["filters run together", scope({ list: "eventstype", filters: { "": "distill.*" } })]
  ]
  for (const [what, other] of others) {
    it(`made with ${what} is refused, both ways`, () => {
      assert.isTrue(isRefused(Cursor.decode(scope(), Cursor.encode(other, position))))
      assert.isTrue(isRefused(Cursor.decode(other, Cursor.encode(scope(), position))))
    })
  }

  it("that a list gave out before is still taken, whatever is computed otherwise since (P11)", () => {
    const before = "WyIyOXk1cDR6Ymt5eDk5IiwiZXZ0XzAxbTd3NmMzYnYwMDAwMDAwMDAwMDAwMDAwIl0"
    assert.deepStrictEqual(Cursor.decode(scope({ list: "eventsé☃" }), before), Result.succeed(position))
  })

  it("knows its list by what is filtered, not by how the filters are written down", () => {
    const cursor = Cursor.encode(scope({ filters: { a: "1", b: "2", c: null } }), position)
    const same = scope({ filters: { b: "2", d: undefined, a: "1" } })
    assert.deepStrictEqual(Cursor.decode(same, cursor), Result.succeed(position))
  })

  const genuine = Cursor.encode(scope(), position)
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
  const [digest] = JSON.parse(Buffer.from(genuine, "base64url").toString()) as [string]
  const garbage = [
    "",
    " ",
    "garbage",
    "%%%",
    "é",
    position,
    genuine.slice(1),
    genuine.slice(0, -3),
    `${genuine}!`,
    encoded(null),
    encoded([]),
    encoded([digest]),
    encoded([digest, 1]),
    encoded([digest, position, "more"]),
    encoded({ 0: digest, 1: position }),
    encoded(["", position]),
    Buffer.from([0xff, 0xfe]).toString("base64url")
  ]
  it("that no list has given out is refused (P11)", () => {
    for (const cursor of garbage) assert.isTrue(isRefused(Cursor.decode(scope(), cursor)), cursor)
  })

  it.prop("of any other text is refused", [Schema.String], ([cursor]) => {
    assert.isTrue(isRefused(Cursor.decode(scope(), cursor)))
  })
})
