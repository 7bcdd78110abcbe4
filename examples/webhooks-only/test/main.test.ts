// @effect-diagnostics globalFetch:off
/** The example as a process, a receiver that shares nothing with it, and a customer. */
import { type ChildProcess, spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { verify } from "@limbeck/client/webhooks/verify"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
const page = new URL("../../../docs/webhooks.md", import.meta.url)

interface ReceivedRequest {
  readonly body: string
  readonly signature: string
}

/** Keeps what comes, until it is taken. */
const openReceiver = async () => {
  const received: Array<ReceivedRequest> = []
  let ring = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join("")
    received.push({ body, signature: String(request.headers["service-signature"]) })
    response.end()
    ring.resolve()
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const next = async (): Promise<ReceivedRequest> => {
    const first = received.shift()
    if (first !== undefined) return first
    ring = Promise.withResolvers()
    await ring.promise
    return next()
  }
  return { url: `http://127.0.0.1:${portOf(server)}/`, next, server }
}

const portOf = (server: Server) => (server.address() as AddressInfo).port // A listening server has a port.

/** Below the ports of outgoing connections, so that none takes it before the host. */
const freePort = async (): Promise<number> => {
  const port = randomInt(10_000, 30_000)
  const server = createServer().listen(port, "127.0.0.1")
  const isFree = await once(server, "listening").then(
    () => true,
    () => false
  )
  if (!isFree) return freePort()
  server.close()
  await once(server, "close")
  return port
}

describe("the webhook engine in an Express app", () => {
  let shop: ChildProcess
  let origin: string
  let headers: Record<string, string>
  let receiver: Awaited<ReturnType<typeof openReceiver>>
  let secret: string

  const post = (path: string, body: unknown) =>
    fetch(`${origin}${path}`, { method: "POST", headers, body: JSON.stringify(body) })

  beforeAll(async () => {
    receiver = await openReceiver()
    const port = await freePort()
    origin = `http://127.0.0.1:${port}`
    shop = spawn(process.execPath, ["--conditions=@limbeck/source", main], {
      env: {
        PATH: process.env["PATH"],
        PORT: String(port),
        ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
        // Express logs no failures then.
        NODE_ENV: "test"
      },
      stdio: ["ignore", "pipe", "inherit"]
    })
    const [line] = await once(createInterface({ input: shop.stdout! }), "line")
    const { testToken } = JSON.parse(line)
    headers = { authorization: `Bearer ${testToken}`, "content-type": "application/json" }
    const made = await post("/webhooks/v1/webhook_endpoints", { url: receiver.url, enabled_events: ["order.*"] })
    assert.strictEqual(made.status, 201)
    secret = JSON.parse(await made.text()).secret
  })

  afterAll(() => {
    receiver.server.close()
    shop.kill("SIGKILL")
  })

  it("tells of an order, signed", async () => {
    const answer = await post("/orders", { item: "a still" })
    assert.strictEqual(answer.status, 201)
    const order: unknown = await answer.json()
    const { body, signature } = await receiver.next()
    assert.isTrue((await verify(body, signature, secret)).valid)
    assert.deepInclude(JSON.parse(body), { type: "order.paid", data: { object: order } })
  })

  it("tells nothing of an order that could not be written", async () => {
    assert.strictEqual((await post("/orders", { item: "" })).status, 500)
    const answer = await post("/orders", { item: "another still" })
    const { id } = JSON.parse(await answer.text())
    assert.strictEqual(JSON.parse((await receiver.next()).body).data.object.id, id)
    const listed = await fetch(`${origin}/webhooks/v1/events`, { headers })
    assert.strictEqual(JSON.parse(await listed.text()).data.length, 2)
  })

  it("serves nothing to distil", async () => {
    assert.strictEqual((await fetch(`${origin}/webhooks/v1/distill/runs`, { headers })).status, 404)
  })

  it("ends in peace when the host does", async () => {
    shop.kill("SIGTERM")
    assert.deepStrictEqual(await once(shop, "exit"), [0, null])
  })
})

describe("README", () => {
  it("shows the engine's lines of this very program", () => {
    const program = readFileSync(main, "utf8")
    const lines = program.slice(program.indexOf("const database ="), program.indexOf("const server ="))
    assert.include(readFileSync(page, "utf8"), `\`\`\`ts\n${lines.trimEnd()}\n\`\`\``)
  })
})
