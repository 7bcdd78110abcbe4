// A client in plain Node, over plain HTTP.
// @effect-diagnostics globalFetch:off
/** In test mode a tenant's requests may reach this machine, and never a port on which this server or a program of it listens. */
import { createServer } from "node:net"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { Pull } from "@limbeck/api/ConnectorsApi"
import type { Score } from "@limbeck/api/RewardsApi"
import type { WebhookPing } from "@limbeck/api/WebhooksApi"
import { fromHooks } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import * as Deployments from "@limbeck/testing/http/DeploymentSteps"
import { create, sources, type VerificationView } from "@limbeck/testing/http/SourceSteps"
import { Models } from "@limbeck/testing/upstream/Models"
import { type Client, expectStatus } from "./support/Client.ts"
import { type House, onPostgres, type Workspace } from "./support/House.ts"
import { begin, options, ServedPlace } from "./support/ManagedStudents.ts"
import { send } from "./support/Proxied.ts"

const place = new ServedPlace()
const models = new Models()
const atEnd = fromHooks(afterAll)
beforeAll(() => Promise.all([place.open(atEnd), models.open()]))
afterAll(() => models.close())

const isOver = (body: unknown): body is typeof Pull.Type =>
  ["failed", "succeeded"].includes((body as typeof Pull.Type).status)

/** The outcome of a request to a URL, for each kind of tenant request. */
const endings = async (house: House, workspace: Workspace, origin: string) => {
  const { test } = workspace
  const made = async <A extends { readonly id: string }>(path: string, body: object) =>
    expectStatus(await test.post<A>(path, body), 201)

  const source = await create(test, { base_url: `${origin}/v1`, timeout_ms: 300 })
  const called = await send(house, workspace, { headers: { "x-service-source": source.name } })
  const { error } = await called.json()
  const verified = expectStatus(await test.post<VerificationView>(`${sources}/${source.id}/verify`, {}), 200)

  const endpoint = await made("/v1/webhook_endpoints", { url: `${origin}/`, enabled_events: ["*"] })
  const ping = expectStatus(await test.post<typeof WebhookPing.Type>(`/v1/webhook_endpoints/${endpoint.id}/ping`), 200)
  expectStatus(await test.delete(`/v1/webhook_endpoints/${endpoint.id}`), 200)

  const config = { url: `${origin}/metrics` }
  const connector = await made("/v1/distill/connectors", { name: "rows", kind: "http_jsonl", config })
  const begun = await made<typeof Pull.Type>(`/v1/distill/connectors/${connector.id}/pulls`, {})
  const pull = await eventually("the pull has ended", async () => {
    // The pauses between its tries.
    house.passTime(60_000)
    const { body } = await test.get<typeof Pull.Type>(`/v1/distill/pulls/${begun.id}`)
    return isOver(body) ? body : undefined
  })

  const reward = await made("/v1/distill/rewards", { name: "scorer", kind: "http", config })
  const row = { messages: [{ role: "user", content: "Hello" }], completion: "Hello" }
  const asked = { row, completion: "Hello" }
  const scored = expectStatus(await test.post<typeof Score.Type>(`/v1/distill/rewards/${reward.id}/score`, asked), 200)

  return {
    call: [called.status, error.code, String(error.message).replace(source.name, "")],
    verified: [verified.reason, verified.status_code, verified.duration_ms],
    ping: ping.error,
    pull: pull.error?.code,
    scored: scored.detail.reason
  }
}

const deploy = async (house: House, name: string) => {
  const story = await begin(house)
  const student = await story.studentOf(name)
  await Deployments.deployAndWait(story.live, { alias: name, student_model: student, mode: "active" })
  const [started] = place.startsOf(story.named + name)
  assert.isDefined(started)
  return { ...story, started }
}

