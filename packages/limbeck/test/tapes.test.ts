/** Long answers under way on a whole server, in its own process: their memory, and their capture. */
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually, patienceMillis } from "@limbeck/testing/Eventually"
import { url } from "@limbeck/testing/fixtures/Postgres"
import { Signal } from "@limbeck/testing/Signal"
import { fetch, Pool } from "undici"
import * as CapturedCalls from "./support/CapturedCalls.ts"
import { post } from "./support/ProxyClients.ts"
import * as ProxyServers from "./support/ProxyServers.ts"

const mebibyte = 1024 ** 2
const answerBytes = 12 * mebibyte
/** With these, the memory bound is nearly reached. */
const before = 4
const after = 24

const piece = Buffer.from(
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "x".repeat(64 * 1024) } }] })}\n\n`
)

/** A model whose answers have all their bytes but the end, until they are ended. */
const endless = async (atEnd: AtEnd) => {
  const waiting: Array<ServerResponse> = []
  const server = createServer(async (request, response) => {
    request.resume()
    response.writeHead(200, { "content-type": "text/event-stream" })
    for (let sent = 0; sent < answerBytes; sent += piece.length) {
      if (!response.write(piece)) await once(response, "drain")
    }
    waiting.push(response)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const end = () => {
    for (const response of waiting) response.end("data: [DONE]\n\n")
  }
  return { base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, end } // It listens on a port.
}

const residentBytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024

it.runIf(process.platform === "linux")(
  "long answers under way take no more memory when they are many, and are captured whole (P128)",
  { timeout: patienceMillis },
  async ({ onTestFinished: atEnd }) => {
    const calls = await CapturedCalls.open(atEnd)
    const directory = ProxyServers.temporaryFolder(atEnd, "journal")
    const options = { url, schema: calls.schema, directory, token: ProxyServers.token }
    const server = ProxyServers.open(atEnd, options).start()
    const origin = await server.origin
    const { base_url, end } = await endless(atEnd)
    await post(origin, "/v1/sources", { name: "m", kind: "byok", base_url, api_key: "sk-0123456789", default: true })

    const pool = new Pool(origin, { connections: before + after })
    atEnd(() => pool.destroy())
    let received = 0
    const pieces = new Signal()
    const whole: Array<Promise<boolean>> = []
    const open = async (count: number) => {
      for (let index = 0; index < count; index++) {
        const { body, statusCode } = await pool.request({
          method: "POST",
          path: "/v1/proxy/chat/completions",
          headers: { authorization: `Bearer ${ProxyServers.token}`, "content-type": "application/json" },
          body: JSON.stringify({ model: "m", stream: true, messages: [] })
        })
        assert.strictEqual(statusCode, 200)
        const reading = async () => {
          let last = ""
          for await (const chunk of body) {
            received += chunk.length
            pieces.ring()
            last = `${chunk.subarray(-20)}`
          }
          return last.endsWith("data: [DONE]\n\n")
        }
        whole.push(reading())
      }
      await pieces.until("all pieces are with the clients", () => received >= whole.length * answerBytes)
    }
    await open(before)
    const control = residentBytes(server.pid)
    await open(after)
    // Without a bound it would hold all 288 MiB.
    assert.isBelow(residentBytes(server.pid) - control, (after * answerBytes) / 2)
    end()
    assert.notInclude(await Promise.all(whole), false)
    const figures = async () => {
      const response = await fetch(`${origin}/healthz`)
      return ((await response.json()) as { readonly capture: { readonly waiting: number; readonly dropped: number } })
        .capture // As it has it.
    }
    await eventually("all is stored", async () => (await figures()).waiting === 0)
    const stored = await calls.all()
    assert.lengthOf(stored, before + after)
    for (const { outcome, response } of stored) {
      assert.strictEqual(outcome, "succeeded")
      assert.isAbove(response?.length ?? 0, mebibyte)
    }
    assert.deepInclude(await figures(), { waiting: 0, dropped: 0 })
  }
)
