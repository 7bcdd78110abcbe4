import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { assert, describe, it } from "vitest"
import type { ReceiverOptions, VerifiedEvent } from "../../src/webhooks/internal/receiver.ts"
import { receiver } from "../../src/webhooks/node.ts"
import { breakOff, listen, send } from "../support/Listening.ts"
import { body, event, headers, now, secret } from "../support/Signed.ts"

const listening = (options: Partial<ReceiverOptions> = {}) => {
  const received: Array<VerifiedEvent> = []
  const errors: Array<unknown> = []
  const receive = receiver({
    secret,
    now,
    handler: (one) => received.push(one),
    onError: (error) => errors.push(error),
    ...options
  })
  return { receive, received, errors }
}

const signed = { headers: headers() }
const bytes = new TextEncoder().encode(body)
const reasonOf = (text: string) => JSON.parse(text).error.reason

const bytesOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** What a framework does before a route: reads the body by `parse`, and leaves it on the request. */
const behind =
  (
    parse: (raw: Buffer) => object,
    receive: (request: IncomingMessage, response: ServerResponse) => unknown
  ): RequestListener =>
  (request, response) => {
    bytesOf(request).then((raw) => receive(Object.assign(request, parse(raw)), response))
  }

describe("a receiver on node:http", () => {
  it("hands a verified event over, with its deduplication key, and answers 204", async () => {
    const { receive, received } = listening()
    const server = await listen(receive)
    const { status, text } = await send(server.url, signed, body)
    assert.deepStrictEqual([status, text], [204, ""])
    assert.deepStrictEqual(received, [{ event, eventId: event.id, deliveryId: headers()["service-delivery-id"] }])
  })

  it("takes a body in pieces, cut within characters too", async () => {
    const { receive, received } = listening()
    const server = await listen(receive)
    const cut = bytes.indexOf(0xc3) + 1
    const { status } = await send(server.url, signed, bytes.subarray(0, 5), bytes.subarray(5, cut), bytes.subarray(cut))
    assert.strictEqual(status, 204)
    assert.deepStrictEqual(received[0]?.event, event)
  })

  it("takes a request whose stream speaks text", async () => {
    const { receive } = listening()
    const server = await listen((request, response) => receive(request.setEncoding("utf8"), response))
    assert.strictEqual((await send(server.url, signed, body)).status, 204)
  })

  it("answers only when the handler is done (P45)", async () => {
    const order: Array<string> = []
    const { receive } = listening({
      handler: async () => {
        await new Promise((resolve) => setImmediate(resolve))
        order.push("handled")
      }
    })
    const server = await listen(receive)
    await send(server.url, signed, body)
    order.push("answered")
    assert.deepStrictEqual(order, ["handled", "answered"])
  })

  it("answers 400 to an invalid signature, says why, and hands nothing over", async () => {
    const { errors, receive, received } = listening()
    const server = await listen(receive)
    for (const [given, sent, reason] of [
      [headers(), `${body} `, "no_match"],
      [headers("t=1"), body, "malformed_header"],
      [headers("t=1,v1=00"), body, "expired"],
      [{}, body, "missing_header"],
      [headers(), "", "no_match"]
    ] as const) {
      const { status, text } = await send(server.url, { headers: given }, sent)
      assert.deepStrictEqual([status, reasonOf(text)], [400, reason])
    }
    assert.deepStrictEqual([received, errors], [[], []])
  })

  it("answers 500 when the handler fails, so that the event is sent again", async () => {
    const { errors, receive } = listening({ handler: () => Promise.reject(new Error("queue is full")) })
    const server = await listen(receive)
    const { status, text } = await send(server.url, signed, body)
    assert.strictEqual(status, 500)
    assert.notInclude(text, "queue is full")
    assert.deepStrictEqual(errors, [new Error("queue is full")])
  })

  it("answers 413 to a body over the limit, announced or not, and closes the connection", async () => {
    const { receive, received } = listening({ bodyBytesMax: 1000 })
    const server = await listen(receive)
    const large = "x".repeat(300_000)
    for (const chunks of [[large], ["x".repeat(900), "x".repeat(101)], [large, large]]) {
      const { headers, status, text } = await send(server.url, signed, ...chunks)
      assert.deepStrictEqual([status, reasonOf(text), headers["connection"]], [413, "too_large", "close"])
    }
    assert.deepStrictEqual(received, [])
  })

  it("takes a body at the limit", async () => {
    const server = await listen(listening({ bodyBytesMax: bytes.length }).receive)
    assert.strictEqual((await send(server.url, signed, body)).status, 204)
  })

  it("survives a sender that hangs up half way", async () => {
    const { receive, received } = listening()
    const over = Promise.withResolvers<void>()
    const server = await listen((request, response) => {
      receive(request, response).then(over.resolve, over.reject)
    })
    await breakOff(server.port, `POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"id"`)
    await over.promise
    assert.deepStrictEqual(received, [])
  })

  it("survives a host that drops the request", async () => {
    const { receive, received } = listening()
    const over = Promise.withResolvers<void>()
    const server = await listen((request, response) => {
      receive(request, response).then(over.resolve, over.reject)
      request.destroy()
    })
    const answered = await send(server.url, signed, body).then(
      () => true,
      () => false
    )
    await over.promise
    assert.isFalse(answered)
    assert.deepStrictEqual(received, [])
  })

  it("gives other methods to the next in line, or answers 405", async () => {
    const { receive } = listening()
    const server = await listen(receive)
    const { headers: answered, status } = await send(server.url, { method: "GET" })
    assert.deepStrictEqual([status, answered["allow"]], [405, "POST"])
    const chain = await listen((request, response) => receive(request, response, () => response.end("next")))
    assert.strictEqual((await send(chain.url, { method: "GET" })).text, "next")
  })

  it("leaves alone what somebody else has answered", async () => {
    const { receive, received } = listening()
    const over = Promise.withResolvers<void>()
    const server = await listen((request, response) => {
      receive(request, response).then(over.resolve, over.reject)
      response.writeHead(503).end()
    })
    assert.strictEqual((await send(server.url, signed, body)).status, 503)
    await over.promise
    assert.strictEqual(received.length, 1)
  })
})

