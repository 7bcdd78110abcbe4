import { assert, describe, it } from "@effect/vitest"
import { ConversationRow } from "@limbeck/distill/dataset/Row"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isRow } from "../../src/dataset/internal/RowGuard.ts"

const decode = Schema.decodeUnknownResult(ConversationRow)

/** Possible values in place of a row's parts: of every type, and some that only look right. */
const values: ReadonlyArray<string> = [
  "null",
  "true",
  "0",
  "1e999",
  '""',
  '"a"',
  '"assistant"',
  "[]",
  '["a"]',
  '["a",1]',
  "[[]]",
  "[{}]",
  "{}",
  '{"a":-1e999}',
  '{"a":[{"b":1e999}]}',
  '{"role":"assistant"}',
  '{"role":"assistant","content":null}',
  '{"role":"assistant","content":1e999}',
  '{"role":"user"}',
  '{"role":""}',
  '{"role":null}',
  '{"role":"user","role":7}',
  '{"__proto__":{"role":"assistant"}}',
  '{"constructor":1,"toString":null,"role":"x"}',
  '{"role":"\\ud800"}'
]

/** A row with one member replaced, added or at the wrong place. */
const lines = values.flatMap((value) => [
  value,
  `[${value}]`,
  `{"messages":${value},"completion":"b"}`,
  `{"messages":[${value}],"completion":"b"}`,
  `{"messages":[{"role":"user","content":"a"},${value}],"completion":"b"}`,
  `{"messages":[{"role":"user","content":${value},"x":${value}}],"completion":"b"}`,
  `{"messages":[{"role":${value}}],"completion":"b"}`,
  ...["completion", "tags", "external_id", "metadata", "unknown", "__proto__", "tools"].map(
    (member) => `{"messages":[{"role":"user"}],"${member}":${value}}`
  )
])

describe("RowGuard", () => {
  it("says of every line what the schema of rows says of it (P91)", () => {
    let rows = 0
    for (const line of lines) {
      const json: Schema.Json = JSON.parse(line)
      const expected = Result.isSuccess(decode(json))
      assert.strictEqual(isRow(json), expected, line)
      rows += expected ? 1 : 0
    }
    assert.isAbove(rows, 100)
    assert.isAbove(lines.length - rows, 100)
  })

  const json: Schema.Codec<Schema.Json> = Schema.Json
  it.prop(
    "and of whatever JSON there is, as a row or as a member of one",
    { json, member: json },
    ({ json, member }) => {
      for (const value of [
        json,
        { messages: [{ role: "user", content: json }], completion: member, metadata: member }
      ]) {
        const read: Schema.Json = JSON.parse(JSON.stringify(value))
        assert.strictEqual(isRow(read), Result.isSuccess(decode(read)))
      }
    }
  )
})
