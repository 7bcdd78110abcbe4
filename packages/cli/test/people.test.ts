// A client in plain Node, over plain HTTP.
// @effect-diagnostics globalFetch:off
/** `limbeck person`: on a Postgres that a server uses. */
import { assert, describe, it } from "@effect/vitest"
import { freshDatabase } from "@limbeck/testing/database/Database"
import { eventually } from "@limbeck/testing/Eventually"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { runHere } from "./InProcess.ts"
import { type Environment, quiet, Server, type ServerResult } from "./Server.ts"

const person = (environment: Environment, ...words: ReadonlyArray<string>) => runHere(environment, ["person", ...words])

const done = ({ code, stderr, stdout }: ServerResult) => {
  assert.deepStrictEqual([code, stderr], [0, []])
  return stdout
}

describe.concurrent("limbeck person", () => {
  it("lets somebody in beside a server, which knows of each change within a second (P287)", async ({
    onTestFinished
  }) => {
    const DATABASE_URL = await freshDatabase(onTestFinished)
    const environment = {
      ...quiet,
      LOG_LEVEL: "info",
      DATABASE_URL,
      DATA_DIR: await temporaryFolder(onTestFinished)
    }
    const server = await new Server(onTestFinished, environment).start()
    const [line = ""] = done(await runHere(environment, ["workspace", "list"]))
    const workspace = line.split(" ")[0] ?? ""
    const within = ["--workspace", workspace]
    const [added = ""] = done(
      await person(environment, "add", "Ann@Example.com", ...within, "--role", "owner", "--name", "Ann")
    )
    const id = added.split(" ")[0] ?? ""
    assert.strictEqual(added, `${id} ann@example.com owner:${workspace} Ann`)
    const at = { ...environment, PUBLIC_URL: server.origin }
    const [said = ""] = done(await person(at, "link", "ann@example.com"))
    const link = new RegExp(`^Signs in once, until \\S+Z: ${server.origin}/#/sign-in/(\\w{54})$`).exec(said)?.[1] ?? ""
    const signedIn = await fetch(`${server.origin}/v1/sessions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ link })
    })
    assert.strictEqual(signedIn.status, 201)
    const { csrf_token } = (await signedIn.json()) as { readonly csrf_token: string }
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? ""
    const headers = {
      cookie,
      "content-type": "application/json",
      "x-csrf-token": csrf_token,
      "service-workspace": workspace
    }
    const post = async () => {
      const answer = await fetch(`${server.origin}/v1/distill/loops`, { method: "POST", headers, body: '{"name":"a"}' })
      await answer.text()
      return answer.status
    }
    assert.strictEqual(await post(), 201)
    const [viewer = ""] = done(await person(environment, "role", id, ...within, "--role", "viewer"))
    assert.include(viewer, `viewer:${workspace}`)
    await eventually("the server knows the role", async () => (await post()) === 403)
    assert.deepStrictEqual(done(await person(environment, "list", ...within)), [viewer])
    const [shown = ""] = done(await person(environment, "list", ...within, "--json"))
    const { created_at, ...value } = JSON.parse(shown)
    assert.deepStrictEqual(value, { id, email: "ann@example.com", name: "Ann", roles: [{ workspace, role: "viewer" }] })
    assert.isFalse(Number.isNaN(Date.parse(created_at)))
    done(await person(environment, "remove", "ann@example.com"))
    await eventually("the server knows of the end", async () => (await post()) === 401)
    assert.deepStrictEqual(done(await person(environment, "list")), [])
    const log = server.said.join("\n")
    assert.notInclude(log, link)
    assert.notInclude(log, cookie.split("=")[1] ?? "")
    assert.include(log, id)
  })

  it("says in one line what it cannot do", async ({ onTestFinished }) => {
    const environment = {
      DATABASE_URL: await freshDatabase(onTestFinished),
      DATA_DIR: await temporaryFolder(onTestFinished)
    }
    for (const [given, words, code] of [
      [{ STORAGE: "memory" }, ["list"], 2],
      [environment, ["link", "nobody@example.com"], 1],
      [environment, ["add", "ann", "--workspace", `ws_${"0".repeat(26)}`, "--role", "owner"], 1],
      [environment, ["add", "a@b.c", "--workspace", `ws_${"0".repeat(26)}`, "--role", "owner"], 1]
    ] as const) {
      const ended = await person(given, ...words)
      assert.deepStrictEqual([ended.code, ended.stdout, ended.stderr.length], [code, [], 1], ended.stderr.join("\n"))
      assert.notInclude(ended.stderr[0], "    at ")
    }
  })
})
