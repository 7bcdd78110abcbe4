/** LIMBECK_URL and LIMBECK_TOKEN come from one place: the environment, or `.env` in the folder. */
import { once } from "node:events"
import * as fs from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { runIn } from "./ProgramIn.ts"

/** Every token that a server heard. */
const heard: Array<string | undefined> = []
const server = createServer((request, response) => {
  heard.push(request.headers.authorization)
  response.writeHead(200, { "content-type": "application/json" }).end('{"data":[],"has_more":false,"next_cursor":null}')
})
let url = ""
beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening")
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // It listens on a port.
})
afterAll(() => server.close())

const folderWith = async (atEnd: AtEnd, lines: ReadonlyArray<string>) => {
  const folder = await temporaryFolder(atEnd)
  await fs.writeFile(path.join(folder, ".env"), lines.map((line) => `${line}\n`).join(""))
  return folder
}

const list = (folder: string, environment: Readonly<Record<string, string>>) =>
  runIn(folder, ["token", "list"], { environment })

const assertSent = async (folder: string, environment: Readonly<Record<string, string>>, token: string) => {
  const before = heard.length
  const { code, stderr } = await list(folder, environment)
  assert.deepStrictEqual([code, stderr, heard.slice(before)], [0, "", [`Bearer ${token}`]])
}

describe("the server and the token of a command", () => {
  it("never come from different places: no token of the environment goes to a folder's server (P845)", async ({
    onTestFinished
  }) => {
    const hostile = await folderWith(onTestFinished, [`LIMBECK_URL=${url}`])
    const before = heard.length
    for (const [folder, environment] of [
      [hostile, { LIMBECK_TOKEN: "mine" }],
      [await folderWith(onTestFinished, ["LIMBECK_TOKEN=theirs"]), { LIMBECK_URL: url }],
      [await folderWith(onTestFinished, [`LIMBECK_URL=${url}`, "LIMBECK_TOKEN=theirs"]), { LIMBECK_TOKEN: "mine" }]
    ] as const) {
      const { code, stderr, stdout } = await list(folder, environment)
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.match(stderr, /^LIMBECK_URL is set in .+, and LIMBECK_TOKEN in .+: set both in one of them/)
    }
    const doctor = await runIn(hostile, ["doctor"], { environment: { LIMBECK_TOKEN: "mine", STORAGE: "memory" } })
    assert.include(doctor.stdout, "!! token: LIMBECK_URL is set in .env of this folder")
    assert.lengthOf(heard, before)
  })

  it("come both from the environment, or both from the file", async ({ onTestFinished }) => {
    const both = await folderWith(onTestFinished, [`LIMBECK_URL=${url}`, "LIMBECK_TOKEN=theirs", "LIVE=live"])
    await assertSent(both, {}, "theirs")
    await assertSent(both, { LIMBECK_URL: url, LIMBECK_TOKEN: "mine" }, "mine")
    await assertSent(await temporaryFolder(onTestFinished), { LIMBECK_URL: url, LIMBECK_TOKEN: "mine" }, "mine")
    // A token that the file holds tells its server nothing.
    await assertSent(both, { LIMBECK_TOKEN: "live" }, "live")
  })

  it("that a folder names on another machine gets no key of the environment (P845)", async ({ onTestFinished }) => {
    const folder = await folderWith(onTestFinished, ["LIMBECK_URL=http://server.invalid", "LIMBECK_TOKEN=theirs"])
    const words = ["source", "add", "openai", "--base-url", "https://api.openai.com/v1", "--key-from", "OPENAI_API_KEY"]
    const { code, stderr } = await runIn(folder, words, { environment: { OPENAI_API_KEY: "sk-mine" } })
    assert.deepStrictEqual(
      [code, stderr.startsWith("OPENAI_API_KEY is set in the environment, and LIMBECK_URL")],
      [1, true],
      stderr
    )
  })
})
