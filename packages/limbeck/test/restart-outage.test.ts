/** A restarted server passes calls when the database fails right after, with its earlier cache. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Executors from "@limbeck/executors/Executors"
import * as StubExecutor from "@limbeck/executors/StubExecutor"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import * as Database from "@limbeck/testing/database/Database"
import { patienceMillis } from "@limbeck/testing/Eventually"
import { url } from "@limbeck/testing/fixtures/Postgres"
import * as SpendingExecutor from "@limbeck/testing/fixtures/SpendingExecutor"
import { client, expectStatus } from "@limbeck/testing/http/Client"
import { type DeploymentView, deployAndWait, llm, path, studentOf } from "@limbeck/testing/http/DeploymentSteps"
import { ticketsVersion } from "@limbeck/testing/http/Steps"
import * as Redacted from "effect/Redacted"
import { fetch } from "undici"
import * as Limbeck from "../src/Limbeck.ts"
import * as ProxyServers from "./support/ProxyServers.ts"
import * as Relay from "./support/Relay.ts"

const liveToken = ProxyServers.token.replace("test", "live")

/** Servers on one schema; the same folder means a restart of the same server. */
const open = async (atEnd: AtEnd) => {
  const { schema } = await Database.openSchema(atEnd)
  const relay = await Relay.open(atEnd, new URL(url))

  /** Ends with the test, or before by `stop`. */
  const start = async (directory: string) => {
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
      journal: { directory }
    })
    const server = createServer(limbeck.node).listen(0, "127.0.0.1")
    await once(server, "listening")
    let isOpen = true
    const stop = async () => {
      if (!isOpen) return
      isOpen = false
      server.close()
      server.closeAllConnections()
      await limbeck.close()
    }
    atEnd(async () => {
      relay.cut()
      await stop()
    })
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // It listens on a port.
    const call = async (model: string, token = liveToken) => {
      const response = await fetch(`${origin}/v1/proxy/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "?" }] })
      })
      return { status: response.status, text: await response.text(), by: response.headers.get("x-service-served-by") }
    }
    return { caller: client(origin, liveToken), call, stop }
  }
  return { relay, start, folder: ProxyServers.temporaryFolder(atEnd, "journal") }
}

type StartedServer = Awaited<ReturnType<Awaited<ReturnType<typeof open>>["start"]>>

const source = async ({ caller }: StartedServer, name: string, base_url: string, fields = {}) => {
  const body = { name, kind: "byok", base_url, api_key: "sk-0123456789", ...fields }
  return expectStatus(await caller.post<{ readonly id: string }>("/v1/sources", body), 201).id
}

const token = async ({ caller }: StartedServer) =>
  expectStatus(
    await caller.post<{ readonly id: string; readonly secret: string }>("/v1/tokens", {
      name: "t",
      scopes: ["proxy:write"]
    }),
    201
  )

/** A student under `desk` that answers everything, with an unused fallback. */
const deploy = async (atEnd: AtEnd, { caller }: StartedServer, fallback: string) => {
  const { id: version } = await ticketsVersion(caller)
  const student_model = await studentOf(caller, llm, version)
  let isAway = false
  const server = createServer(async (request, response) => {
    await request.toArray()
    response.writeHead(isAway ? 503 : 200).end('{"choices":[],"model":"student"}')
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  atEnd(() => void server.close())
  const { port } = server.address() as AddressInfo // It listens on a port.
  const endpoint = { base_url: `http://127.0.0.1:${port}/v1`, model: "student" }
  const body = { alias: "desk", mode: "active", student_model, endpoint, fallback: { source: fallback, model: "m" } }
  const { id } = await deployAndWait(caller, body)
  return {
    id,
    leave: () => {
      isAway = true
    }
  }
}

const title = (name: string) => [name, { timeout: patienceMillis }] as const

describe.concurrent("a server that was started again, when the database goes away right after", () => {
  it(
    ...title("passes calls of sources and deployments, also to a fallback that was never asked (P886)"),
    async ({ onTestFinished }) => {
      const { folder, relay, start } = await open(onTestFinished)
      const before = await start(folder)
      await source(before, "main", await ProxyServers.model(onTestFinished, "main"), { default: true })
      await source(before, "above", await ProxyServers.model(onTestFinished, "above"))
      const student = await deploy(onTestFinished, before, "above")
      assert.strictEqual((await before.call("m")).status, 200)
      assert.deepInclude(await before.call("svc:desk"), { status: 200, by: "student" })
      await before.stop()
      const after = await start(folder)
      relay.cut()
      const plain = await after.call("m")
      assert.strictEqual(plain.status, 200, plain.text)
      assert.include(plain.text, '"model":"main"')
      assert.deepInclude(await after.call("svc:desk"), { status: 200, by: "student" })
      student.leave()
      const inPlace = await after.call("svc:desk")
      assert.deepInclude(inPlace, { status: 200, by: "upstream_fallback" })
      assert.include(inPlace.text, '"model":"above"')
      // Nothing is made up: what nobody knew before stays unknown.
      assert.strictEqual((await after.call("m", `${liveToken}x`)).status, 503)
      assert.strictEqual((await after.call("svc:other")).status, 503)
    }
  )

  it(
    ...title("brings nothing back that was disabled, removed or retired before it stopped (P887)"),
    async ({ onTestFinished }) => {
      const { folder, relay, start } = await open(onTestFinished)
      const before = await start(folder)
      const id = await source(before, "main", await ProxyServers.model(onTestFinished), { default: true })
      await source(before, "above", await ProxyServers.model(onTestFinished))
      const student = await deploy(onTestFinished, before, "above")
      const disabled = await token(before)
      assert.strictEqual((await before.call("m", disabled.secret)).status, 200)
      assert.strictEqual((await before.call("svc:desk")).status, 200)
      expectStatus(await before.caller.delete(`/v1/tokens/${disabled.id}`), 200)
      expectStatus(await before.caller.delete(`/v1/sources/${id}`), 200)
      expectStatus(await before.caller.post<DeploymentView>(`${path}/${student.id}/retire`), 200)
      await before.stop()
      const after = await start(folder)
      relay.cut()
      assert.strictEqual((await after.call("m", disabled.secret)).status, 401)
      assert.strictEqual((await after.call("m")).status, 503)
      assert.strictEqual((await after.call("svc:desk")).status, 503)
    }
  )

  it(
    ...title("believes storage as soon as it answers: a token that another server disabled is refused (P887)"),
    async ({ onTestFinished }) => {
      const { folder, relay, start } = await open(onTestFinished)
      const before = await start(folder)
      await source(before, "main", await ProxyServers.model(onTestFinished), { default: true })
      const { id, secret } = await token(before)
      assert.strictEqual((await before.call("m", secret)).status, 200)
      await before.stop()
      const other = await start(ProxyServers.temporaryFolder(onTestFinished, "other"))
      expectStatus(await other.caller.delete(`/v1/tokens/${id}`), 200)
      await other.stop()
      const after = await start(folder)
      assert.strictEqual((await after.call("m", secret)).status, 401)
      relay.cut()
      assert.strictEqual((await after.call("m", secret)).status, 401)
    }
  )
})
