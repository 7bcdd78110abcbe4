/** The corpus of assembled streams. Server's streams.test.ts covers byte-for-byte passing. */
import { assert, describe, it } from "@effect/vitest"
import * as Turns from "@limbeck/core/turns/Turns"
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
      assert.deepStrictEqual(JSON.parse(JSON.stringify(assembled)), { completion: whole, failed, isPartial: false })
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
    // The surroundings of a chunk in real streams.
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
      // No two beginnings are equal.
      const unlike = alike.map((event, at) => event.replace("{", `{${" ".repeat(at + 1)}`))
      const [one, other] = [alike, unlike].map((events) => Assembler.assemble("chat.completions", events.join("")))
      assert.deepStrictEqual(one, other, JSON.stringify(chunks))
    }
  })

  it("comes to the same with any ends of lines, short or long (P804)", () => {
    const chunkOf = (at: number) =>
      `: note\ndata: ${JSON.stringify({ choices: [{ delta: { content: `${at} ` } }] })}\n\n`
    for (const chunks of [3, 3_000]) {
      const text = Array.from({ length: chunks }, (_, at) => chunkOf(at)).join("")
      const whole = Assembler.assemble("chat.completions", text)
      for (const end of ["\r", "\r\n"]) {
        assert.deepStrictEqual(Assembler.assemble("chat.completions", text.replaceAll("\n", end)), whole)
      }
      const mixed = text.split("\n").map((line, at) => line + ["\n", "\r\n"][at % 2])
      assert.deepStrictEqual(Assembler.assemble("chat.completions", mixed.join("")), whole)
    }
  })

  it("is put together in steps, whatever it is made of (P804)", () => {
    const length = 500_000
    const chunkOf = (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`
    const pieces = {
      texts: chunkOf({ content: "a" }),
      others: chunkOf({ content: "a", refusal: "b" }),
      calls: chunkOf({ tool_calls: [{ index: 0, function: { arguments: "{}" } }] }),
      "lines that end in carriage returns": ": x\r",
      "empty lines": "\n",
      "lines without data": "x\n",
      "data without an event": "data: {\n"
    }
    for (const [name, piece] of Object.entries(pieces)) {
      const costs = [...Assembler.steps("chat.completions", piece.repeat(length / piece.length))]
      assert.isAtLeast(costs.length, length / Turns.turnCost, name)
      assert.isTrue(
        costs.every((cost) => cost <= Turns.turnCost),
        name
      )
    }
  })

  it("with an event that is too large to be parsed is partial, and parses nothing of it (P804)", () => {
    const usage = 'data: {"choices":[],"usage":{"total_tokens":3}}\n\n'
    const event = (items: number) => `data: {"choices":[${Array(items).fill('{"a":1}').join(",")}]}\n\n`
    const assembled = Assembler.assemble("chat.completions", event(50_000) + usage)
    assert.deepInclude(assembled, { isPartial: true })
    assert.deepInclude<object>(assembled?.completion ?? {}, { choices: [], usage: { total_tokens: 3 } })
    assert.deepInclude(Assembler.assemble("chat.completions", event(1_000) + usage), { isPartial: false })
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
