/** Each receiver inside its own framework. */
import express from "express"
import Fastify, { type FastifyInstance } from "fastify"
import { assert, describe, it, onTestFinished } from "vitest"
import * as ForFastify from "../../src/webhooks/fastify.ts"
import type { ReceiverOptions, VerifiedEvent } from "../../src/webhooks/internal/receiver.ts"
import * as ForNode from "../../src/webhooks/node.ts"
import { breakOff, listen, send } from "../support/Listening.ts"
import { body, event, headers, now, secret } from "../support/Signed.ts"

const signed = { headers: headers() }
const bytes = new TextEncoder().encode(body)
const deliveryId = headers()["service-delivery-id"]
const reasonOf = (text: string) => JSON.parse(text).error.reason

/** A receiver's options, and what it gets. */
const recording = (given: Partial<ReceiverOptions> = {}) => {
  const received: Array<VerifiedEvent> = []
  const errors: Array<unknown> = []
  const handler = (one: VerifiedEvent) => received.push(one)
  const options: ReceiverOptions = { secret, now, handler, onError: (error) => errors.push(error), ...given }
  return { received, errors, options }
}

const assertTaken = ({ received }: { readonly received: ReadonlyArray<VerifiedEvent> }) =>
  assert.deepStrictEqual(received, [{ event, eventId: event.id, deliveryId }])

/** Listens until the test is over. */
const listening = async (app: FastifyInstance) => {
  onTestFinished(() => app.close())
  const origin = await app.listen({ port: 0, host: "127.0.0.1" })
  return { origin, url: `${origin}/hook`, port: Number(new URL(origin).port) }
}

describe("a receiver in Express", () => {
  it("before express.json() takes the event, and other routes have their parsed bodies", async () => {
    const recorded = recording()
    const app = express()
    app.post("/hook", ForNode.receiver(recorded.options))
    app.use(express.json())
    app.post("/other", (request, response) => void response.json(request.body.id))
    const { url } = await listen(app)
    assert.strictEqual((await send(url, signed, body)).status, 204)
    assertTaken(recorded)
    assert.strictEqual((await send(url.replace("hook", "other"), signed, body)).text, JSON.stringify(event.id))
    assert.deepStrictEqual([(await send(url, signed, `${body} `)).status, recorded.received.length], [400, 1])
  })

  it("as middleware leaves other methods and paths to others", async () => {
    const recorded = recording()
    const app = express()
    app.use("/hook", ForNode.receiver(recorded.options))
    app.get("/hook", (_, response) => void response.send("a page"))
    const { url } = await listen(app)
    assert.strictEqual((await send(url, { method: "GET" })).text, "a page")
    assert.strictEqual((await send(url, signed, body)).status, 204)
    assert.strictEqual((await send(url.replace("hook", "other"), signed, body)).status, 404)
  })

  it("after express.json() says what to do, and answers 500, so that no event is lost (P45)", async () => {
    const recorded = recording()
    const app = express()
    app.use(express.json())
    app.post("/hook", ForNode.receiver(recorded.options))
    const { url } = await listen(app)
    for (const chunks of [[bytes], [bytes.subarray(0, 100), bytes.subarray(100)]]) {
      const { status, text } = await send(url, signed, ...chunks)
      assert.deepStrictEqual([status, reasonOf(text)], [500, "body_already_read"])
    }
    assert.match(String(recorded.errors[0]), /put the receiver before it/)
    assert.deepStrictEqual(recorded.received, [])
  })

  it("after express.json(), which did not read what is no JSON, refuses it as unsigned", async () => {
    const app = express()
    app.use(express.json(), express.urlencoded())
    app.post("/hook", ForNode.receiver(recording().options))
    const { url } = await listen(app)
    const { status, text } = await send(url, { headers: { "content-type": "text/plain" } }, "hello")
    assert.deepStrictEqual([status, reasonOf(text)], [400, "missing_header"])
  })

  for (const [what, parser] of [
    ["express.raw()", express.raw({ type: "*/*" })],
    ["express.text()", express.text({ type: "*/*" })],
    [
      "express.json() that keeps the bytes",
      express.json({ verify: (request, _, raw) => void Object.assign(request, { rawBody: raw }) })
    ]
  ] as const) {
    it(`after ${what} takes the event`, async () => {
      const recorded = recording()
      const app = express()
      app.use(parser)
      app.post("/hook", ForNode.receiver(recorded.options))
      const { url } = await listen(app)
      assert.strictEqual((await send(url, signed, body)).status, 204)
      assertTaken(recorded)
    })
  }
})

