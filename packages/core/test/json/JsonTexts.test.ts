import { assert, describe, it } from "@effect/vitest"
import * as JsonTexts from "../../src/json/JsonTexts.ts"

const items: ReadonlyArray<() => unknown> = [
  () => ({}),
  () => ({ id: "a", "with space": 'quote " \\ \u2028 \ud800', nested: { list: [1, null, { deep: true }] } }),
  () => ({ left: undefined, out: () => 1, kept: null, number: Number.NaN }),
  () => ({ data: [{ id: "inside" }] }),
  () => [1, undefined, "x"],
  () => null,
  () => undefined,
  () => "text",
  () => 1.5
]

const envelopes: ReadonlyArray<(data: unknown) => unknown> = [
  (data) => ({ data }),
  (data) => ({ object: "list", data, has_more: false, next_cursor: null, gone: undefined }),
  (data) => ({ data, again: data }),
  (data) => data
]

const kept = (item: unknown): unknown => (typeof item === "object" && item !== null ? JsonTexts.keep(item) : item)

describe("the JSON of an answer", () => {
  it("is what JSON.stringify says of it, kept or not, as a resource or in a list", () => {
    for (const envelope of envelopes) {
      for (const made of [items.map((item) => item()), items.map((item) => kept(item())), []]) {
        const answer = envelope(made)
        // Twice: the first serialization is cached.
        for (let time = 0; time < 2; time++) assert.strictEqual(JsonTexts.of(answer), JSON.stringify(answer))
      }
    }
    for (const item of items) assert.strictEqual(JsonTexts.of(kept(item())), JSON.stringify(item()))
  })

  it("is the text that it was stored as, byte for byte", () => {
    const text = '{ "id": "evt_1" , "again" : 1, "again": 2 }'
    assert.deepStrictEqual(
      [
        JsonTexts.of(JsonTexts.standInFor({ body: text })),
        JsonTexts.of({ data: [JsonTexts.standInFor({ body: text })], has_more: false })
      ],
      [text, `{"data":[${text}],"has_more":false}`]
    )
  })

  it("is written once where it is kept", () => {
    let asked = 0
    const resource = JsonTexts.keep({ toJSON: () => `${++asked}` })
    assert.deepStrictEqual(
      [JsonTexts.of(resource), JsonTexts.of({ data: [resource] }), JsonTexts.of(resource)],
      ['"1"', '{"data":["1"]}', '"1"']
    )
  })
})
