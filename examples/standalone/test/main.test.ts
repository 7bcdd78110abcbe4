// @effect-diagnostics globalFetch:off
/** The program, started and asked over HTTP, on each of its storages. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { freshDatabase } from "@limbeck/testing/database/Database"
import { temporaryFolder } from "@limbeck/testing/Folders"
import * as Programs from "../../../packages/workshop/programs/Programs.ts"

const main = await Programs.made(new URL("../src/main.ts", import.meta.url))

type Environment = Readonly<Record<string, string>>

const start = (atEnd: AtEnd, environment: Environment): ChildProcess => {
  const { HOME = "/", PATH = "" } = process.env
  const server = spawn(process.execPath, ["--conditions=@limbeck/source", main], {
    env: { HOME, PATH, PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"]
  })
  atEnd(() => void server.kill("SIGKILL"))
  return server
}

const matched = async (lines: AsyncIterator<string>, pattern: RegExp): Promise<string> => {
  const { value } = await lines.next()
  return pattern.exec(value)?.[1] ?? assert.fail(`${value} is not ${pattern}`)
}

/** The server's address, and its sign-in message. */
const opened = async (atEnd: AtEnd, environment: Environment) => {
  const server = start(atEnd, environment)
  const lines = createInterface({ input: server.stdout! })[Symbol.asyncIterator]()
  const origin = await matched(lines, /^Limbeck listens on (http:\S+)$/)
  return { server, lines, origin }
}

const stop = async (server: ChildProcess) => {
  const ended = once(server, "exit")
  server.kill("SIGTERM")
  await ended
}

const whoami = async (origin: string, token: string) =>
  (await fetch(`${origin}/v1/whoami`, { headers: { authorization: `Bearer ${token}` } })).json()

describe("the standalone server as a program of one's own", () => {
  it("says at its first start how to sign in, shows the dashboard, and ends when it is asked to (P949)", async ({
    onTestFinished
  }) => {
    const { lines, origin, server } = await opened(onTestFinished, { STORAGE: "memory" })
    const live = await matched(lines, /^Sign in there with the live token \(shown this once\): (svc_live_\w+)$/)
    const test = await matched(lines, /^Test token \(shown this once\): (svc_test_\w+)$/)
    assert.deepInclude(await whoami(origin, live), { object: "whoami", livemode: true })
    assert.deepInclude(await whoami(origin, test), { object: "whoami", livemode: false })
    const page = await fetch(origin)
    assert.deepStrictEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"])
    await stop(server)
    assert.isUndefined(await fetch(origin).catch(() => undefined))
  })

  it("keeps what it has in the database of DATABASE_URL, and its key in DATA_DIR (P949)", async ({
    onTestFinished
  }) => {
    const DATA_DIR = await temporaryFolder(onTestFinished)
    const environment = { DATA_DIR, DATABASE_URL: await freshDatabase(onTestFinished) }
    const first = await opened(onTestFinished, environment)
    const token = await matched(first.lines, /: (svc_live_\w+)$/)
    await stop(first.server)
    const again = await opened(onTestFinished, environment)
    assert.deepInclude(await whoami(again.origin, token), { livemode: true })
    await stop(again.server)
    assert.isTrue((await again.lines.next()).done, "It shows tokens once")
  })

  it("ends with 2 and a sentence about a wrong setting", async ({ onTestFinished }) => {
    const server = start(onTestFinished, { RATE_LIMIT: "fast" })
    const [said] = await once(createInterface({ input: server.stderr! }), "line")
    assert.include(said, "RATE_LIMIT")
    assert.deepStrictEqual(server.exitCode ?? (await once(server, "exit"))[0], 2)
  })
})
