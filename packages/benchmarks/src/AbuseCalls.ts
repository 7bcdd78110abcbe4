/** Calls larger in storage than on the wire, and then lists of them. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { gzipSync } from "node:zlib"
import { Client, type Family, headers } from "./Abuse.ts"

const pauseMillis = 500
const nuls = Buffer.alloc(15 * 2 ** 20)
/** Some 65 KB on the wire. */
const packed = gzipSync(Buffer.alloc(64 * 2 ** 20))

/** An upstream whose every answer is that. */
const unpacking = async () => {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(packed)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo // It listens on a port.
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { base_url: `http://127.0.0.1:${port}/v1`, close }
}

const completions = "/v1/proxy/chat/completions"
const question = JSON.stringify({ model: "packed", messages: [{ role: "user", content: "How much?" }] })

export const calls: Family = async (target) => {
  const client = new Client(target)
  const upstream = await unpacking()
  const { base_url } = upstream
  await client.json("source", "POST", "/v1/sources", {
    name: "packed",
    kind: "byok",
    base_url,
    api_key: "sk-bench-key"
  })
  do {
    await client.send("call of NULs", "POST", completions, nuls)
    await client.send("packed answer", "POST", completions, question, { ...headers, "x-service-source": "packed" })
    await sleep(pauseMillis)
    await client.send("list of calls", "GET", "/v1/distill/calls?limit=20")
    await sleep(pauseMillis)
  } while (!target.isOver())
  upstream.close()
  await client.close()
}
