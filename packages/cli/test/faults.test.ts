// A client in plain Node, over plain HTTP.
// @effect-diagnostics globalFetch:off
/** The server while its Postgres takes no writes, or is frozen: with a Postgres of the test's own. Both at once, for they mostly wait for time limits. */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as EmbeddedPostgres from "@limbeck/embedded-postgres/EmbeddedPostgres"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { client } from "@limbeck/testing/database/Database"
import { eventually } from "@limbeck/testing/Eventually"
import { temporaryFolder } from "@limbeck/testing/Folders"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { Api } from "./Api.ts"
import { quiet, Server } from "./Server.ts"

interface Health {
  readonly storage: string
  readonly capture: { readonly waiting: number; readonly dropped: number }
}

/** A Postgres that may be stopped and continued as a whole. */
const openPostgres = async (atEnd: AtEnd) => {
  const dataDir = await temporaryFolder(atEnd)
  const scope = Scope.makeUnsafe()
  atEnd(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const { url } = await Effect.runPromise(Scope.provide(EmbeddedPostgres.launch({ dataDir, durable: false }), scope))
  const postmaster = Number(readFileSync(join(dataDir, "data/postmaster.pid"), "utf8").split("\n")[0])
  const signal = (name: NodeJS.Signals) => {
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, "utf8").trim().split(" ")
    // The postmaster first, so that it forks no child meanwhile.
    for (const pid of [postmaster, ...children.map(Number)]) {
      try {
        process.kill(pid, name)
      } catch {
        // A backend that has ended meanwhile.
      }
    }
  }
  const query = (statement: string) =>
    client("public", url).pipe(
      Effect.flatMap((sql) => sql.unsafe<{ value: number }>(statement).unprepared),
      Effect.scoped,
      Effect.runPromise
    )
  const setReadOnly = async (mode: "on" | "off") => {
    await query(`ALTER SYSTEM SET default_transaction_read_only = ${mode}`)
    await query("SELECT pg_reload_conf()")
  }
  atEnd(() => signal("SIGCONT"))
  return { url, query, setReadOnly, freeze: () => signal("SIGSTOP"), thaw: () => signal("SIGCONT") }
}

const openModel = async (atEnd: AtEnd): Promise<string> => {
  const model = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { "content-type": "application/json" })
    response.end('{"choices":[{"message":{"role":"assistant","content":"Paris"}}]}')
  })
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve))
  atEnd(() => {
    model.close()
    model.closeAllConnections()
  })
  return `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1` // It listens on a port.
}

const open = async (atEnd: AtEnd) => {
  const base_url = await openModel(atEnd)
  const postgres = await openPostgres(atEnd)
  const environment = { ...quiet, DATABASE_URL: postgres.url, DATA_DIR: await temporaryFolder(atEnd) }
  const server = await new Server(atEnd, environment).start()
  const api = new Api(server)
  const source = { name: "m", kind: "byok", base_url, api_key: "sk-0123456789", default: true }
  await api.create("/v1/sources", source, "source")
  const call = async () => {
    const body = { model: "m", messages: [{ role: "user", content: "The capital of France?" }] }
    return (await api.call("POST", "/v1/proxy/chat/completions", { body })).status
  }
  assert.strictEqual(await call(), 200)
  const health = async () => (await api.call<Health>("GET", "/healthz")).body
  return { api, call, health, postgres, server }
}

describe.concurrent("a Postgres that reads but takes no writes", () => {
  it("costs no captured call, is told of, and keeps no write waiting (P131)", async ({ onTestFinished }) => {
    const { api, call, health, postgres, server } = await open(onTestFinished)
    await eventually("the first call is stored", async () => (await health()).capture.waiting === 0 || undefined)
    await postgres.setReadOnly("on")
    const statuses: Array<number> = []
    for (let index = 0; index < 30; index++) statuses.push(await call())
    assert.deepStrictEqual([...new Set(statuses)], [200])
    await eventually("it is told of", async () => (await health()).storage === "read_only" || undefined)
    assert.strictEqual((await api.call("GET", "/healthz")).status, 503)
    const metrics = await (await fetch(`${server.origin}/metrics`)).text()
    assert.match(metrics, /^limbeck_storage_writable 0/m)
    const refused = await api.call("POST", "/v1/sources", {
      body: { name: "n", kind: "byok", base_url: "https://a.example/v1", api_key: "sk-0123456789" }
    })
    assert.deepStrictEqual([refused.status, refused.headers.has("retry-after")], [503, true])
    const rolledBack = async () =>
      Number(
        (
          await postgres.query(
            "SELECT xact_rollback::int AS value FROM pg_stat_database WHERE datname = current_database()"
          )
        )[0]?.value
      )
    const before = await rolledBack()
    await eventually("storing was tried many times", async () => (await rolledBack()) > before + 12 || undefined)
    assert.deepInclude((await health()).capture, { waiting: 30, dropped: 0 })
    await postgres.setReadOnly("off")
    await eventually("all is stored", async () => (await health()).capture.waiting === 0 || undefined)
    assert.strictEqual((await health()).capture.dropped, 0)
    assert.lengthOf(await api.list("/v1/distill/calls"), 31)
    await eventually("all is well", async () => (await health()).storage === "ok" || undefined)
  })
})

describe.concurrent("a Postgres that is frozen", () => {
  it("is a 503 in time, stops no call and no end of the server, and is used again when it goes on (P131)", async ({
    onTestFinished
  }) => {
    const { api, call, postgres, server } = await open(onTestFinished)
    for (const round of [1, 2]) {
      postgres.freeze()
      // Nobody thaws it before these have come: each ends by its time limit alone.
      const ask = async (method: string, body?: object) => {
        const { headers, status } = await api.call(method, "/v1/sources", body === undefined ? {} : { body })
        return [status, headers.get("retry-after")]
      }
      const fields = { kind: "byok", base_url: "https://a.example/v1", api_key: "sk-0123456789" }
      const asked = [ask("GET"), ask("POST", { name: `n${round}`, ...fields })]
      assert.strictEqual(await call(), 200)
      assert.deepStrictEqual(await Promise.all(asked), [
        [503, "2"],
        [503, "2"]
      ])
      assert.strictEqual(await call(), 200)
      postgres.thaw()
      await eventually(
        "storage answers",
        async () => (await api.call("GET", "/v1/sources")).status === 200 || undefined
      )
    }
    postgres.freeze()
    const underWay = Promise.all([...Array(9)].map(async () => (await api.call("GET", "/v1/sources")).status))
    assert.strictEqual(await call(), 200)
    assert.strictEqual((await server.stop()).code, 0)
    assert.deepStrictEqual(new Set(await underWay), new Set([503]))
    postgres.thaw()
    await server.start()
    // One call of `open`, two of each round, and the last, which waited in the journal.
    await eventually(
      "all calls are stored",
      async () => (await api.list("/v1/distill/calls")).length === 6 || undefined
    )
  })
})
