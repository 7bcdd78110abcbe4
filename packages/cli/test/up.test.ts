// Calls the server like its users.
// @effect-diagnostics globalFetch:off
/** `limbeck up`: from an empty folder to a signed-in owner, on the embedded database. One server for the file: it takes seconds. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { makeClient } from "@limbeck/client"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { runIn } from "./ProgramIn.ts"
import { inherited, main } from "./Server.ts"

const environment = { PORT: "0", LOG_LEVEL: "warn", LOG_FORMAT: "json" }

const up = (folder: string, ...words: ReadonlyArray<string>) =>
  spawn(process.execPath, ["--conditions=@limbeck/source", main, "up", ...words], {
    cwd: folder,
    env: { ...inherited(), ...environment },
    stdio: ["ignore", "pipe", "inherit"]
  })

describe("limbeck up", () => {
  it("goes from an empty folder to a signed-in owner, beside whom person and billing commands work (P1660)", async ({
    onTestFinished
  }) => {
    const folder = await temporaryFolder(onTestFinished)
    const server = up(folder, "--json", "--email", "ann@example.com")
    onTestFinished(() => void server.kill("SIGKILL"))
    const [first] = await once(createInterface({ input: server.stdout }), "line")
    const shown = JSON.parse(first)
    const file = path.join(folder, ".env")
    assert.strictEqual((await fs.stat(file)).mode & 0o777, 0o600)
    const written = await fs.readFile(file, "utf8")
    assert.include(written, `BOOTSTRAP_LIVE_TOKEN=${shown.live_token}`)
    assert.match(written, /^PORT=0$/m)
    assert.strictEqual(shown.proxy_url, `${shown.url}/v1/proxy`)
    for (const token of [shown.live_token, shown.test_token]) {
      const { workspace } = await makeClient({ baseUrl: shown.url, token }).whoami()
      assert.match(workspace.id, /^ws_/)
    }

    const [, link] = /#\/sign-in\/(\w+)$/.exec(shown.sign_in_url) ?? []
    const signIn = () =>
      fetch(`${shown.url}/v1/sessions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ link })
      })
    assert.deepStrictEqual([(await signIn()).status, (await signIn()).status], [201, 401])

    const people = await runIn(folder, ["person", "list", "--json"], { environment })
    const person = JSON.parse(people.stdout)
    assert.deepStrictEqual([person.email, person.roles[0].role], ["ann@example.com", "owner"])
    const workspace = person.roles[0].workspace
    const paid = await runIn(
      folder,
      ["billing", "top-up", "--workspace", workspace, "--amount", "5", "--reference", "a", "--json"],
      { environment }
    )
    assert.deepInclude(JSON.parse(paid.stdout), { amount_usd: 5, balance_usd: 5 })

    server.kill("SIGTERM")
    assert.strictEqual((await once(server, "exit"))[0], 0)
  })

  it("keeps the .env that is there, and shows a table without a link where no people are kept (P1661)", async ({
    onTestFinished
  }) => {
    const folder = await temporaryFolder(onTestFinished)
    const token = `svc_test_${"1".repeat(32)}`
    const content = `STORAGE=memory\nBOOTSTRAP_TEST_TOKEN=${token}\n`
    await fs.writeFile(path.join(folder, ".env"), content)
    const server = up(folder)
    onTestFinished(() => void server.kill("SIGKILL"))
    const lines = createInterface({ input: server.stdout })
    const shown: Array<string> = []
    for await (const line of lines) {
      shown.push(line)
      if (/live token/.test(line)) break
    }
    const table = shown.join("\n")
    assert.match(
      table,
      /^Limbeck listens on (\S+); Ctrl-C stops it\n\n {2}dashboard {3}\1\n {2}proxy {7}\1\/v1\/proxy /
    )
    assert.include(table, `\n  test token  ${token}\n  live token  svc_live_`)
    assert.notInclude(table, "sign in")
    assert.strictEqual(await fs.readFile(path.join(folder, ".env"), "utf8"), content)
  })

  it("names a wrong setting, and writes no file (P1661)", async ({ onTestFinished }) => {
    const folder = await temporaryFolder(onTestFinished)
    const { code, stderr, stdout } = await runIn(folder, ["up", "--json"], { environment: { PORT: "eighty" } })
    assert.deepStrictEqual([code, stdout, JSON.parse(stderr).error.code], [2, "", "settings"])
    assert.isEmpty(await fs.readdir(folder))
  })
})
