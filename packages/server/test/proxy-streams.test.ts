// @effect-diagnostics globalFetch:off
/** The proxy: streams pass piece by piece, and end as they ended upstream (service-api 4.2; contract 7). */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Models } from "@limbeck/testing/upstream/Models"
import * as Mounts from "../src/Mounts.ts"
import { onOneStorage } from "./support/House.ts"
import { callIdPattern, chat, chunksOf, headersOf, question, send, withSource } from "./support/Proxied.ts"

/** Counts what sockets write to the system. */
class WriteCount {
  count = 0

  readonly follow = (socket: Socket): void => {
    for (const name of ["_write", "_writev"] as const) {
      const write = socket[name]
      if (write === undefined) throw new Error(`Sockets have no ${name}`)
      Object.assign(socket, {
        [name]: (...words: ReadonlyArray<unknown>) => {
          this.count++
          Reflect.apply(write, socket, words)
        }
      })
    }
  }
}

const stream = { "content-type": "text/event-stream; charset=utf-8" }

describe("a call", () => {
  const upstream = new Models()
  beforeAll(() => upstream.open())
  afterAll(() => upstream.close())

  onOneStorage("through the proxy: streams", (house) => {
    it("each piece arrives before the upstream sends the next, and the head before any", async () => {
      const said: Array<(response: ServerResponse) => void> = []
      let upstreamResponse: ServerResponse | undefined
      const { workspace } = await withSource(house, upstream, (_, response) => {
        upstreamResponse = response.writeHead(200, stream)
        response.flushHeaders()
        for (const say of said) say(response)
      })
      const answer = await send(house, workspace)
      assert.strictEqual(answer.headers.get("content-type"), stream["content-type"])
      assert.isNull(answer.headers.get("content-length"))
      const reader = answer.body?.getReader()
      const text = Buffer.from('data: {"é":"😀"}\r\n\r\n: comment\n\ndata: [DONE]\n\n')
      for (const at of [0, 8, 9, 13, 20, 30]) {
        const piece = text.subarray(at, at + 1)
        upstreamResponse?.write(piece)
        const read = await reader?.read()
        assert.deepStrictEqual(Buffer.from(read?.value ?? []), piece)
      }
      upstreamResponse?.end()
      assert.isTrue((await reader?.read())?.done)
    })

    it("frames that the upstream sends together reach the client in one write of its socket (P403, P1824)", async () => {
      let upstreamResponse: ServerResponse | undefined
      const { workspace } = await withSource(house, upstream, (_, response) => {
        upstreamResponse = response.writeHead(200, stream)
        response.flushHeaders()
      })
      const writes = new WriteCount()
      const server = createServer(house.node).on("connection", writes.follow).listen(0, "127.0.0.1")
      await once(server, "listening")
      const { port } = server.address() as AddressInfo // It listens on a port.
      const answer = await fetch(`http://127.0.0.1:${port}${chat}`, {
        method: "POST",
        body: JSON.stringify(question),
        headers: headersOf(workspace)
      })
      const reader = answer.body?.getReader()
      for (const frames of [1, 5, 40]) {
        const before = writes.count
        const texts = Array.from({ length: frames }, (_, frame) => `data: ${frame}\n\n`)
        // Each frame is a chunk of the chunked coding; all are in one packet.
        upstreamResponse?.socket?.write(texts.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join(""))
        const text = texts.join("")
        for (let read = ""; read.length < text.length; ) read += Buffer.from((await reader?.read())?.value ?? [])
        assert.strictEqual(writes.count - before, 1, `${frames} frames`)
      }
      upstreamResponse?.end()
      assert.isTrue((await reader?.read())?.done)
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    })

    it("every byte passes, wherever the pieces end (P57)", async () => {
      const lines = Array.from({ length: 300 }, (_, index) => `data: {"é":"${"😀".repeat(index % 7)}"}\r\n\r\n`).join(
        ""
      )
      const bytes = Buffer.from(`: hello\n\n${lines}`)
      const { workspace } = await withSource(house, upstream, async (_, response) => {
        response.writeHead(200, stream)
        for (let at = 0; at < bytes.length; at += 37) {
          if (!response.write(bytes.subarray(at, at + 37))) await once(response, "drain")
        }
        response.end()
      })
      for (let again = 0; again < 3; again++) {
        assert.isTrue((await chunksOf(await send(house, workspace))).equals(bytes))
      }
    })

    it("a large answer passes whole", async () => {
      const bytes = Buffer.alloc(5_000_000, "0123456789abcdef")
      const { workspace } = await withSource(house, upstream, (_, response) => void response.end(bytes))
      assert.isTrue((await chunksOf(await send(house, workspace))).equals(bytes))
    })

    it("one that the upstream breaks off is broken off, not ended (P57)", async () => {
      for (const headers of [stream, { ...stream, "content-length": "100" }]) {
        const { workspace } = await withSource(house, upstream, (request, response) => {
          response.writeHead(200, headers).write("data: 1\n\n", () => request.socket.destroy())
        })
        const answer = await send(house, workspace)
        assert.strictEqual(answer.status, 200)
        const failure = await answer.text().then(
          () => undefined,
          (error: unknown) => error
        )
        assert.instanceOf(failure, TypeError)
      }
    })

    it("one that falls silent for longer than the source's limit is broken off", async () => {
      const { workspace } = await withSource(
        house,
        upstream,
        (_, response) => void response.writeHead(200, stream).write("data: 1\n\n"),
        { timeout_ms: 1_000 }
      )
      const failure = await (await send(house, workspace)).text().then(
        () => undefined,
        (error: unknown) => error
      )
      assert.instanceOf(failure, TypeError)
    })

    it("a client that goes away ends the upstream's work, before the head and after (P57)", async () => {
      const closed: Array<Promise<unknown>> = []
      const arrived: Array<() => void> = []
      const { workspace } = await withSource(house, upstream, (request: IncomingMessage, response) => {
        closed.push(once(response, "close"))
        if (request.headers["x-begins"] === "yes") response.writeHead(200, stream).write("data: 1\n\n")
        arrived.shift()?.()
      })
      for (const begins of ["no", "yes"]) {
        const leaving = new AbortController()
        const asked = new Promise<void>((resolve) => arrived.push(resolve))
        const answering = send(house, workspace, { signal: leaving.signal, headers: { "x-begins": begins } })
        await asked
        if (begins === "yes") await (await answering).body?.getReader().read()
        leaving.abort()
        await answering.catch(() => undefined)
        await closed.at(-1)
      }
      assert.lengthOf(closed, 2)
    })

    it("pass through a Fetch host too", async () => {
      const bytes = Buffer.from("data: é\n\ndata: [DONE]\n\n")
      const { workspace } = await withSource(house, upstream, (_, response) => {
        response.writeHead(200, stream).write(bytes.subarray(0, 7))
        response.end(bytes.subarray(7))
      })
      const request = new Request(`http://host.example${chat}`, {
        method: "POST",
        body: JSON.stringify(question),
        headers: headersOf(workspace)
      })
      const answer = await Mounts.fetch(house.app)(request)
      assert.match(answer.headers.get("x-service-call-id") ?? "", callIdPattern)
      assert.isTrue((await chunksOf(answer)).equals(bytes))
    })
  })
})
