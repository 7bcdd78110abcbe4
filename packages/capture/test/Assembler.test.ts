/** The corpus of streams put together. That the proxy passes them byte for byte is in server's streams.test.ts. */
import { assert, describe, it } from "@effect/vitest"
import { streams } from "@limbeck/testing/fixtures/streams/Corpus"
import * as Generator from "@limbeck/testing/random/Generator"
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

  it("comes to the same whether its chunks look alike or not (P367)", () => {
    const { pick, some } = Generator.make(20_261_123)
    const texts = [
      "a",
      " b",
      "",
      '"',
      "\\",
      "\n",
      "\u0000",
      "é",
      "\ud83d",
      "\ude00",
      '"content":"',
      "]}",
      "x".repeat(5_000)
    ]
    const rest = [
      {},
      {},
      {},
      { role: "assistant" },
      { refusal: null },
      { reasoning_content: "r" },
      { tool_calls: null }
    ]
    const delta = () => pick([{ content: pick(texts), ...pick(rest) }, { content: pick(texts) }, { content: null }, {}])
    const choice = () => ({
      index: pick([0, 0, 0, 0, 1]),
      delta: delta(),
      ...pick([{}, {}, { logprobs: null }, more()])
    })
    const more = () =>
      pick([{ logprobs: { content: [{ token: "t" }] } }, { finish_reason: "stop" }, { message: { content: "m" } }])
    const top = [
      {},
      {},
      {},
      { model: "n" },
      { usage: { n: 1 } },
      { content: "c" },
      { choices: [] },
      { error: { message: "no" } }
    ]
    // What stands around a chunk, as servers send it.
    const usual = ["data: ", "\n\n"] as const
    const around = [
      usual,
      usual,
      usual,
      ["data:", "\n\n"],
      ["data: ", "\r\n\r\n"],
      [": still there\n\ndata: ", "\n\n"],
      ["id: 1\ndata: ", "\n\n"],
      ["data: ", "\nevent: error\n\n"],
      ["data: ", "\n"]
    ] as const
    for (let round = 0; round < 2_000; round++) {
      const chunks = some(12, () => ({ choices: [choice()], ...(round % 4 === 0 ? pick(top) : {}) }))
      const alike = chunks.map((chunk) => {
        const [before, behind] = round % 3 === 0 ? pick(around) : usual
        return `${before}${JSON.stringify(chunk)}${behind}`
      })
      // Of no two the beginning is the same.
      const unlike = alike.map((event, at) => event.replace("{", `{${" ".repeat(at + 1)}`))
      const [one, other] = [alike, unlike].map((events) => Assembler.assemble("chat.completions", events.join("")))
      assert.deepStrictEqual(one, other, JSON.stringify(chunks))
    }
  })

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
