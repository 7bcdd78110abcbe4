/** What the proxy knows through an outage of the database, whatever happened just before it. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Executors from "@limbeck/executors/Executors"
import * as StubExecutor from "@limbeck/executors/StubExecutor"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import * as Database from "@limbeck/testing/database/Database"
import { eventually, patienceMillis } from "@limbeck/testing/Eventually"
import { url } from "@limbeck/testing/fixtures/Postgres"
import * as SpendingExecutor from "@limbeck/testing/fixtures/SpendingExecutor"
import { client, expectStatus } from "@limbeck/testing/http/Client"
import { type DeploymentView, deployAndWait, llm, path, studentOf } from "@limbeck/testing/http/DeploymentSteps"
import { ticketsVersion } from "@limbeck/testing/http/Steps"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { fetch, Pool } from "undici"
import * as Limbeck from "../src/Limbeck.ts"
import * as ProxyServers from "./support/ProxyServers.ts"
import * as Relay from "./support/Relay.ts"

interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: Record<string, string | Array<string> | undefined>
}

const liveToken = ProxyServers.token.replace("test", "live")

/** A server whose way to the database can be cut, one source that has been called, and a token of its own. */
const open = async (atEnd: AtEnd) => {
  const { schema, sql } = await Database.openSchema(atEnd)
  const relay = await Relay.open(atEnd, new URL(url))
  const limbeck = await Limbeck.make({
    storage: StoragePostgres.layer({ url: relay.url, schema, maxConnections: 4 }),
    encryptionKeys: [Redacted.make(new Uint8Array(32))],
    bootstrap: { liveToken, testToken: ProxyServers.token },
    egressAllow: ["127.0.0.0/8"],
    executors: Executors.layer({
      stub: StubExecutor.make({ pace: "1 millis" }),
      llm: SpendingExecutor.make({ pace: "1 millis" })
    }),
    settings: { rateLimit: null },
    journal: { directory: ProxyServers.temporaryFolder(atEnd, "journal") }
  })
  const server = createServer(limbeck.node).listen(0, "127.0.0.1")
  await once(server, "listening")
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // It listens on a port.
  const pool = new Pool(origin)
  atEnd(async () => {
    relay.cut()
    await pool.destroy()
    server.close()
    server.closeAllConnections()
    await limbeck.close()
  })
  const ask = async (method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: object, token?: string) => {
    const answer = await pool.request({
      method,
      path,
      headers: { authorization: `Bearer ${token ?? ProxyServers.token}`, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body)
    })
    const asked: Answer = { status: answer.statusCode, text: await answer.body.text(), headers: answer.headers }
    return asked
  }
  const made = async (path: string, body: object): Promise<{ readonly id: string; readonly secret: string }> => {
    const { status, text } = await ask("POST", path, body)
    assert.isBelow(status, 300, text)
    return JSON.parse(text)
  }
  const base_url = await ProxyServers.model(atEnd)
  const source = await made("/v1/sources", {
    name: "m",
    kind: "byok",
    base_url,
    api_key: "sk-0123456789",
    default: true
  })
  const token = await made("/v1/tokens", { name: "t", scopes: ["proxy:write"] })
  const call = async (model = "m") =>
    ask("POST", "/v1/proxy/chat/completions", { model, messages: [{ role: "user", content: "?" }] }, token.secret)
  assert.strictEqual((await call()).status, 200)
  const isListening = () =>
    Effect.runPromise(
      Effect.map(
        sql`SELECT FROM pg_stat_activity WHERE state = 'idle' AND query LIKE ${`LISTEN%${schema}_bells%`}`,
        ({ length }) => length > 0
      )
    )
  return { ask, base_url, call, isListening, made, origin, relay, source, token }
}

type World = Awaited<ReturnType<typeof open>>

const assertGoesOn = async ({ call, relay }: World) => {
  relay.cut()
  const answers = [await call(), await call(), await call()]
  assert.deepStrictEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
    answers[0]?.text
  )
}

