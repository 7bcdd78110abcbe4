/** The cost of callers without a token, in the real server's own CPU and memory figures. */
import { once } from "node:events"
import { request } from "node:http"
import { connect, type Socket } from "node:net"
import { json, text } from "node:stream/consumers"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { eventually } from "@limbeck/testing/Eventually"
import { Api } from "./Api.ts"
import { type Environment, liveToken, quiet, Server } from "./Server.ts"

const memory: Environment = { ...quiet, STORAGE: "memory" }

const figure = async (server: Server, name: string): Promise<number> => {
  const page = await new Api(server).text("/metrics")
  return Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)`, "m").exec(page)?.[1])
}

const cpuSeconds = (server: Server) => figure(server, "process_cpu_seconds_total")
const residentBytes = (server: Server) => figure(server, "process_resident_memory_bytes")

const portOf = ({ origin }: Server) => Number(new URL(origin).port)

const connected = async (server: Server): Promise<Socket> => {
  const socket = connect({ host: "127.0.0.1", port: portOf(server) })
  await once(socket, "connect")
  return socket
}

/** Sends heads one by one on a connection; no response may have a body. */
const ask = async (server: Server, target: string, times: number) => {
  const socket = await connected(server)
  for (let sent = 0; sent < times; sent++) {
    socket.write(`HEAD ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)
    let said = ""
    while (!said.endsWith("\r\n\r\n")) said += String((await once(socket, "data"))[0])
    assert.match(said, /^HTTP\/1\.1 401 /)
  }
  socket.destroy()
}

/** Sends body bytes until a response; never sends the last byte. */
const pour = async (server: Server, path: string, bytes: number) => {
  const headers = { "content-type": "application/json", "content-length": bytes }
  const sending = request(server.origin + path, { method: "POST", headers, agent: false })
  const piece = Buffer.alloc(65_536, "x")
  let left = bytes - 1
  const write = () => {
    while (left > 0 && !sending.destroyed) {
      const next = piece.subarray(0, Math.min(left, piece.length))
      left -= next.length
      if (!sending.write(next)) return
    }
  }
  sending.on("drain", write)
  const answer = once(sending, "response")
  // The end of the connection does not invalidate a received response.
  sending.on("error", () => {})
  write()
  const [response] = await answer
  const { error } = (await json(response)) as { readonly error: { readonly code: string } }
  sending.destroy()
  return [response.statusCode, error.code]
}

/** One server for the file. The test of MAX_CONNECTIONS starts another one. */
const server = new Server(afterAll, memory)
beforeAll(() => server.start())

