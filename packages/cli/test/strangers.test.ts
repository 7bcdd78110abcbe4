/** What callers without a token cost the real server, in CPU time and memory that it tells of itself. */
import { once } from "node:events"
import { request } from "node:http"
import { connect, type Socket } from "node:net"
import { json } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import { eventually } from "@limbeck/testing/Eventually"
import { Api } from "./Api.ts"
import { type Environment, quiet, Server } from "./Server.ts"

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

/** Sends one head after the other on one connection; no answer may have a body. */
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

/** Pours bytes of a body without end, until it is answered; the body's last byte never comes. */
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
  // An answer that has come is not taken back by the end of the connection.
  sending.on("error", () => {})
  write()
  const [response] = await answer
  const { error } = (await json(response)) as { readonly error: { readonly code: string } }
  sending.destroy()
  return [response.statusCode, error.code]
}

describe("a caller without a token", () => {
  it("costs no more by a query of 60 KB with 15,000 names than by one with a single name (P116)", async ({
    onTestFinished
  }) => {
    const server = await new Server(onTestFinished, memory).start()
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
    // Decoding them one against the other took 1,140 ms of each request; without it both take a fraction of one.
    assert.isBelow(several, 5 * single + 0.05)
  })

  it("is refused without taking memory, however large the body is that it sends (P127)", async ({ onTestFinished }) => {
    const server = await new Server(onTestFinished, memory).start()
    const path = "/v1/proxy/chat/completions"
    const bytes = 15 * 1024 ** 2 + 1
    await pour(server, path, bytes)
    const before = await residentBytes(server)
    const answers = await Promise.all(Array.from({ length: 40 }, () => pour(server, path, bytes)))
    for (const answer of answers) assert.deepStrictEqual(answer, [401, "authentication_error"])
    // Bodies that were read before the token was looked at took 626 MB.
    assert.isBelow((await residentBytes(server)) - before, 150e6)
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
