// A client in plain Node, over plain HTTP.
// @effect-diagnostics globalFetch:off
/** A server killed between any two steps of the assistant. */
import { assert, describe, it } from "@effect/vitest"
import * as Database from "@limbeck/testing/database/Database"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { client } from "@limbeck/testing/http/Client"
import { create } from "@limbeck/testing/http/SourceSteps"
import { dryRun, ticketsVersion } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { inOrder, scriptModel } from "@limbeck/testing/upstream/ScriptedModel"
import { runHere } from "./InProcess.ts"
import { liveToken, quiet, Server } from "./Server.ts"

interface Conversation {
  readonly id: string
  readonly status: "idle" | "working" | "waiting"
  readonly entries: ReadonlyArray<{ readonly type: string; readonly call: string; readonly status: string }>
}

describe("a conversation with the assistant", () => {
  it("goes on after a kill -9 between any two steps and within them, and runs each operation once (P1622)", async ({
    onTestFinished
  }) => {
    const models = new Models()
    await models.open()
    onTestFinished(() => models.close())
    const environment = {
      ...quiet,
      DATABASE_URL: await Database.freshDatabase(onTestFinished),
      DATA_DIR: await temporaryFolder(onTestFinished),
      EGRESS_ALLOW: "127.0.0.0/8"
    }
    const server = await new Server(onTestFinished, environment).start()
    const command = async (...words: ReadonlyArray<string>) => (await runHere(environment, words)).stdout.join("\n")
    const workspace = (await command("workspace", "list")).split(" ")[0] ?? ""
    await command("person", "add", "ann@example.com", "--workspace", workspace, "--role", "owner")
    const link = /\w{54}$/.exec(await command("person", "link", "ann@example.com"))?.[0]
    const entered = await client(server.origin, null).post<{ readonly csrf_token: string }>("/v1/sessions", { link })
    const session = {
      cookie: entered.headers.get("set-cookie")?.split(";")[0] ?? "",
      "x-csrf-token": entered.body.csrf_token,
      "service-workspace": workspace
    }
    const version = await ticketsVersion(client(server.origin, liveToken))
    const script = inOrder(
      [{ tool: "createDataset", input: { body: { name: "made by the assistant" } } }],
      [{ tool: "createRun", input: { body: dryRun(version.id) } }],
      [{ tool: "createRun", input: { body: dryRun(version.id, { dry_run: false }) } }],
      "Done."
    )
    const { name: source } = await create(client(server.origin, liveToken), { base_url: scriptModel(models, script) })
    const post = async (place: string, body: object = {}) =>
      (await client(server.origin, null).with(session).post<Conversation>(`/v1/assistant/conversations${place}`, body))
        .body
    let state = await post("", { source, model: "gpt" })
    state = await post(`/${state.id}/messages`, { text: "Make my tickets cheaper" })
    let kills = 0
    while (state.status !== "idle") {
      // The answer to this request is lost, if there was one.
      const lost = post(`/${state.id}/steps`).catch(() => undefined)
      if (kills % 2 === 0) await lost
      await server.kill()
      await lost
      kills++
      await server.start()
      const read = await client(server.origin, null)
        .with(session)
        .get<Conversation>(`/v1/assistant/conversations/${state.id}`)
      state = read.body
      const waiting = state.entries.find(({ status }) => status === "waiting")
      if (waiting !== undefined) state = await post(`/${state.id}/decisions`, { call: waiting.call, approve: true })
    }
    assert.isAtLeast(kills, 7)
    const count = async (path: string) =>
      (await client(server.origin, liveToken).get<{ readonly data: ReadonlyArray<unknown> }>(path)).body.data.length
    assert.strictEqual(await count("/v1/distill/runs"), 2)
    assert.strictEqual(await count("/v1/distill/datasets"), 2)
    assert.deepStrictEqual(
      state.entries.flatMap(({ status, type }) => (type === "operation" ? [status] : [])),
      ["done", "done", "done"]
    )
  })
})