onPostgres(
  "a student that this server serves",
  (house) => {
    it("is out of reach for requests that tenants aim, by all means and whatever mode: its port looks closed (P840)", async () => {
      const { started } = await deploy(house, "hidden")
      const stranger = await house.workspace()
      const closed = await endings(house, stranger, "http://127.0.0.1:2")
      assert.deepStrictEqual([closed.call[0], closed.ping], [502, "connection_refused"])
      for (const host of ["127.0.0.1", "localhost"]) {
        assert.deepStrictEqual(await endings(house, stranger, `http://${host}:${started.port}`), closed, host)
      }
    })

    it("answers nobody without the key of its process, which is in its environment alone (P841)", async () => {
      const { live, openai, started } = await deploy(house, "keyed")
      const url = `http://127.0.0.1:${started.port}/v1/models`
      for (const authorization of [undefined, "Bearer ", "Bearer guessed"]) {
        const answer = await fetch(url, authorization === undefined ? {} : { headers: { authorization } })
        assert.strictEqual(answer.status, 401)
      }
      const answer = await openai.chat.completions.create({
        model: "svc:keyed",
        messages: [{ role: "user", content: "Who are you?" }]
      })
      assert.include(answer.choices[0]?.message.content ?? "", "keyed")
      assert.notInclude(JSON.stringify((await live.get("/v1/distill/deployments")).body), "api_key")
    })
  },
  { ...options, servers: place.commanded("") }
)

/** Known once the house listens. */
const own = { port: 0 }

onPostgres(
  "this server's own port",
  (house) => {
    it("is no place for a tenant's request; a call that would come back is a proxy_loop (P840)", async () => {
      own.port = Number(new URL(house.origin).port)
      const { call, ping, pull, scored, verified } = await endings(house, await house.workspace(), house.origin)
      assert.deepStrictEqual(call.slice(0, 2), [400, "proxy_loop"])
      assert.strictEqual(verified[0], "proxy_loop")
      assert.deepStrictEqual([ping, pull, scored], ["blocked_address", "blocked_address", "blocked_address"])
    })
  },
  // The operator's network does not open it either.
  { egressAllow: ["127.0.0.0/8"], portHolder: (port) => (port === own.port ? "server" : undefined) }
)

onPostgres("a verification in test mode", (house) => {
  /** An open port of this machine without HTTP. */
  const opened = async (onConnection: Parameters<typeof createServer>[1]) => {
    const server = createServer(onConnection).listen(0, "127.0.0.1")
    atEnd(() => void server.close())
    const address = await eventually("it listens", async () => server.address() ?? undefined)
    return `http://127.0.0.1:${typeof address === "object" ? address.port : 0}/v1`
  }

  const verify = async (caller: Client, base_url: string) => {
    const { id } = await create(caller, { base_url, timeout_ms: 300 })
    const { body } = await caller.post<VerificationView>(`${sources}/${id}/verify`, {})
    return { ...(body as VerificationView), source: "" }
  }

  it("does not tell ports of this machine apart: closed, silent and of another protocol are one answer (P842)", async () => {
    const { test } = await house.workspace()
    const closed = await verify(test, Models.closed)
    assert.deepInclude(closed, { ok: false, reason: "no_answer", status_code: null, models: [] })
    const others = [
      await opened((socket) => void socket.destroy()),
      await opened((socket) => void socket.on("error", () => {}).end("220 mail.example ESMTP\r\n")),
      await opened((socket) => void socket.on("error", () => {})),
      (await opened((socket) => void socket.on("error", () => {}).end("HTTP/1"))).replace("http:", "https:")
    ]
    for (const base of others) assert.deepStrictEqual(await verify(test, base), closed, base)
  })

  it("says what else is wrong, as in live mode", async () => {
    const { test } = await house.workspace()
    const cases = [
      [models.base((_, response) => void response.writeHead(500).end()), "unexpected_status"],
      ["https://nothing.invalid/v1", "dns_failure"],
      ["https://10.0.0.1/v1", "blocked_address"]
    ] as const
    for (const [base, reason] of cases) assert.strictEqual((await verify(test, base)).reason, reason)
  })
})
