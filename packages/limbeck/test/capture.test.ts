/** Captured calls on a whole server: an outage of storage, and texts that must appear nowhere. */
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually, patienceMillis } from "@limbeck/testing/Eventually"
import { HandClock } from "@limbeck/testing/fixtures/HandClock"
import { url } from "@limbeck/testing/fixtures/Postgres"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { fetch, Pool } from "undici"
import * as Limbeck from "../src/Limbeck.ts"
import * as CapturedCalls from "./support/CapturedCalls.ts"
import { ProxyClients, post } from "./support/ProxyClients.ts"
import * as ProxyServers from "./support/ProxyServers.ts"
import * as Relay from "./support/Relay.ts"

/** A server in this process; `url`: its way to the database. */
const serve = async (
  atEnd: AtEnd,
  url: string,
  schema: string,
  directory: string,
  clock = Effect.runSync(Clock.Clock)
) => {
  const limbeck = await Limbeck.make({
    storage: Layer.merge(StoragePostgres.layer({ url, schema, maxConnections: 4 }), Layer.succeed(Clock.Clock, clock)),
    encryptionKeys: [Redacted.make(new Uint8Array(32))],
    bootstrap: { liveToken: null, testToken: ProxyServers.token },
    settings: { rateLimit: null },
    journal: { directory }
  })
  const server = createServer(limbeck.node).listen(0, "127.0.0.1")
  await once(server, "listening")
  const close = async () => {
    server.close()
    server.closeAllConnections()
    await limbeck.close()
  }
  let closing: Promise<void> | undefined
  const closeOnce = () => {
    closing ??= close()
    return closing
  }
  atEnd(closeOnce)
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: closeOnce } // It listens on a port.
}

interface Figures {
  readonly waiting: number
  readonly dropped: number
  readonly trouble: string | null
}

const figuresOf = async (origin: string): Promise<Figures> => {
  const response = await fetch(`${origin}/healthz`)
  const { capture } = (await response.json()) as { readonly capture: Figures } // As /healthz has it.
  return capture
}

/** The suite has no minute for it; a variable asks for it. */
const outageMillis = Number(process.env["OUTAGE_SECONDS"] ?? 4) * 1_000

describe("storage that is down under load", () => {
  it("fails no call, and all of them are in storage afterwards, each once (P66)", { timeout: patienceMillis }, async ({
    onTestFinished: atEnd
  }) => {
    const calls = await CapturedCalls.open(atEnd)
    const relay = await Relay.open(atEnd, new URL(url))
    const directory = ProxyServers.temporaryFolder(atEnd, "journal")
    const { origin } = await serve(atEnd, relay.url, calls.schema, directory)
    const base_url = await ProxyServers.model(atEnd)
    await post(origin, "/v1/sources", { name: "m", kind: "byok", base_url, api_key: "sk-0123456789", default: true })
    const clients = new ProxyClients()
    const ending = new AbortController()
    const loading = clients.load(origin, 8, ending.signal)
    await clients.changes.until("calls flow", () => clients.received.length > 50)
    relay.cut()
    await sleep(outageMillis)
    await eventually("calls wait", async () => (await figuresOf(origin)).waiting > 100)
    relay.mend()
    const before = clients.received.length
    await clients.changes.until("calls flow on", () => clients.received.length > before + 50)
    ending.abort()
    await loading
    await eventually("all is shipped", async () => (await figuresOf(origin)).waiting === 0)
    assert.deepStrictEqual(clients.refused, [])
    assert.deepStrictEqual(await figuresOf(origin), { waiting: 0, dropped: 0, trouble: null })
    const stored = (await calls.all()).map(({ id }) => id)
    assert.sameMembers(
      stored,
      clients.received.map(({ id }) => id)
    )
  })
})

describe("storage that does not answer", () => {
  it("is told of by the health check within a second or so, though nothing else is heard of it (P107)", async ({
    onTestFinished: atEnd
  }) => {
    const calls = await CapturedCalls.open(atEnd)
    const relay = await Relay.open(atEnd, new URL(url))
    const clock = new HandClock()
    const directory = ProxyServers.temporaryFolder(atEnd, "journal")
    const { close, origin } = await serve(atEnd, relay.url, calls.schema, directory, clock)
    const health = () => fetch(`${origin}/healthz`)
    assert.strictEqual((await health()).status, 200)
    relay.freeze()
    const asked = health()
    // The clock ticks to two seconds and stands: what waits for longer waits for good.
    const stop = clock.tick()
    const until = clock.currentTimeMillisUnsafe() + 2_000
    await eventually("two seconds have passed", () => clock.currentTimeMillisUnsafe() >= until)
    stop()
    const response = await asked
    assert.deepInclude(await response.json(), { status: "unavailable", storage: "unavailable", queue: "unavailable" })
    assert.strictEqual(response.status, 503)
    relay.cut()
    await close()
  })
})

