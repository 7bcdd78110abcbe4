/** Whose bodies are read, how many at a time, and how a client hears that its body is not (contract 15.8). */
import { once } from "node:events"
import { request } from "node:http"
import { connect, type Socket } from "node:net"
import { json } from "node:stream/consumers"
import { assert, it } from "@effect/vitest"
import type { ErrorEnvelope } from "@limbeck/api/ErrorTable"
import type { TokenWithSecret } from "@limbeck/api/TokensApi"
import { eventually } from "@limbeck/testing/Eventually"
import { assertRefused, expectStatus } from "./support/Client.ts"
import { type House, onMemory } from "./support/House.ts"

const datasets = "/v1/distill/datasets"
const second = 1_000

const portOf = ({ origin }: House) => Number(new URL(origin).port)

/** A request with an announced body, of which only `sent` arrives. */
const begin = async (house: House, line: string, headers: ReadonlyArray<string>, sent = ""): Promise<Socket> => {
  const socket = connect(portOf(house), "127.0.0.1")
  await once(socket, "connect")
  socket.write([line, "Host: a", "Content-Type: application/json", ...headers, "", sent].join("\r\n"))
  return socket
}

const announced = "Transfer-Encoding: chunked"
const chunk = `10000\r\n${" ".repeat(65_536)}\r\n`

const withToken = (token: string) => `Authorization: Bearer ${token}`

/** The whole response, by its Content-Length. */
const heard = async (socket: Socket): Promise<string> => {
  let text = ""
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    const [, head = "", length = "0"] = /^(.*?content-length: (\d+).*?\r\n\r\n)/is.exec(text) ?? []
    if (head !== "" && text.length >= head.length + Number(length)) return text
  }
  throw new Error(`The connection ended after ${JSON.stringify(text)}`)
}

