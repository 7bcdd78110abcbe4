// @effect-diagnostics globalFetch:off
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execute, freshDatabase } from "@limbeck/testing/database/Database"
import { eventually } from "@limbeck/testing/Eventually"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { Api, isOver, type Run, rows } from "./Api.ts"
import { usedFolder } from "./DataFolder.ts"
import { runHere } from "./InProcess.ts"
import { type Environment, quiet, runToEnd, Server, testToken } from "./Server.ts"
import { workOfRuns } from "./Work.ts"

const logs: Environment = { LOG_LEVEL: "warn", LOG_FORMAT: "json" }
const memory: Environment = { ...quiet, STORAGE: "memory" }

/**
 * Ends with this code and one line, which begins like this; says nothing else. `run` is `runToEnd` in one
 * test of each kind of refusal, and otherwise saves the process.
 */
const assertRefused = async (
  environment: Environment,
  code: number,
  beginning: string,
  run: typeof runHere = runHere
) => {
  const ended = await run(environment, ["serve"])
  assert.deepStrictEqual([ended.code, ended.stdout], [code, []])
  assert.lengthOf(ended.stderr, 1)
  assert.isTrue(ended.stderr[0]?.startsWith(beginning), ended.stderr[0])
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe.concurrent("a server that cannot start says why in one line", () => {
  it("of a wrong setting, with exit code 2", async () => {
    await Promise.all([
      assertRefused({ PORT: "eighty" }, 2, "PORT: ", runToEnd),
      assertRefused({ STORAGE: "memory", RATE_LIMIT: "much" }, 2, "RATE_LIMIT: "),
      assertRefused(
        { STORAGE: "memory", RATE_LIMITS: "off" },
        2,
        "RATE_LIMITS: is no setting; did you mean RATE_LIMIT?"
      )
    ])
  })

  it("of a data folder that is none, or that holds a broken key, with exit code 2", async ({ onTestFinished }) => {
    const folder = await temporaryFolder(onTestFinished)
    const name = join(folder, "encryption-key")
    writeFileSync(name, "not a key")
    await Promise.all([
      assertRefused({ DATA_DIR: name }, 2, "DATA_DIR: ", runToEnd),
      assertRefused({ DATA_DIR: name, ENCRYPTION_KEY: Buffer.alloc(32).toString("base64") }, 2, "DATA_DIR: "),
      assertRefused({ DATA_DIR: folder }, 2, "DATA_DIR: ")
    ])
  })

  it("of a folder for the journal that is none, with exit code 2 (P132)", async ({ onTestFinished }) => {
    const folder = await temporaryFolder(onTestFinished)
    const JOURNAL_DIR = join(folder, "a-file")
    writeFileSync(JOURNAL_DIR, "")
    await Promise.all([
      assertRefused({ DATA_DIR: folder, STORAGE: "embedded", JOURNAL_DIR }, 2, "JOURNAL_DIR: "),
      assertRefused({ ...memory, JOURNAL_DIR }, 2, "JOURNAL_DIR: ")
    ])
  })

  it.skipIf(process.platform !== "linux")(
    "of a folder for the journal that can never be made, or takes no files, with exit code 2 (P926)",
    async ({ onTestFinished }) => {
      const folder = await temporaryFolder(onTestFinished)
      const file = join(folder, "file")
      writeFileSync(file, "")
      const places = ["/proc/journal", "/proc/journal/below", "/proc", join(file, "below")]
      await Promise.all(places.map((JOURNAL_DIR) => assertRefused({ ...memory, JOURNAL_DIR }, 2, "JOURNAL_DIR: ")))
    }
  )

  it("of other keys than those that its storage was sealed with, with exit code 2, and takes a list of keys (P132)", async ({
    onTestFinished
  }) => {
    const DATABASE_URL = await freshDatabase(onTestFinished)
    const DATA_DIR = await temporaryFolder(onTestFinished)
    const [one, two] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64"))
    const withKeys = (ENCRYPTION_KEY: string) => ({ ...quiet, DATABASE_URL, DATA_DIR, ENCRYPTION_KEY })
    await (await new Server(onTestFinished, withKeys(one!)).start()).stop()
    await assertRefused(withKeys(two!), 2, "ENCRYPTION_KEY: ")
    await (await new Server(onTestFinished, withKeys(`${two},${one}`)).start()).stop()
    await (await new Server(onTestFinished, withKeys(two!)).start()).stop()
  })

  it("of a schema that a newer version has made (P132)", async ({ onTestFinished }) => {
    const DATABASE_URL = await freshDatabase(onTestFinished)
    const environment = { ...quiet, DATABASE_URL, DATA_DIR: await temporaryFolder(onTestFinished) }
    await (await new Server(onTestFinished, environment).start()).stop()
    await execute("INSERT INTO limbeck.migrations (migration_id, name) VALUES (9000, 'later')", DATABASE_URL)
    await assertRefused(environment, 1, "could not use the database of DATABASE_URL (StoragePostgres.migrate): ")
  })

  it("of a port that is taken, with exit code 1, and the one who has it is not disturbed", async () => {
    const { port } = new URL(server.origin)
    await assertRefused({ ...memory, PORT: port }, 1, `cannot listen on 127.0.0.1:${port}: `)
    assert.strictEqual((await new Api(server).call("GET", "/healthz")).status, 200)
  })

  it("of a database that does not answer, with exit code 1", async ({ onTestFinished }) => {
    const DATA_DIR = await temporaryFolder(onTestFinished)
    await assertRefused(
      { DATA_DIR, DATABASE_URL: "postgres://nobody@127.0.0.1:1/nothing" },
      1,
      "could not use the database of DATABASE_URL",
      runToEnd
    )
  })
})

/** For tests that need no fresh start. */
const server = new Server(afterAll, memory)
beforeAll(() => server.start())

describe.concurrent("a first start and a second one over the same data", () => {
  it("shows the tokens it made once, keeps them and its key, and keeps the data", async ({ onTestFinished }) => {
    const folder = await temporaryFolder(onTestFinished)
    const keyFile = join(folder, "data/encryption-key")
    const server = await new Server(onTestFinished, {
      ...logs,
      STORAGE: "embedded",
      DATA_DIR: join(folder, "data")
    }).start()
    const said = server.said.join("\n")
    const [live, test] = ["Live", "Test"].map(
      (mode) => new RegExp(`^${mode} token \\(shown this once\\): (svc_\\w+)$`, "m").exec(said)?.[1] ?? ""
    )
    assert.match(live ?? "", /^svc_live_[0-9A-Za-z]{49}$/)
    assert.match(test ?? "", /^svc_test_[0-9A-Za-z]{49}$/)
    assert.strictEqual(statSync(keyFile).mode & 0o777, 0o600)
    const key = readFileSync(keyFile, "utf8")

    const asLive = new Api(server, live)
    const url = "https://receiver.example/hook"
    const endpoint = await asLive.create<{ id: string }>("/v1/webhook_endpoints", { url, enabled_events: ["*"] }, "k")
    assert.strictEqual((await server.stop()).code, 0)

    await server.start()
    assert.deepStrictEqual([...server.said], [`Limbeck listens on ${server.origin}`])
    assert.strictEqual(readFileSync(keyFile, "utf8"), key)
    const whoami = await new Api(server, test).get<{ livemode: boolean }>("/v1/whoami")
    assert.isFalse(whoami.livemode)
    // The stored response holds a secret: its replay proves that the key still decrypts.
    const again = await asLive.call("POST", "/v1/webhook_endpoints", {
      body: { url, enabled_events: ["*"] },
      key: "k"
    })
    assert.deepStrictEqual([again.headers.get("idempotent-replayed"), again.body], ["true", endpoint])
  })

  it("takes the tokens it is given, at every start, and never shows them", async ({ onTestFinished }) => {
    const DATA_DIR = await temporaryFolder(onTestFinished)
    const server = await new Server(onTestFinished, { ...quiet, STORAGE: "embedded", DATA_DIR }).start()
    for (const round of [1, 2]) {
      if (round === 2) {
        await server.stop()
        await server.start()
      }
      assert.deepStrictEqual([...server.said], [`Limbeck listens on ${server.origin}`])
      assert.strictEqual((await new Api(server).call("GET", "/v1/whoami")).status, 200)
      assert.strictEqual((await new Api(server, `${testToken}0`).call("GET", "/v1/whoami")).status, 401)
    }
  })

  it("starts empty with memory storage", async ({ onTestFinished }) => {
    const server = await new Server(onTestFinished, memory).start()
    const api = new Api(server)
    await api.announce()
    assert.lengthOf(await api.list("/v1/distill/uploads"), 1)
    await server.stop()
    await server.start()
    assert.lengthOf(await api.list("/v1/distill/uploads"), 0)
  })

  it("names the request and the version in each response, of pages, assets and metrics too (P945)", async () => {
    const { origin } = server
    const page = await fetch(`${origin}/`)
    const asset = /"(\/assets\/[^"]+)"/.exec(await page.text())?.[1]
    const etag = page.headers.get("etag") ?? ""
    const asked: ReadonlyArray<readonly [path: string, init: RequestInit, status: number]> = [
      ["/", {}, 200],
      ["/", { method: "HEAD" }, 200],
      ["/", { headers: { "if-none-match": etag } }, 304],
      ["/docs", {}, 200],
      [asset ?? "", {}, 200],
      ["/metrics", {}, 200],
      ["/metrics", { method: "HEAD" }, 200],
      ["/healthz", {}, 200],
      ["/unknown", {}, 404],
      ["/v1/whoami", {}, 401]
    ]
    const ids = new Set<string>()
    for (const [path, init, status] of asked) {
      const { headers, status: came } = await fetch(origin + path, init)
      assert.strictEqual(came, status, path)
      assert.strictEqual(headers.get("service-version"), "2026-11-01", path)
      const id = headers.get("x-request-id") ?? ""
      assert.match(id, /^req_[0-9a-hjkmnp-tv-z]{26}$/, path)
      ids.add(id)
    }
    assert.strictEqual(ids.size, asked.length)
  })

  it("shows its metrics to HEAD and behind a query too, each answer with its request id (P383)", async () => {
    const { origin } = server
    const whole = await fetch(`${origin}/metrics?from=here`)
    assert.include(await whole.text(), "process_cpu_seconds_total")
    const { headers, status } = await fetch(`${origin}/metrics`, { method: "HEAD" })
    assert.deepStrictEqual([status, headers.get("content-type")], [200, whole.headers.get("content-type")])
    const ids = [whole.headers, headers].map((each) => each.get("x-request-id") ?? "")
    for (const id of ids) assert.match(id, /^req_/)
    assert.notStrictEqual(ids[0], ids[1])
  })
})