/** Each is given to the server in another way, and none of them may be found again. */
const secrets = {
  apiKey: "sk-upstream-4f6c1d2b8a90e7",
  token: ProxyServers.token,
  cookie: "session-9b1de2f7c3",
  proxyKey: "x-api-key-71c0aa5592",
  queryKey: "key-in-a-query-5d02f1",
  upstreamCookie: "upstream-cookie-cc41d8",
  upstreamHeader: "upstream-secret-87f2b0"
}

const filesIn = (directory: string): ReadonlyArray<Buffer> =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))

describe("what was captured", () => {
  it("holds no credential: not in the journal, not in storage, not in what is logged (P71)", {
    timeout: patienceMillis
  }, async ({ onTestFinished: atEnd }) => {
    const calls = await CapturedCalls.open(atEnd)
    const directory = ProxyServers.temporaryFolder(atEnd, "journal")
    const relay = await Relay.open(atEnd, new URL(url))
    const options = { url: relay.url, schema: calls.schema, directory, token: ProxyServers.token }
    const servers = ProxyServers.open(atEnd, options)
    const server = servers.start()
    const origin = await server.origin
    const answers = [
      (base: string) => ({ name: "ok", base_url: `${base}/v1`, default: true }),
      (base: string) => ({ name: "managed", kind: "managed", base_url: `${base}/v1`, models: ["m"] }),
      () => ({ name: "gone", base_url: "http://127.0.0.1:1/v1" })
    ]
    const upstream = createServer((request, response) => {
      request.resume().on("end", () => {
        response.writeHead(request.headers["x-fail"] === undefined ? 200 : 500, {
          "content-type": "application/json",
          "set-cookie": secrets.upstreamCookie,
          "x-upstream-secret": secrets.upstreamHeader
        })
        response.end('{"choices":[]}')
      })
    }).listen(0, "127.0.0.1")
    await once(upstream, "listening")
    atEnd(() => void upstream.close())
    const base = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` // It listens on a port.
    for (const answer of answers) {
      await post(origin, "/v1/sources", { kind: "byok", api_key: secrets.apiKey, ...answer(base) })
    }
    const pool = new Pool(origin)
    const callAll = async () => {
      for (const source of ["ok", "managed", "gone", "unknown"]) {
        for (const more of [{}, { "x-fail": "1" }]) {
          const answer = await pool.request({
            method: "POST",
            path: `/v1/proxy/chat/completions?api_key=${secrets.queryKey}`,
            headers: {
              authorization: `Bearer ${secrets.token}`,
              cookie: secrets.cookie,
              "x-api-key": secrets.proxyKey,
              "content-type": "application/json",
              "x-service-source": source,
              ...more
            },
            body: '{"model":"m","messages":[]}'
          })
          await answer.body.dump()
        }
      }
    }
    const isShipped = async () => (await figuresOf(origin)).waiting === 0
    await callAll()
    await eventually("the sources are known, and their calls shipped", isShipped)
    // The journal with waiting records, and after shipping.
    relay.cut()
    await callAll()
    assert.strictEqual((await figuresOf(origin)).waiting, 6)
    const journal = filesIn(directory)
    relay.mend()
    await eventually("all is shipped", isShipped)
    await pool.close()
    const stored = await calls.all()
    assert.strictEqual(stored.length, 12)
    await server.end("SIGTERM")
    const places = {
      journal: Buffer.concat([...journal, ...filesIn(directory)]).toString("latin1"),
      storage: await calls.everything(),
      log: server.said.join("")
    }
    assert.include(places.journal, '"model":"m"')
    assert.include(places.storage, "choices")
    for (const [place, text] of Object.entries(places)) {
      for (const [name, secret] of Object.entries(secrets)) assert.isFalse(text.includes(secret), `${name} in ${place}`)
    }
  })
})
