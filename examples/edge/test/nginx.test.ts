/** What the edge passes and what it says itself, by a real nginx (service-api 7.1). */

import { once } from "node:events"
import * as http from "node:http"
import { assert, describe, it } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { listen, serve, token } from "./Backend.ts"
import { Edge, hasNginx } from "./Edge.ts"

const authorization = `Bearer ${token}`
const json = { authorization, "content-type": "application/json" }

/** A server that hands each request to the test. */
const serveByHand = async (atEnd: AtEnd, at: string) => {
  const server = http.createServer({ requestTimeout: 0 })
  await listen(atEnd, server, at)
  atEnd(() => server.closeAllConnections())
  return async () => (await once(server, "request")) as [http.IncomingMessage, http.ServerResponse]
}

const unavailable = {
  error: {
    type: "api_error",
    code: "backend_unavailable",
    message: "The service cannot be reached at present; the outcome of a write is unknown"
  }
}

describe.skipIf(!hasNginx())("the edge", () => {
  it("passes requests, answers and errors of the server as they are (P172)", async ({ onTestFinished }) => {
    const edge = await Edge.open(onTestFinished)
    await serve(onTestFinished, edge.backend)
    const whoami = await edge.send("GET", "/v1/whoami", { authorization })
    assert.deepInclude(JSON.parse(whoami.text), { object: "whoami", livemode: false })
    assert.match(String(whoami.headers["x-request-id"]), /^req_/)
    const key = { ...json, "idempotency-key": "once" }
    const [first, again] = [
      await edge.send("POST", "/v1/distill/loops", key, '{"name":"edge"}'),
      await edge.send("POST", "/v1/distill/loops", key, '{"name":"edge"}')
    ]
    assert.deepStrictEqual([first.status, again.status, again.text], [201, 201, first.text])
    assert.strictEqual(again.headers["idempotent-replayed"], "true")
    const refused = await edge.send("GET", "/v1/nowhere", { authorization })
    const { error } = JSON.parse(refused.text)
    assert.deepStrictEqual([refused.status, error.code], [404, "not_found_error"])
    assert.strictEqual(error.request_id, refused.headers["x-request-id"])
    assert.strictEqual((await edge.send("GET", "/v1/whoami")).headers["www-authenticate"], "Bearer")
  })

  it("says backend_unavailable, without a request id, while no server can be reached (P172)", async ({
    onTestFinished
  }) => {
    const edge = await Edge.open(onTestFinished)
    for (const [method, body] of [
      ["GET", ""],
      ["POST", '{"name":"edge"}'],
      ["DELETE", ""]
    ] as const) {
      const answer = await edge.send(method, "/v1/distill/loops", body === "" ? { authorization } : json, body)
      assert.strictEqual(answer.status, 503)
      assert.strictEqual(answer.headers["content-type"], "application/json")
      assert.deepStrictEqual(JSON.parse(answer.text), unavailable)
      assert.notProperty(answer.headers, "x-request-id")
    }
    const next = await serveByHand(onTestFinished, edge.backend)
    const back = edge.send("GET", "/healthz")
    const [, response] = await next()
    response.end("here")
    assert.strictEqual((await back).text, "here")
  })

  it("forbids to guess types once in each answer, and passes what the server says of https (P902)", async ({
    onTestFinished
  }) => {
    const edge = await Edge.open(onTestFinished)
    const away = await edge.send("GET", "/v1/health")
    assert.strictEqual(away.headers["x-content-type-options"], "nosniff")
    assert.strictEqual(away.headers["cache-control"], "no-store")
    assert.notProperty(away.headers, "strict-transport-security")
    const next = await serveByHand(onTestFinished, edge.backend)
    const headers = { "x-content-type-options": "nosniff", "strict-transport-security": "max-age=31536000" }
    for (const said of [headers, {}] as const) {
      const asked = edge.send("GET", "/v1/health")
      const [, response] = await next()
      response.writeHead(200, said).end()
      const answer = await asked
      // Node joins repeated headers by a comma.
      assert.strictEqual(answer.headers["x-content-type-options"], "nosniff")
      assert.strictEqual(answer.headers["strict-transport-security"], headers === said ? "max-age=31536000" : undefined)
    }
  })

  it("says so when a server ends in the middle of a request (P172)", async ({ onTestFinished }) => {
    const edge = await Edge.open(onTestFinished)
    const next = await serveByHand(onTestFinished, edge.backend)
    const asked = edge.send("POST", "/v1/distill/loops", json, '{"name":"edge"}')
    const [request] = await next()
    request.socket.destroy()
    const answer = await asked
    assert.deepStrictEqual([answer.status, JSON.parse(answer.text)], [503, unavailable])
  })

  it.each([502, 503, 504])("passes a %i that the server itself says (P172)", async (status) => {
    const undo: Array<() => unknown> = []
    try {
      const edge = await Edge.open((one) => void undo.unshift(one))
      const next = await serveByHand((one) => void undo.unshift(one), edge.backend)
      const asked = edge.send("GET", "/v1/proxy/models", { authorization })
      const [, response] = await next()
      response.writeHead(status, { "x-request-id": "req_1" }).end("its own words")
      const answer = await asked
      assert.deepStrictEqual(
        [answer.status, answer.text, answer.headers["x-request-id"]],
        [status, "its own words", "req_1"]
      )
    } finally {
      for (const one of undo) await one()
    }
  })

  it("lets a client use ten links at once, and limits no other request (P872)", async ({ onTestFinished }) => {
    const edge = await Edge.open(onTestFinished)
    const server = http.createServer((request, response) => response.end(request.headers["x-forwarded-proto"]))
    await listen(onTestFinished, server, edge.backend)
    const use = (path: string) => edge.send("POST", path, { "content-type": "application/json" }, '{"link":"guess"}')
    // Many more at once than come back in a second.
    const paths = Array.from({ length: 60 }, (_, number) => `/v1/sessions${number % 2 === 0 ? "" : "/preview"}`)
    const answers = await Promise.all(paths.map(use))
    const refused = answers.filter(({ status }) => status === 429)
    const passed = answers.filter(({ status }) => status === 200)
    assert.isAtLeast(passed.length, 10)
    assert.isAbove(refused.length, 0)
    assert.strictEqual(passed.length + refused.length, 60)
    for (const { headers, text } of refused) {
      assert.strictEqual(JSON.parse(text).error.code, "rate_limit_error")
      assert.strictEqual(headers["retry-after"], "1")
    }
    assert.strictEqual(passed[0]?.text, "http")
    for (const [method, path] of [
      ["GET", "/v1/sessions"],
      ["POST", "/v1/sessionsx"],
      ["POST", "/v1/distill/loops"]
    ] as const) {
      for (let count = 0; count < 12; count++) assert.strictEqual((await edge.send(method, path)).status, 200)
    }
  })

  it("passes a stream piece by piece (P173)", async ({ onTestFinished }) => {
    const edge = await Edge.open(onTestFinished)
    const next = await serveByHand(onTestFinished, edge.backend)
    const request = edge.request("GET", "/v1/distill/runs/run_1/stream", { authorization })
    request.end()
    const [, sent] = await next()
    sent.writeHead(200, { "content-type": "text/event-stream" })
    sent.write("id: 1\n\n")
    const [received] = (await once(request, "response")) as [http.IncomingMessage]
    // The second piece is not sent before the first has arrived.
    const [first] = await once(received, "data")
    assert.strictEqual(String(first), "id: 1\n\n")
    sent.end("id: 2\n\n")
    const [second] = await once(received, "data")
    assert.strictEqual(String(second), "id: 2\n\n")
  })

  it("passes an upload of 5 GiB as it comes, whatever it declares (P173)", async ({ onTestFinished }) => {
    const edge = await Edge.open(onTestFinished)
    const next = await serveByHand(onTestFinished, edge.backend)
    const bytes = 5 * 1024 ** 3
    const request = edge.request("PUT", "/v1/distill/uploads/upl_1/content?capability=c", { "content-length": bytes })
    request.on("error", () => {})
    request.write("first")
    const [received, response] = await next()
    assert.strictEqual(received.headers["content-length"], String(bytes))
    // The server has the first bytes while the client holds the rest back.
    assert.strictEqual(String((await once(received, "data"))[0]), "first")
    response.writeHead(202).end("taken")
    const [answer] = (await once(request, "response")) as [http.IncomingMessage]
    assert.strictEqual(answer.statusCode, 202)
    request.destroy()
  })

  it("keeps the headers of both sides, and the path as it is written (P173)", async ({ onTestFinished }) => {
    const edge = await Edge.open(onTestFinished)
    const next = await serveByHand(onTestFinished, edge.backend)
    const headers = {
      authorization,
      "idempotency-key": "k",
      "x-service-source": "main",
      "x-service-tags": "a,b",
      "last-event-id": "7",
      x_under_score: "kept"
    }
    const written = "/v1/events//x%2Fy?cursor=a%20b&type=%2A"
    const asked = edge.send("GET", written, headers)
    const [received, response] = await next()
    assert.deepInclude(received.headers, { ...headers, host: "edge.example" })
    assert.strictEqual(received.url, written)
    const ours = {
      "service-version": "2026-11-01",
      "x-service-call-id": "call_1",
      "retry-after": "3",
      ratelimit: '"d";r=1'
    }
    response.writeHead(429, ours).end("{}")
    const answer = await asked
    assert.deepInclude(answer.headers, ours)
    assert.strictEqual(answer.status, 429)
  })
})
