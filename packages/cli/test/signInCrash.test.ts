// A client in plain Node, over plain HTTP.
// @effect-diagnostics globalFetch:off
/** A server killed during sign-ins. */
import { assert, describe, it } from "@effect/vitest"
import * as Database from "@limbeck/testing/database/Database"
import { temporaryFolder } from "@limbeck/testing/Folders"
import * as Effect from "effect/Effect"
import { runHere } from "./InProcess.ts"
import { quiet, Server } from "./Server.ts"

const links = 4

const countOf = (database: string, kind: string) =>
  Database.client("limbeck", database).pipe(
    Effect.flatMap((sql) => sql<{ readonly count: number }>`SELECT count(*) FROM resources WHERE kind = ${kind}`),
    Effect.map(([row]) => row?.count),
    Effect.scoped,
    Effect.runPromise
  )

describe("a sign-in", () => {
  it("through a kill -9 is whole or did not happen: its link is used and a session is there, or neither (P354)", async ({
    onTestFinished
  }) => {
    const DATABASE_URL = await Database.freshDatabase(onTestFinished)
    const environment = { ...quiet, DATABASE_URL, DATA_DIR: await temporaryFolder(onTestFinished) }
    const server = await new Server(onTestFinished, environment).start()
    const command = async (...words: ReadonlyArray<string>) => (await runHere(environment, words)).stdout.join("\n")
    const workspace = (await command("workspace", "list")).split(" ")[0] ?? ""
    await command("person", "add", "ann@example.com", "--workspace", workspace, "--role", "owner")
    const secrets = await Promise.all(
      Array.from({ length: links }, async () => /\w{54}$/.exec(await command("person", "link", "ann@example.com"))?.[0])
    )
    const signIn = async (link: string | undefined) => {
      const answer = await fetch(`${server.origin}/v1/sessions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ link })
      })
      return { status: answer.status, cookie: answer.headers.get("set-cookie")?.split(";")[0] }
    }
    const attempts = secrets.map((link) => signIn(link).catch(() => undefined))
    // Others are somewhere between their first byte and their commit.
    await Promise.race(attempts)
    await server.kill()
    const answers = await Promise.all(attempts)
    await server.start()

    const used = links - ((await countOf(DATABASE_URL, "sign_in_link")) ?? 0)
    assert.strictEqual(await countOf(DATABASE_URL, "session"), used)
    const heard = answers.filter((answer) => answer?.status === 201)
    assert.isAtLeast(heard.length, 1)
    assert.isAtLeast(used, heard.length)
    for (const answer of heard) {
      const { status } = await fetch(`${server.origin}/v1/session`, { headers: { cookie: answer?.cookie ?? "" } })
      assert.strictEqual(status, 200, "what was answered is kept")
    }
    const again = await Promise.all(secrets.map(signIn))
    assert.strictEqual(again.filter(({ status }) => status === 201).length, links - used)
  })
})
