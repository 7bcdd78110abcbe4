/** `limbeck workspace`: on a Postgres that a server uses, and on the embedded one when no server does. */
import { assert, describe, it } from "@effect/vitest"
import { freshDatabase } from "@limbeck/testing/database/Database"
import { eventually } from "@limbeck/testing/Eventually"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { Api } from "./Api.ts"
import { usedFolder } from "./DataFolder.ts"
import { runHere } from "./InProcess.ts"
import { type Environment, quiet, runToEnd, Server, type ServerResult } from "./Server.ts"

interface Whoami {
  readonly livemode: boolean
  readonly workspace: { readonly id: string; readonly name: string; readonly plan: string }
}

const workspace = (environment: Environment, ...words: ReadonlyArray<string>) =>
  runToEnd(environment, ["workspace", ...words])

const workspaceHere = (environment: Environment, ...words: ReadonlyArray<string>) =>
  runHere(environment, ["workspace", ...words])

const assertDone = ({ code, stderr }: ServerResult) => assert.deepStrictEqual([code, stderr], [0, []])

/** What `create` says. */
const createdBy = ({ stdout: [line = "", live = "", test = ""] }: ServerResult) => {
  const [, id = "", plan = "", name = ""] = /^(ws_\w{26}) (\S+) (.+)$/.exec(line) ?? []
  const secretOf = (said: string) => /\(shown this once\): (svc_\w+)$/.exec(said)?.[1] ?? ""
  return { id, plan, name, live: secretOf(live), test: secretOf(test) }
}

describe.concurrent("limbeck workspace", () => {
  it("makes a workspace beside a server on the same Postgres, which takes its tokens at once (P163)", async ({
    onTestFinished
  }) => {
    const DATABASE_URL = await freshDatabase(onTestFinished)
    const environment = { ...quiet, DATABASE_URL, DATA_DIR: await temporaryFolder(onTestFinished) }
    const server = await new Server(onTestFinished, environment).start()
    const ended = await workspaceHere(environment, "create", "--name", "Acme Ltd", "--plan", "pro")
    assertDone(ended)
    const { id, live, name, plan, test } = createdBy(ended)
    assert.deepStrictEqual([name, plan], ["Acme Ltd", "pro"])
    for (const [token, livemode] of [
      [live, true],
      [test, false]
    ] as const) {
      const shown = await new Api(server, token).get<Whoami>("/v1/whoami")
      assert.deepInclude(shown, { livemode, workspace: { id, name, plan } })
    }
    assertDone(await workspaceHere(environment, "update", id, "--plan", "free"))
    // Another process has changed it: the server sees the change within a second.
    await eventually("the server shows the new plan", async () =>
      (await new Api(server, live).get<Whoami>("/v1/whoami")).workspace.plan === "free" ? true : undefined
    )
    const listed = await workspaceHere(environment, "list")
    assertDone(listed)
    assert.lengthOf(listed.stdout, 2)
    assert.strictEqual(listed.stdout[0], `${id} free Acme Ltd`)
    assert.match(listed.stdout[1] ?? "", /^ws_\w{26} self_hosted default$/)
  })

  it("makes a workspace in the embedded database, which the next start serves", async ({ onTestFinished }) => {
    const environment = { ...quiet, STORAGE: "embedded", DATA_DIR: await temporaryFolder(onTestFinished) }
    const ended = await workspace(environment, "create", "--name", "Acme")
    assertDone(ended)
    const { id, live } = createdBy(ended)
    const server = await new Server(onTestFinished, environment).start()
    assert.strictEqual((await new Api(server, live).get<Whoami>("/v1/whoami")).workspace.id, id)
  })

  it("works beside a server on the embedded database of the same folder (P848)", async ({ onTestFinished }) => {
    const environment = { ...quiet, STORAGE: "embedded", DATA_DIR: await usedFolder(onTestFinished) }
    const processes = ["serve", "--processes", "2"]
    const server = await new Server(onTestFinished, environment, processes).start()
    const made = await workspace(environment, "create", "--name", "Acme")
    assertDone(made)
    const { id, live } = createdBy(made)
    assert.strictEqual((await new Api(server, live).get<Whoami>("/v1/whoami")).workspace.id, id)
    const words = ["person", "add", "ann@example.com", "--workspace", id, "--role", "owner"]
    assertDone(await runToEnd(environment, words))
    const link = await runToEnd({ ...environment, PUBLIC_URL: server.origin }, ["person", "link", "ann@example.com"])
    assertDone(link)
    assert.include(link.stdout[0], `${server.origin}/#/sign-in/`)
    const topUp = ["billing", "top-up", "--workspace", id, "--amount", "5", "--reference", "invoice 1"]
    assertDone(await runToEnd(environment, topUp))
    // The server had its database the whole time, and goes on.
    assert.strictEqual((await new Api(server, live).get<Whoami>("/v1/whoami")).workspace.id, id)
    assert.strictEqual((await server.stop()).code, 0)
    assertDone(await workspace(environment, "list"))
  })

  it("says in one line what it cannot do", async ({ onTestFinished }) => {
    const environment = {
      DATABASE_URL: await freshDatabase(onTestFinished),
      DATA_DIR: await temporaryFolder(onTestFinished)
    }
    for (const [given, words, code, beginning] of [
      [{ STORAGE: "memory" }, ["list"], 2, "STORAGE: memory keeps no workspaces"],
      [environment, ["create", "--name", " "], 1, "A name has 1 to 200 characters"],
      [environment, ["update", `ws_${"0".repeat(26)}`, "--name", "a"], 1, ""]
    ] as const) {
      const ended = await workspaceHere(given, ...words)
      assert.deepStrictEqual([ended.code, ended.stdout, ended.stderr.length], [code, [], 1], ended.stderr.join("\n"))
      assert.isTrue(ended.stderr[0]?.startsWith(beginning), ended.stderr[0])
      assert.notInclude(ended.stderr[0], "    at ")
    }
  })

  it("explains itself", async () => {
    for (const words of [["--help"], ["create", "--help"]]) {
      const { code, stdout } = await workspaceHere({}, ...words)
      assert.strictEqual(code, 0)
      assert.include(stdout.join("\n"), "limbeck workspace")
    }
  })
})