describe("SIGTERM", () => {
  it("lets a request under way finish, takes no new one, exits 0, and takes the embedded Postgres along (P43)", async ({
    onTestFinished
  }) => {
    const folder = await usedFolder(onTestFinished)
    const server = await new Server(onTestFinished, { ...quiet, STORAGE: "embedded", DATA_DIR: folder }).start()
    const postgres = Number(readFileSync(join(folder, "postgres/data/postmaster.pid"), "utf8").split("\n")[0])
    assert.isTrue(isAlive(postgres))
    const api = new Api(server)
    const upload = await api.announce()
    const content = rows(10)

    const { pathname, search } = new URL(upload.upload_url)
    // A client that would keep its connection.
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    const put = request(server.origin + pathname + search, { method: "PUT", agent })
    const answered = new Promise<number | undefined>((resolve, reject) => {
      put.once("error", reject).once("response", (response) => resolve(response.resume().statusCode))
    })
    put.write(content.slice(0, 100))
    // The upload's bytes were sent before this request, which has its response.
    await api.call("GET", "/v1/whoami")
    server.signal("SIGTERM")
    await eventually("new connections are refused", () =>
      api.call("GET", "/v1/whoami").then(
        () => undefined,
        () => true
      )
    )
    put.end(content.slice(100))
    assert.strictEqual(await answered, 202)
    // That it waits for no limit then: `listener.test.ts`.
    assert.deepStrictEqual(await server.ended.then(({ code, stderr }) => [code, stderr]), [0, []])
    assert.isFalse(isAlive(postgres))

    await server.start()
    assert.deepInclude(await api.uploaded(upload), { status: "succeeded", rows: 10 })
  })

  it("ends streams at once, and does not wait for the runs that they follow", async ({ onTestFinished }) => {
    const server = new Server(onTestFinished, memory)
    const api = new Api(server)
    const states = await eventually("the server is stopped in the middle of a run", async () => {
      await server.start()
      const [run] = await api.runs(await api.plan(), 1)
      const stream = api.stream(run!.id)
      await eventually("the run has been begun", async () => (await api.run(run!.id)).status !== "queued")
      assert.strictEqual((await server.stop()).code, 0)
      const { ended, events } = await stream
      assert.isTrue(ended)
      const told = events.flatMap(({ data, event }) => (event === "state" ? [JSON.parse(data)] : []))
      return !told.some(isOver) && told
    })
    assert.isNotEmpty(states)
  })

  it("hands runs back, so that the next start takes them up without waiting for a lease (P43)", async ({
    onTestFinished
  }) => {
    const DATABASE_URL = await freshDatabase(onTestFinished)
    const DATA_DIR = await temporaryFolder(onTestFinished)
    const server = new Server(onTestFinished, { ...quiet, DATABASE_URL, DATA_DIR })
    const api = new Api(server)
    const runs: Array<Run> = []
    const left = await eventually("runs are under way when the server is stopped", async () => {
      await server.start()
      // More than end within the second for which idle connections are kept.
      const more = await api.runs(await api.plan(), 60)
      runs.push(...more)
      await eventually("a run has begun", async () => {
        const found = await Promise.all(more.map(({ id }) => api.run(id)))
        return found.some(({ status }) => status !== "queued") ? found : undefined
      })
      assert.strictEqual((await server.stop()).code, 0)
      const work = await workOfRuns(DATABASE_URL)
      return work.some(({ status }) => status !== "queued") && work
    })
    assert.deepStrictEqual(
      left.filter(({ isHeld, waitMillis }) => isHeld || waitMillis > 0),
      []
    )
    await server.start()
    await api.whenOver(runs)
  })
})