describe("a caller without a token", () => {
  it("costs no more by a query of 60 KB with 15,000 names than by one with a single name (P116)", async () => {
    const bytes = 60_000
    const many = Array.from({ length: 15_000 }, (_, index) => index)
      .join("&")
      .slice(0, bytes)
    const times = 100
    const cost = async (query: string) => {
      const before = await cpuSeconds(server)
      await ask(server, `/v1/distill/uploads/x/content?${query}`, times)
      return (await cpuSeconds(server)) - before
    }
    await cost(many)
    const [single, several] = [await cost("n".repeat(bytes)), await cost(many)]
    // A quadratic comparison took 1,140 ms per request; without it both take a fraction of a millisecond.
    assert.isBelow(several, 5 * single + 0.05)
  })

  it("may name the host in the target, of which nothing is parsed as a URL (P116)", async () => {
    const statusOf = async (target: string) => {
      const socket = await connected(server)
      socket.write(`HEAD ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      return /^HTTP\/1\.1 (\d+) /.exec(await text(socket))?.[1]
    }
    const { origin } = server
    const targets = ["/v1/whoami", "/v1/whoami?a=http://b", "/healthz", "/v1/./whoami", "/v1/x/../whoami", "?a", ""]
    const [plain, absolute] = [
      await Promise.all(targets.slice(0, 5).map(statusOf)),
      await Promise.all(targets.map((target) => statusOf(origin + target)))
    ]
    assert.deepStrictEqual(plain, ["401", "401", "200", "404", "404"])
    assert.deepStrictEqual(absolute, [...plain, "404", "404"])
    assert.strictEqual(await statusOf(`HTTP://h/v1${"/a/..".repeat(12_000)}/whoami`), "404")
  })

  it("is refused without taking memory, however large the body is that it sends (P127)", async () => {
    const path = "/v1/proxy/chat/completions"
    const bytes = 15 * 1024 ** 2 + 1
    await pour(server, path, bytes)
    const before = await residentBytes(server)
    const answers = await Promise.all(Array.from({ length: 40 }, () => pour(server, path, bytes)))
    for (const answer of answers) assert.deepStrictEqual(answer, [401, "authentication_error"])
    // Reading bodies before checking the token took 626 MB.
    assert.isBelow((await residentBytes(server)) - before, 150e6)
  })
})

/** Asks whether to send a body, and sends it once it may: what the server says, before the body and after. */
const askFirst = async (server: Server, method: string, path: string, body: string, token?: string) => {
  const socket = await connected(server)
  const head = [
    `${method} ${path} HTTP/1.1`,
    "Host: x",
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "Expect: 100-continue",
    "Connection: close",
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`])
  ]
  socket.write(`${head.join("\r\n")}\r\n\r\n`)
  const first = String((await once(socket, "data"))[0])
  const [, status] = /^HTTP\/1\.1 (\d+) /.exec(first) ?? []
  if (status !== "100") return [status]
  socket.write(body)
  const rest = await text(socket)
  return [status, /^HTTP\/1\.1 (\d+) /.exec(rest)?.[1]]
}

describe("a caller who asks before it sends a body", () => {
  it("is told to go on once it may, and one without a token or scope is refused at once (P226)", async () => {
    const api = new Api(server, liveToken)
    const path = "/v1/distill/datasets"
    const body = '{"name":"tickets"}'
    assert.deepStrictEqual(await askFirst(server, "POST", path, body), ["401"])
    assert.deepStrictEqual(await askFirst(server, "POST", path, body, "no-such-token"), ["401"])
    assert.deepStrictEqual(await askFirst(server, "POST", path, body, liveToken), ["100", "201"])
    assert.deepStrictEqual(await askFirst(server, "POST", path, "no JSON", liveToken), ["100", "400"])
    const { id } = await api.create<{ readonly id: string }>("/v1/distill/uploads", {
      filename: "rows.jsonl",
      format: "chat_jsonl"
    })
    const content = `/v1/distill/uploads/${id}/content`
    assert.deepStrictEqual(await askFirst(server, "PUT", content, "{}\n"), ["401"])
    assert.deepStrictEqual(await askFirst(server, "PUT", content, "{}\n", liveToken), ["100", "202"])
  })
})

describe("a server with as many connections as it may have", () => {
  it("refuses another one with a retry, and serves the others (P127)", async ({ onTestFinished }) => {
    const server = await new Server(onTestFinished, { ...memory, MAX_CONNECTIONS: "3" }).start()
    const answer = async (socket: Socket): Promise<string> => {
      socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
      let said = ""
      while (!said.endsWith("}")) said += String((await once(socket, "data"))[0])
      return said
    }
    const held = [await connected(server), await connected(server), await connected(server)]
    for (const socket of held) assert.match(await answer(socket), /^HTTP\/1\.1 200 /)
    const another = await connected(server)
    const refused = await answer(another)
    assert.match(refused, /^HTTP\/1\.1 503 /)
    assert.match(refused, /^retry-after: 1\r$/im)
    assert.match(refused, /^x-request-id: req_/im)
    assert.match(refused, /^connection: close\r$/im)
    assert.include(refused, '"code":"api_error"')
    if (!another.destroyed) await once(another, "close")
    for (const socket of held) assert.match(await answer(socket), /^HTTP\/1\.1 200 /)

    for (const socket of held) socket.destroy()
    await eventually("a connection is taken again", async () => {
      const socket = await connected(server)
      const said = await answer(socket)
      socket.destroy()
      return / 200 /.test(said) ? said : undefined
    })
  })
})
