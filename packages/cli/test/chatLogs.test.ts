import * as fs from "node:fs/promises"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { type Entry, entries, formatOf } from "../src/remote/chatLogs/ChatLog.ts"

const read = async (atEnd: AtEnd, name: string, content: string): Promise<ReadonlyArray<Entry>> => {
  const file = path.join(await temporaryFolder(atEnd), name)
  await fs.writeFile(file, content)
  const found: Array<Entry> = []
  for await (const entry of entries(file, formatOf(file))) found.push(entry)
  return found
}

const question = { role: "user", content: "Where is my parcel?" }
const answer = { role: "assistant", content: "delivery" }
const row = { row: { messages: [question], completion: answer } }

describe("a log of chats", () => {
  it("of stored completions has rows, as a page, as an array, and in lines (P260)", async ({ onTestFinished }) => {
    const stored = {
      id: "chatcmpl-1",
      object: "chat.completion",
      input: [{ id: "m1", ...question }],
      choices: [{ index: 0, message: { ...answer, refusal: null, tool_calls: [] } }],
      metadata: { team: "support" }
    }
    const expected = [{ row: { ...row.row, external_id: "chatcmpl-1", metadata: { team: "support" } } }]
    const page = JSON.stringify({ object: "list", data: [stored], has_more: false })
    assert.deepStrictEqual(await read(onTestFinished, "page.json", page), expected)
    const pretty = JSON.stringify([stored], null, 2)
    assert.deepStrictEqual(await read(onTestFinished, "array.json", pretty), expected)
    assert.deepStrictEqual(await read(onTestFinished, "log.jsonl", `${JSON.stringify(stored)}\n\n`), expected)
    const { choices, input: messages } = stored
    const exchange = JSON.stringify({ request: { model: "m", messages }, response: { choices } })
    assert.deepStrictEqual(await read(onTestFinished, "exchanges.jsonl", exchange), [row])
  })

  it("of messages has rows, with the last one as the answer or another beside them (P260)", async ({
    onTestFinished
  }) => {
    const lines = [
      [question, answer],
      { messages: [question, answer] },
      { messages: [question], completion: "delivery", id: "t-1" },
      { prompt: "Where is my parcel?", completion: "delivery", system: "Sort tickets" }
    ]
    const content = lines.map((line) => JSON.stringify(line)).join("\r\n")
    assert.deepStrictEqual(await read(onTestFinished, "messages.jsonl", content), [
      { row: { messages: [question, answer] } },
      { row: { messages: [question, answer] } },
      { row: { messages: [question], completion: "delivery", external_id: "t-1" } },
      { row: { messages: [{ role: "system", content: "Sort tickets" }, question], completion: "delivery" } }
    ])
  })

  it("of CSV has rows: quotes, commas and lines inside of quotes, columns in any order (P260)", async ({
    onTestFinished
  }) => {
    const content = '\uFEFFid,Completion,prompt\r\n1,a,"He said ""no"",\r\ntwice"\r\n\r\n2,"b",plain\n3,,""'
    const prompt = (text: string) => [{ role: "user", content: text }]
    assert.deepStrictEqual(await read(onTestFinished, "log.CSV", content), [
      { row: { messages: prompt('He said "no",\ntwice'), completion: "a", external_id: "1" } },
      { row: { messages: prompt("plain"), completion: "b", external_id: "2" } },
      { row: { messages: prompt(""), completion: "", external_id: "3" } }
    ])
  })

  it("says which of its entries are none", async ({ onTestFinished }) => {
    const content = ['{"messages":[]}', "no JSON", '{"choices":[{}],"messages":[{"role":"user"}]}', "7"].join("\n")
    assert.deepStrictEqual(await read(onTestFinished, "wrong.jsonl", content), [
      { problem: "line 1: it has neither choices, nor messages with roles, nor a prompt with a completion" },
      { problem: "line 2: it is not JSON" },
      { problem: "line 3: its first choice has no message" },
      { problem: "line 4: it is no object" }
    ])
    assert.deepStrictEqual(await read(onTestFinished, "wrong.csv", "prompt,completion\n\na,b,c\n"), [
      { problem: "line 3: it has 3 fields, and the header 2" }
    ])
    const failure = (content: string) =>
      read(onTestFinished, "none.csv", content).catch((error: Error) => error.message)
    assert.strictEqual(await failure("question,completion\n"), "there is no column prompt")
    assert.strictEqual(await failure('prompt,completion\n"a,b\n'), "line 2: a quoted field does not end")
  })
})