describe("a receiver in Fastify", () => {
  const withReceiver = async (given: Partial<ReceiverOptions> = {}) => {
    const recorded = recording(given)
    const app = Fastify()
    app.register(ForFastify.receiver(recorded.options), { prefix: "/hook" })
    app.post("/other", (request) => request.body)
    return { ...recorded, ...(await listening(app)), app }
  }

  it("takes the event, and other routes have their parsed bodies", async () => {
    const server = await withReceiver()
    const { status, text } = await send(server.url, signed, body)
    assert.deepStrictEqual([status, text], [204, ""])
    assertTaken(server)
    const other = await send(`${server.origin}/other`, signed, body)
    assert.deepStrictEqual(JSON.parse(other.text), event)
    assert.strictEqual((await send(server.url, { method: "GET" })).status, 404)
  })

  it("takes a body in pieces, and of any content type", async () => {
    const server = await withReceiver()
    const cut = bytes.indexOf(0xc3) + 1
    for (const type of ["application/json; charset=utf-8", "text/plain", "application/cloudevents+json"]) {
      const given = { headers: { ...headers(), "content-type": type } }
      const { status } = await send(
        server.url,
        given,
        bytes.subarray(0, 5),
        bytes.subarray(5, cut),
        bytes.subarray(cut)
      )
      assert.strictEqual(status, 204, type)
    }
    assert.strictEqual(server.received.length, 3)
  })

  it("answers 400 to what is not signed, and says why", async () => {
    const server = await withReceiver()
    for (const [given, sent, reason] of [
      [headers(), `${body} `, "no_match"],
      [headers("t=1,v1=00"), body, "expired"],
      [{ "content-type": "application/json" }, body, "missing_header"],
      [headers(), "", "no_match"]
    ] as const) {
      const { headers: answered, status, text } = await send(server.url, { headers: given }, sent)
      assert.deepStrictEqual([status, reasonOf(text)], [400, reason])
      assert.match(String(answered["content-type"]), /^application\/json/)
    }
    assert.deepStrictEqual([server.received, server.errors], [[], []])
  })

  it("answers 500 when the handler fails, so that the event is sent again", async () => {
    const server = await withReceiver({ handler: () => Promise.reject(new Error("queue is full")) })
    const { status, text } = await send(server.url, signed, body)
    assert.deepStrictEqual([status, reasonOf(text)], [500, "handler_failed"])
    assert.deepStrictEqual(server.errors, [new Error("queue is full")])
  })

  it("answers 413 to a body over the limit, announced or not, and closes the connection", async () => {
    const server = await withReceiver({ bodyBytesMax: 1000 })
    const large = "x".repeat(300_000)
    for (const chunks of [[large], ["x".repeat(900), "x".repeat(101)], [large, large]]) {
      const { headers: answered, status, text } = await send(server.url, signed, ...chunks)
      assert.deepStrictEqual([status, reasonOf(text), answered["connection"]], [413, "too_large", "close"])
    }
    assert.deepStrictEqual(server.received, [])
  })

  it("says so when a hook has read the body before", async () => {
    const recorded = recording()
    const app = Fastify()
    app.addHook("preHandler", async ({ body: payload }) => {
      // The receiver leaves the stream there for its own handler.
      for await (const _ of payload as AsyncIterable<unknown>);
    })
    app.register(ForFastify.receiver(recorded.options), { prefix: "/hook" })
    const { url } = await listening(app)
    const { status, text } = await send(url, signed, body)
    assert.deepStrictEqual([status, reasonOf(text)], [500, "body_already_read"])
    assert.strictEqual(recorded.errors.length, 1)
  })

  it("survives a sender that hangs up half way", async () => {
    const server = await withReceiver()
    await breakOff(server.port, `POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"id"`)
    assert.strictEqual((await send(server.url, signed, body)).status, 204)
    assert.strictEqual(server.received.length, 1)
  })

  it("takes what Fastify injects", async () => {
    const { app, received } = await withReceiver()
    const { statusCode } = await app.inject({ method: "POST", url: "/hook", headers: headers(), payload: body })
    assert.deepStrictEqual([statusCode, received.length], [204, 1])
  })
})
