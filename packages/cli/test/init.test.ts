// Calls the server like its users.
// @effect-diagnostics globalFetch:off
/** `limbeck init` and `.env`: the questions, the written file, and a server started with it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { inherited, main } from "./Server.ts"

const limbeck = (cwd: string, command: ReadonlyArray<string>, environment: Readonly<Record<string, string>> = {}) =>
  spawn(process.execPath, ["--conditions=@limbeck/source", main, ...command], {
    cwd,
    env: { ...inherited(), ...environment }
  })

const init = async (folder: string, answers: ReadonlyArray<string>) => {
  const child = limbeck(folder, ["init"])
  child.stdin.end(answers.map((answer) => `${answer}\n`).join(""))
  const [said, problems, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
  return { code, said, problems }
}

describe.concurrent("limbeck init", () => {
  it("asks three questions, again where an answer cannot be, and a server starts with what it writes (P261)", async ({
    onTestFinished
  }) => {
    const folder = await temporaryFolder(onTestFinished)
    const { code, said } = await init(folder, ["", "eighty", "0", "y"])
    assert.strictEqual(code, 0, said)
    assert.include(said, "PORT: must be a whole number")
    const file = path.join(folder, ".env")
    assert.strictEqual((await fs.stat(file)).mode & 0o777, 0o600)
    const written = await fs.readFile(file, "utf8")
    assert.match(written, /^PORT=0$/m)
    assert.match(written, /^EGRESS_ALLOW=127\.0\.0\.0\/8$/m)

    const server = limbeck(folder, ["serve"], { STORAGE: "memory" })
    onTestFinished(() => void server.kill("SIGKILL"))
    const [first] = await once(server.stdout, "data")
    const [, url = ""] = /listens on (http\S+)/.exec(String(first)) ?? []
    assert.isNotEmpty(url, String(first))
    const [, token = ""] = /^LIMBECK_TOKEN=(.*)$/m.exec(written) ?? []
    const whoami = await fetch(`${url}/v1/whoami`, { headers: { authorization: `Bearer ${token}` } })
    assert.strictEqual(whoami.status, 200)
  })

  it("leaves a file that is there as it is, and says so", async ({ onTestFinished }) => {
    const folder = await temporaryFolder(onTestFinished)
    const file = path.join(folder, ".env")
    await fs.writeFile(file, "PORT=1\n")
    const { code, problems, said } = await init(folder, ["", "", ""])
    const there = `${path.join(await fs.realpath(folder), ".env")} is there already: `
    assert.deepStrictEqual([code, problems.startsWith(there)], [2, true], problems)
    assert.notInclude(said, "?")
    assert.strictEqual(await fs.readFile(file, "utf8"), "PORT=1\n")
  })

  it("writes nothing when the answers end early", async ({ onTestFinished }) => {
    const folder = await temporaryFolder(onTestFinished)
    assert.strictEqual((await init(folder, [""])).code, 2)
    assert.isEmpty(await fs.readdir(folder))
  })
})