describe("behind a body parser, a receiver", () => {
  it("says so when the parser has kept no bytes, and answers 500, so that no event is lost", async () => {
    const { errors, receive, received } = listening()
    const server = await listen(behind((raw) => ({ body: JSON.parse(raw.toString()) }), receive))
    const { status, text } = await send(server.url, signed, body)
    assert.deepStrictEqual([status, reasonOf(text)], [500, "body_already_read"])
    assert.match(String(errors[0]), /a body parser has read the request before/)
    assert.deepStrictEqual(received, [])
  })

  it("says so too when the body was dropped", async () => {
    const { receive } = listening()
    const server = await listen(behind(() => ({}), receive))
    assert.strictEqual(reasonOf((await send(server.url, signed, body)).text), "body_already_read")
  })

  for (const [what, parse] of [
    ["bytes", (raw: Buffer) => ({ body: raw })],
    ["text", (raw: Buffer) => ({ body: raw.toString() })],
    ["the bytes beside the object", (raw: Buffer) => ({ rawBody: raw, body: JSON.parse(raw.toString()) })]
  ] as const) {
    it(`takes the body when the parser has kept ${what}`, async () => {
      const { receive, received } = listening()
      const server = await listen(behind(parse, receive))
      assert.strictEqual((await send(server.url, signed, body)).status, 204)
      assert.deepStrictEqual(received[0]?.event, event)
    })
  }

  it("reads the body itself when the parser left an empty object and did not read", async () => {
    const { receive } = listening()
    const server = await listen((request, response) => receive(Object.assign(request, { body: {} }), response))
    assert.strictEqual((await send(server.url, signed, body)).status, 204)
  })
})
