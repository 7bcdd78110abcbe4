/** What the program writes to a terminal and to pipes, whatever a server says to it. */
import { once } from "node:events"
import * as fs from "node:fs/promises"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { filesIn, temporaryFolder } from "@limbeck/testing/Folders"
import { Api } from "./Api.ts"
import { runHere } from "./InProcess.ts"
import { runIn, shellIn } from "./ProgramIn.ts"
import { quiet, type Server, startCommand, testToken } from "./Server.ts"

/** A title, a clear screen, a link, a colour by an 8-bit code, a line of its own, and text that is turned around. */
const hostile = "\u001b]0;pwned\u0007\u001b[2J\u001b]8;;http://evil.example\u0007x\u009b31m\r\nfaked\u202etxt\u2066"

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not arrive.
const dangerous = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

const list = (data: ReadonlyArray<object>) => ({ data, has_more: false, next_cursor: null })
const token = { id: "tok_1", object: "token", name: hostile, environment: "test", status: hostile, scopes: [hostile] }
const source = { id: "src_1", name: hostile, base_url: hostile, default: true }
const error = { type: hostile, code: hostile, message: hostile, param: hostile, request_id: hostile }
const frame = (event: string, data: object) => `id: 1\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** A server that says hostile things, and streams the log of a run without an end. */
const answer: RequestListener = (request, response) => {
  const json = (status: number, body: object) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  const url = request.url ?? ""
  if (url.startsWith("/v1/tokens") && request.method === "GET") return json(200, list([token]))
  if (url.startsWith("/v1/sources?") || url === "/v1/sources") return json(200, list([source]))
  if (url.endsWith("/stream")) {
    response.writeHead(200, { "content-type": "text/event-stream" })
    const fill = () => {
      while (response.write(frame("log", { message: hostile }))) {}
    }
    response.on("drain", fill)
    return fill()
  }
  return json(400, { error })
}

const server = createServer(answer)
let environment = {}
let folder = ""
beforeAll(async () => {
  folder = await temporaryFolder(afterAll)
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo // It listens on a port.
  environment = { LIMBECK_URL: `http://127.0.0.1:${port}`, LIMBECK_TOKEN: testToken }
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

describe("the terminal of the program", () => {
  it.each([
    [["token", "list"], 0],
    [["source", "list"], 0],
    [["token", "revoke", "tok_1"], 1],
    [["propose", "dsv_1", "--max-cost", "5"], 1],
    [["source", "verify", hostile], 1]
  ] as const)("gets no control character of a server's answer: %j (P844)", async (command, code) => {
    const people = await runHere(environment, command)
    const shown = [...people.stdout, ...people.stderr]
    assert.strictEqual(people.code, code, shown.join("\n"))
    assert.notMatch(shown.join("\n"), dangerous)
    assert.include(shown.join("\n"), "\\u001b]0;pwned\\u0007")
    // One line each: none is made by a name.
    assert.lengthOf(shown, 1)
    const programs = await runHere(environment, [...command, "--json"])
    const values = [...programs.stdout, ...programs.stderr].join("\n")
    assert.notMatch(values, dangerous)
    assert.include(JSON.stringify(JSON.parse(values)), JSON.stringify(hostile).slice(1, -1))
  })

  it("is written to in one place", async () => {
    const sources = path.join(import.meta.dirname, "../src")
    const writers: Array<string> = []
    for (const file of await filesIn(sources)) {
      const source = await fs.readFile(path.join(sources, file), "utf8")
      if (/process\.std(?:out|err)\.write|\bconsole\.|createLogUpdate/.test(source)) writers.push(file)
    }
    // main.ts says which Node is needed, and imports nothing.
    assert.deepStrictEqual(writers, ["main.ts", "terminal/Terminal.ts"])
  })
})

describe("a closed pipe", () => {
  it("ends a command without a word (P847)", async () => {
    const { stderr, stdout } = await shellIn(folder, "limbeck watch run_1 | head -1", environment)
    assert.deepStrictEqual([stdout.split("\n").length, stderr], [2, ""])
  })

  it("ends no server (P847)", async ({ onTestFinished }) => {
    const running = startCommand(onTestFinished, { ...quiet, STORAGE: "memory", LOG_LEVEL: "debug" }, ["serve"])
    const origin = await running.listening()
    running.child.stdout?.destroy()
    running.child.stderr?.destroy()
    const api = new Api({ origin } as Server)
    for (let turn = 0; turn < 20; turn++) await api.create("/v1/distill/loops", { name: `loop ${turn}` })
    running.child.kill("SIGTERM")
    assert.strictEqual((await once(running.child, "exit"))[0], 0)
  })
})

describe("with --json", () => {
  it.each([
    [["nothing"], "usage"],
    [["upload"], "usage"],
    [["token", "create", "--name", "a"], "usage"],
    [["token", "list", "--colour"], "usage"],
    [["deploy", "stu_1", "--alias", "a", "--mode", "loud"], "usage"],
    [["serve", "--processes", "none"], "settings"],
    [["workspace", "list"], "settings"],
    [["token", "list"], "settings"]
  ] as const)("what is wrong with %j is one value on standard error (P846)", async (command, code) => {
    const wrong = await runHere({ STORAGE: "memory" }, [...command, "--json"])
    assert.deepStrictEqual([wrong.code, wrong.stdout], [2, []])
    const { error } = JSON.parse(wrong.stderr.join("\n"))
    assert.strictEqual(error.code, code)
    assert.isNotEmpty(error.message)
    assert.isNull(error.request_id)
  })

  it("a process that cannot begin a command writes one value on standard error (P846)", async () => {
    const wrong = await runIn(folder, ["init", "--json"])
    assert.deepStrictEqual([wrong.code, wrong.stdout], [2, ""])
    assert.strictEqual(JSON.parse(wrong.stderr).error.code, "settings")
  })

  it.each([["--version"], ["--help"], ["upload", "--help"]])("%s is a value too (P846)", async (...command) => {
    const { code, stderr, stdout } = await runHere({}, [...command, "--json"])
    assert.deepStrictEqual([code, stderr], [0, []])
    assert.isObject(JSON.parse(stdout.join("\n")))
  })
})
