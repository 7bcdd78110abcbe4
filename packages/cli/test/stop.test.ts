// A client in plain Node, over plain HTTP.
// @effect-diagnostics globalFetch:off globalTimers:off
/** How a stop answers, cuts or captures requests under way. */
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { Signal } from "@limbeck/testing/Signal"
import { Api } from "./Api.ts"
import { embedded } from "./DataFolder.ts"
import { quiet, Server, testToken } from "./Server.ts"

const requestText = "GET /v1/event_types HTTP/1.1\r\nhost: limbeck\r\n\r\n"

/** A keep-alive connection, with all received bytes. */
class Line {
  readonly #socket: Socket
  /** Rings at each piece, and at the end. */
  readonly changes: Signal
  heard = ""
  isClosed = false

  constructor(atEnd: AtEnd, origin: string, changes: Signal) {
    this.changes = changes
    this.#socket = connect(Number(new URL(origin).port), "127.0.0.1")
    this.#socket.setEncoding("utf8").on("data", (text: string) => {
      this.heard += text
      this.changes.ring()
    })
    this.#socket
      .on("error", () => {})
      .on("close", () => {
        this.isClosed = true
        this.changes.ring()
      })
    atEnd(() => void this.#socket.destroy())
  }

  ask(): Promise<void> {
    return new Promise((resolve) => this.#socket.write(requestText, () => resolve()))
  }

  /** Answers that are whole. */
  get answers(): number {
    return this.heard.split('"has_more":false').length - 1
  }
}

const isAsleep = async (pid: number) => {
  return /^State:\s+T/m.test(await readFile(`/proc/${pid}/status`, "utf8")) ? true : undefined
}

/** An upstream with an endless stream, and its source. */
const endlessUpstream = async (atEnd: AtEnd, api: Api) => {
  const upstream = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { "content-type": "text/event-stream" })
    const beat = setInterval(() => response.write('data: {"choices":[{"delta":{"content":"a"}}]}\n\n'), 50)
    response.once("close", () => clearInterval(beat))
  }).listen(0, "127.0.0.1")
  await once(upstream, "listening")
  atEnd(() => {
    upstream.close()
    upstream.closeAllConnections()
  })
  const base_url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1` // It listens on a port.
  await api.create(
    "/v1/sources",
    { name: "endless", kind: "byok", base_url, api_key: "sk-0123456789", default: true },
    "s"
  )
}

describe.concurrent("a server that is told to stop", () => {
  it("answers every request that has reached it, on connections kept alive too (P112)", async ({
    onTestFinished: atEnd
  }) => {
    const server = await new Server(atEnd, { ...quiet, STORAGE: "memory" }).start()
    const changes = new Signal()
    const lines = Array.from({ length: 40 }, () => new Line(atEnd, server.origin, changes))
    await Promise.all(lines.map((line) => line.ask()))
    await changes.until("all are answered", () => lines.every(({ answers }) => answers === 1))
    // Asleep, it reads neither its signals nor its sockets: both wait for it when it wakes.
    server.signal("SIGSTOP")
    await eventually("it sleeps", () => isAsleep(server.pid))
    await Promise.all(lines.slice(0, 30).map((line) => line.ask()))
    server.signal("SIGTERM")
    server.signal("SIGCONT")
    assert.deepStrictEqual((await server.ended).code, 0)
    await changes.until("all are closed", () => lines.every(({ isClosed }) => isClosed))
    const answered = lines.map(({ answers }) => answers)
    assert.deepStrictEqual(answered, [...Array(30).fill(2), ...Array(10).fill(1)])
  })

  it("captures a stream that it cuts as failed, and is hurried by a second signal (P112)", async ({
    onTestFinished: atEnd
  }) => {
    const server = await (await embedded(atEnd)).start()
    const api = new Api(server)
    await endlessUpstream(atEnd, api)
    const response = await fetch(`${server.origin}/v1/proxy/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${testToken}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "?" }] })
    })
    const reader = response.body!.getReader()
    await reader.read()
    server.signal("SIGTERM")
    const reading = (async () => {
      while (!(await reader.read()).done);
    })().catch(() => {})
    let isOver = false
    void server.ended.then(() => {
      isOver = true
    })
    let signals = 0
    await eventually("it ends", async () => {
      if (!isOver) signals += 1
      server.signal("SIGTERM")
      return isOver ? true : undefined
    })
    assert.deepStrictEqual((await server.ended).code, 0)
    assert.isAbove(signals, 0)
    await reading
    await server.start()
    const [call] = await eventually("the call is in storage", async () => {
      const calls = await api.list<{ outcome: string; status_code: number }>("/v1/distill/calls")
      return calls.length > 0 ? calls : undefined
    })
    assert.deepInclude(call, { outcome: "failed", status_code: 200 })
  })
})