onMemory("a body", (house) => {
  it("is not waited for when its request is refused anyway (P127)", async () => {
    const { live, liveToken } = await house.workspace()
    const made = await live.post<typeof TokenWithSecret.Type>("/v1/tokens", { name: "a", scopes: ["events:read"] })
    const weak = withToken(expectStatus(made, 201).secret)
    const strong = withToken(liveToken)
    const cases = [
      [401, `POST ${datasets}`, "A: b"],
      [401, "POST /v1/proxy/chat/completions", withToken("nonsense")],
      [401, "PUT /v1/distill/uploads/upl_none/content", "A: b"],
      [404, "PUT /v1/distill/uploads/upl_none/content?capability=a", "A: b"],
      [404, "POST /v1/nothing", "A: b"],
      [403, `POST ${datasets}`, weak],
      [403, "POST /v1/proxy/responses", weak],
      [403, "PUT /v1/distill/uploads/upl_none/content", weak],
      [400, "POST /v1/distill/runs", strong],
      [400, `POST ${datasets}`, `${strong}\r\nIdempotency-Key: a b`],
      [400, "POST /v1/proxy/chat/completions", `${strong}\r\nX-Service-External-Id: ${"e".repeat(5_000)}`]
    ] as const
    for (const [status, line, header] of cases) {
      const socket = await begin(house, `${line} HTTP/1.1`, [header, "Content-Length: 1000"])
      assert.match(await heard(socket), new RegExp(`^HTTP/1.1 ${status} `), `${line} ${header}`)
      socket.destroy()
    }
    for (const path of [datasets, "/v1/proxy/chat/completions"]) {
      const socket = await begin(house, `POST ${path} HTTP/1.1`, [strong, "Content-Length: 100000000"])
      assert.match(await heard(socket), /^HTTP\/1.1 413 /, path)
      socket.destroy()
    }
  })

  it("that is under way does not keep its sender from the refusal (P127)", async () => {
    for (const path of [datasets, "/v1/proxy/chat/completions", "/v1/distill/uploads/upl_none/content"]) {
      const sending = request(house.origin + path, { method: path.endsWith("content") ? "PUT" : "POST" })
      const answer = once(sending, "response")
      const piece = Buffer.alloc(65_536, "x")
      let more = true
      sending.on("error", () => {
        more = false
      })
      sending.on("close", () => {
        more = false
      })
      const pour = () => {
        while (more && sending.write(piece));
        sending.once("drain", pour)
      }
      pour()
      const [response] = await answer
      const { error } = (await json(response)) as ErrorEnvelope
      assert.deepStrictEqual([response.statusCode, error.code], [401, "authentication_error"], path)
      sending.destroy()
    }
  })

  it("of unknown length that is answered before its end is the last of its connection, and its answer says so (P381)", async () => {
    const { liveToken } = await house.workspace()
    const cases = [
      [413, [withToken(liveToken), announced], chunk.repeat(17)],
      [401, [announced], chunk]
    ] as const
    for (const [status, headers, sent] of cases) {
      const socket = await begin(house, `POST ${datasets} HTTP/1.1`, headers, sent)
      const answer = await heard(socket)
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `))
      assert.match(answer, /^connection: close\r$/im)
      socket.destroy()
    }
    const whole = await begin(house, `POST ${datasets} HTTP/1.1`, cases[0][1], "2\r\n{}\r\n0\r\n\r\n")
    const refusal = await heard(whole)
    assert.match(refusal, /^HTTP\/1.1 400 /)
    assert.match(refusal, /^connection: keep-alive\r$/im)
    whole.destroy()
  })

  it("whose rest does not come after the refusal ends its connection", async () => {
    const socket = await begin(house, `POST ${datasets} HTTP/1.1`, ["Content-Length: 1000"], "{")
    assert.match(await heard(socket), /^HTTP\/1.1 401 /)
    let closed = false
    socket.once("close", () => {
      closed = true
    })
    await eventually("the connection is closed", () => {
      house.passTime(10 * second)
      return closed
    })
  })
})

onMemory(
  "a body for which there is little time",
  (house) => {
    it("that stands still ends with 408, and its connection too (P127)", async () => {
      const { liveToken } = await house.workspace()
      const headers = [withToken(liveToken), "Content-Length: 1000"]
      for (const path of [datasets, "/v1/proxy/chat/completions"]) {
        const socket = await begin(house, `POST ${path} HTTP/1.1`, headers, "{")
        const closed = once(socket, "close")
        const said = await heard(socket)
        assert.match(said, /^HTTP\/1.1 408 /)
        assert.match(said, /connection: close/i)
        assert.include(said, '"code":"invalid_request_error"')
        await closed
      }
    })

    it("is taken and dropped behind the refusal, which its sender reads when it likes (P470)", async () => {
      const socket = await begin(house, `POST ${datasets} HTTP/1.1`, [announced], chunk)
      await once(socket, "readable")
      // More than the system keeps for somebody who does not read, and each write fails after a reset.
      for (let count = 0; count < 256; count++) {
        await new Promise<void>((resolve, reject) =>
          socket.write(chunk, (error) => (error ? reject(error) : resolve()))
        )
      }
      const closed = once(socket, "close")
      const answer = await heard(socket)
      assert.match(answer, /^HTTP\/1.1 401 /)
      assert.match(answer, /^connection: close\r$/im)
      await closed
    })
  },
  { bodyTimes: { idleMax: 20, lingerMax: 3_600_000 } }
)

onMemory(
  "bodies under way",
  (house) => {
    it("of one workspace that never end leave room for a body of another (P823)", async () => {
      const [hostile, { live }] = [await house.workspace(), await house.workspace()]
      const body = `{"name":"a"}`.padEnd(30_000)
      const options = { body, headers: { "content-type": "application/json" } }
      const headers = [withToken(hostile.liveToken), `Content-Length: ${body.length}`]
      const halves: Array<Socket> = []
      await eventually("the workspace has its share", async () => {
        halves.push(await begin(house, `POST ${datasets} HTTP/1.1`, headers, body.slice(0, 100)))
        return (await hostile.live.send("POST", datasets, options)).status === 503
      })
      expectStatus(await live.send("POST", datasets, options), 201)
      for (const socket of halves) socket.destroy()
    })

    it("have a bounded room together; who finds it full is told to come again, and others go on (P127)", async () => {
      const { live, liveToken } = await house.workspace()
      const name = "a".repeat(100)
      const whole = `{"name":"${name}"}`.padEnd(30_000)
      const headers = [withToken(liveToken), `Content-Length: ${whole.length}`]
      const half = () => begin(house, `POST ${datasets} HTTP/1.1`, headers, whole.slice(0, 100))
      let held: ReadonlyArray<Socket> = await Promise.all([half(), half()])
      const another = () =>
        live.send("POST", datasets, { body: whole, headers: { "content-type": "application/json" } })
      const refused = await eventually("the room is full", async () => {
        const answer = await another()
        if (answer.status === 503) return answer
        // A half refused while another's body took the room is sent again.
        held = await Promise.all(held.map((socket) => (socket.readableLength > 0 ? half() : socket)))
        return undefined
      })
      assertRefused(refused, 503, "api_error")
      assert.strictEqual(refused.headers.get("retry-after"), "1")
      expectStatus(await live.get("/v1/whoami"), 200)
      for (const socket of held) {
        socket.write(whole.slice(100))
        assert.match(await heard(socket), /^HTTP\/1.1 201 /)
        socket.destroy()
      }
      expectStatus(await another(), 201)
    })

    it("that are larger than the room are taken one at a time", async () => {
      const { live } = await house.workspace()
      const large = `{"name":"a"}`.padEnd(200_000)
      const answer = await live.send("POST", datasets, { body: large, headers: { "content-type": "application/json" } })
      expectStatus(answer, 201)
    })
  },
  { settings: { bodiesBytesMax: 100_000 } }
)