describe.concurrent("calls of a source that was called before go on through an outage", () => {
  const title = (name: string) => [name, { timeout: patienceMillis }] as const

  it(...title("that follows another one (P122)"), async ({ onTestFinished }) => {
    const world = await open(onTestFinished)
    for (let outages = 0; outages < 3; outages++) {
      world.relay.cut()
      await eventually("the outage is noticed", async () => (await world.ask("GET", "/healthz")).status === 503)
      await eventually("nobody listens", async () => !(await world.isListening()))
      world.relay.mend()
      await eventually("bells are heard again", world.isListening)
      await eventually("storage answers", async () => (await world.ask("GET", "/v1/sources")).status === 200)
    }
    await assertGoesOn(world)
  })

  it(...title("that follows a change of the source, as it is then (P122)"), async ({ onTestFinished }) => {
    const world = await open(onTestFinished)
    const moved = await ProxyServers.model(onTestFinished, "moved")
    const patch = { base_url: moved, api_key: "sk-9876543210" }
    assert.strictEqual((await world.ask("PATCH", `/v1/sources/${world.source.id}`, patch)).status, 200)
    await assertGoesOn(world)
    assert.include((await world.call()).text, "moved")
  })

  it(...title("that follows a change of something else (P122)"), async ({ onTestFinished }) => {
    const world = await open(onTestFinished)
    await world.made("/v1/sources", { name: "o", kind: "byok", base_url: world.base_url, api_key: "sk-0123456789" })
    await world.made("/v1/tokens", { name: "o", scopes: ["proxy:write"] })
    await assertGoesOn(world)
  })
})

/** The same with a deployment, of a student that can be moved to another one. */
const openDeployed = async (atEnd: AtEnd) => {
  const { origin, relay } = await open(atEnd)
  const caller = client(origin, liveToken)
  const { id: version } = await ticketsVersion(caller)
  const students = [await studentOf(caller, llm, version), await studentOf(caller, llm, version)] as const
  const endpoints = [
    { base_url: await ProxyServers.model(atEnd, "first"), model: "first" },
    { base_url: await ProxyServers.model(atEnd, "second"), model: "second" }
  ] as const
  const { id } = await deployAndWait(caller, {
    alias: "desk",
    mode: "active",
    student_model: students[0],
    endpoint: endpoints[0]
  })
  const ask = async () => {
    const response = await fetch(`${origin}/v1/proxy/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${liveToken}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "svc:desk", messages: [{ role: "user", content: "?" }] })
    })
    return { status: response.status, text: await response.text() }
  }
  return { ask, caller, endpoints, id, relay, students }
}

describe.concurrent("what is known to be gone stays gone through an outage", () => {
  it("a token that was disabled (P122)", { timeout: patienceMillis }, async ({ onTestFinished }) => {
    const world = await open(onTestFinished)
    assert.strictEqual((await world.ask("DELETE", `/v1/tokens/${world.token.id}`)).status, 200)
    world.relay.cut()
    assert.strictEqual((await world.call()).status, 401)
  })

  it("a source that was removed (P122)", { timeout: patienceMillis }, async ({ onTestFinished }) => {
    const world = await open(onTestFinished)
    assert.isBelow((await world.ask("DELETE", `/v1/sources/${world.source.id}`)).status, 300)
    world.relay.cut()
    const refused = await world.call()
    assert.strictEqual(refused.status, 503)
    assert.notInclude(refused.text, "Idempotency-Key")
    assert.isDefined(refused.headers["retry-after"])
  })

  it("a deployment that was retired (P122)", { timeout: patienceMillis }, async ({ onTestFinished }) => {
    const { ask, caller, id, relay } = await openDeployed(onTestFinished)
    assert.include((await ask()).text, "first")
    expectStatus(await caller.post<DeploymentView>(`${path}/${id}/retire`), 200)
    relay.cut()
    assert.strictEqual((await ask()).status, 503)
  })

  it("the student that a deployment has moved away from (P122)", { timeout: patienceMillis }, async ({
    onTestFinished
  }) => {
    const { ask, caller, endpoints, id, relay, students } = await openDeployed(onTestFinished)
    assert.include((await ask()).text, "first")
    const moved = { student_model: students[1], endpoint: endpoints[1] }
    expectStatus(await caller.patch<DeploymentView>(`${path}/${id}`, moved), 200)
    relay.cut()
    const { status, text } = await ask()
    assert.deepStrictEqual([status, text.includes("second"), text.includes("first")], [200, true, false], text)
  })
})
