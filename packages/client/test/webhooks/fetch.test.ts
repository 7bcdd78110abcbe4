import { assert, describe, it } from "vitest"
import { receiver } from "../../src/webhooks/fetch.ts"
import type { ReceiverOptions, VerifiedEvent } from "../../src/webhooks/internal/receiver.ts"
import { body, event, header, headers, now, secret } from "../support/Signed.ts"

/** A receiver that keeps what it gets. */
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

const request = (init: RequestInit = {}) =>
  new Request("http://localhost/hook", { method: "POST", headers: headers(), body, ...init })

/** A body in pieces, without Content-Length; `undefined` aborts it. */
const streamed = (...pieces: ReadonlyArray<string | undefined>): RequestInit => ({
  body: new ReadableStream({
    start: (controller) => {
      for (const piece of pieces) {
        if (piece === undefined) return controller.error(new Error("gone"))
        controller.enqueue(new TextEncoder().encode(piece))
      }
      controller.close()
    }
  }),
  // Node asks for it, and the types do not know it.
  ...{ duplex: "half" }
})

const problemOf = async (response: Response) => {
  const { error } = await response.json()
  return [response.status, error.reason]
}

describe("a Fetch receiver", () => {
  it("hands a verified event over, with its deduplication key, and answers 204", async () => {
    const { receive, received } = listening()
    const response = await receive(request())
    assert.deepStrictEqual([response.status, await response.text()], [204, ""])
    assert.deepStrictEqual(received, [{ event, eventId: event.id, deliveryId: headers()["service-delivery-id"] }])
  })

  it("answers only when the handler is done (P45)", async () => {
    const done = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const order: Array<string> = []
    const { receive } = listening({
      handler: async () => {
        begun.resolve()
        await done.promise
        order.push("handled")
      }
    })
    const answered = receive(request()).then(() => order.push("answered"))
    await begun.promise
    done.resolve()
    await answered
    assert.deepStrictEqual(order, ["handled", "answered"])
  })

  it("takes a body that comes in pieces", async () => {
    const { receive, received } = listening()
    // Not between characters of ASCII alone: the pieces are bytes.
    const response = await receive(request(streamed(body.slice(0, 10), body.slice(10, 11), body.slice(11))))
    assert.strictEqual(response.status, 204)
    assert.deepStrictEqual(received[0]?.event, event)
  })

  it("answers 400 to an invalid signature, says why, and hands nothing over", async () => {
    const { errors, receive, received } = listening()
    assert.deepStrictEqual(await problemOf(await receive(request({ body: body.replace("Grüße", "Grusse") }))), [
      400,
      "no_match"
    ])
    assert.deepStrictEqual(await problemOf(await receive(request({ headers: {} }))), [400, "missing_header"])
    assert.deepStrictEqual(await problemOf(await receive(request({ headers: headers("x") }))), [
      400,
      "malformed_header"
    ])
    assert.deepStrictEqual([received, errors], [[], []])
    const late = listening({ now: () => now() + 301_000 })
    assert.deepStrictEqual(await problemOf(await late.receive(request())), [400, "expired"])
  })

  it("takes the deduplication key from what is signed, whatever a header says", async () => {
    const { receive, received } = listening()
    await receive(request({ headers: { ...headers(), "service-event-id": "evt_forged" } }))
    assert.strictEqual(received[0]?.eventId, event.id)
  })

  it("answers 500 when the handler fails, so that the event is sent again, and tells no stranger why", async () => {
    for (const handler of [
      () => Promise.reject(new Error("queue is full")),
      () => {
        throw new Error("queue is full")
      }
    ]) {
      const { errors, receive } = listening({ handler })
      const response = await receive(request())
      assert.strictEqual(response.status, 500)
      assert.notInclude(await response.text(), "queue is full")
      assert.deepStrictEqual(errors, [new Error("queue is full")])
    }
  })

  it("answers 500 without a secret: the event is sent again when there is one", async () => {
    const { errors, receive } = listening({ secret: "" })
    assert.strictEqual((await receive(request())).status, 500)
    assert.instanceOf(errors[0], TypeError)
  })

  it("answers also when telling of the failure fails", async () => {
    const fail = () => {
      throw new Error("no")
    }
    assert.strictEqual((await listening({ handler: fail, onError: fail }).receive(request())).status, 500)
  })

  it("answers 413 to a body over the limit, announced or not, and takes one at the limit", async () => {
    const size = new TextEncoder().encode(body).length
    for (const init of [{}, streamed(body.slice(0, 20), body.slice(20))]) {
      const tight = listening({ bodyBytesMax: size - 1 })
      assert.deepStrictEqual(await problemOf(await tight.receive(request(init))), [413, "too_large"])
      assert.deepStrictEqual(tight.received, [])
    }
    const announced = request({ headers: { ...headers(), "content-length": "2000000" } })
    assert.deepStrictEqual(await problemOf(await listening().receive(announced)), [413, "too_large"])
    assert.strictEqual((await listening({ bodyBytesMax: size }).receive(request())).status, 204)
  })

  it("says so when somebody has read the body before", async () => {
    const { errors, receive } = listening()
    const eaten = request()
    await eaten.json()
    const locked = request()
    locked.body?.getReader()
    for (const one of [eaten, locked]) {
      assert.deepStrictEqual(await problemOf(await receive(one)), [500, "body_already_read"])
    }
    assert.match(String(errors[0]), /a body parser has read the request before/)
  })

  it("answers 400 to a body that breaks off, or that there is none of", async () => {
    const { receive } = listening()
    assert.deepStrictEqual(await problemOf(await receive(request(streamed(body, undefined)))), [400, "broken_off"])
    assert.deepStrictEqual(await problemOf(await receive(request({ body: null }))), [400, "no_match"])
  })

  it("answers 405 to other methods", async () => {
    const response = await listening().receive(new Request("http://localhost/hook"))
    assert.deepStrictEqual([response.status, response.headers.get("allow")], [405, "POST"])
  })

  it("reads the headers of a sender with a name of its own", async () => {
    const { receive, received } = listening({ brand: "Acme" })
    const own = { "acme-signature": header(), "acme-delivery-id": "del_1" }
    assert.strictEqual((await receive(request({ headers: own }))).status, 204)
    assert.strictEqual(received[0]?.deliveryId, "del_1")
    assert.deepStrictEqual(await problemOf(await receive(request())), [400, "missing_header"])
  })
})
