// @effect-diagnostics globalFetch:off
/** The app in somebody else's server: under a path, behind a body parser, for a Fetch host (contract 1, docs of mounting). */
import { once } from "node:events"
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "@effect/vitest"
import * as Mounts from "../src/Mounts.ts"
import { requestIdPattern } from "./support/Client.ts"
import { type House, onMemory } from "./support/House.ts"

const listening = async (listener: RequestListener) => {
  const server = createServer(listener).listen(0, "127.0.0.1")
  await once(server, "listening")
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } // It listens on a port.
}

const closed = async (server: Server) => {
  server.closeAllConnections()
  server.close()
  await once(server, "close")
}

/** Express's behaviour: the path below the mount continues with the rest, possibly after a body parser. */
const express =
  (house: House, parse: boolean): RequestListener =>
  async (request, response) => {
    if (!request.url?.startsWith("/limbeck/")) return response.writeHead(404).end("host")
    if (parse) Object.assign(request, { body: JSON.parse((await request.toArray()).join("") || "null") })
    Object.assign(request, { originalUrl: request.url, url: request.url.slice("/limbeck".length) })
    house.node(request as IncomingMessage, response)
  }

const dataset = (token: string, body = '{"name":"a"}'): RequestInit => ({
  method: "POST",
  body,
  headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }
})

const codeOf = async (response: Response) => {
  const { error } = JSON.parse(await response.text())
  assert.strictEqual(error.request_id, response.headers.get("x-request-id"))
  assert.match(error.request_id, requestIdPattern)
  return [response.status, error.code]
}

onMemory("mounted", (house) => {
  it("under a path, it answers below it (P40)", async () => {
    const { liveToken } = await house.workspace()
    const { origin, server } = await listening(express(house, false))
    const created = await fetch(`${origin}/limbeck/v1/distill/datasets`, dataset(liveToken))
    assert.strictEqual(created.status, 201)
    const listed = await fetch(`${origin}/limbeck/v1/distill/datasets?limit=1`, {
      headers: { authorization: `Bearer ${liveToken}` }
    })
    assert.strictEqual(JSON.parse(await listed.text()).data.length, 1)
    assert.deepStrictEqual(await codeOf(await fetch(`${origin}/limbeck/v1/nothing`)), [404, "not_found_error"])
    assert.strictEqual(await (await fetch(origin)).text(), "host")
    await closed(server)
  })

  it("behind a body parser, it says where to mount it, instead of waiting for the body (P40)", async () => {
    const { liveToken } = await house.workspace()
    const { origin, server } = await listening(express(house, true))
    const answer = await fetch(`${origin}/limbeck/v1/distill/datasets`, dataset(liveToken))
    assert.strictEqual(answer.headers.get("service-version"), "2026-11-01")
    assert.deepStrictEqual(await codeOf(answer.clone()), [500, "api_error"])
    assert.include(await answer.text(), "before body parsers")
    const chunked = { ...dataset(liveToken), body: new Blob(['{"name":"a"}']).stream(), duplex: "half" }
    const streamed = await fetch(`${origin}/limbeck/v1/distill/datasets`, chunked as RequestInit)
    assert.deepStrictEqual(await codeOf(streamed), [500, "api_error"])
    const empty = { method: "POST", headers: { authorization: `Bearer ${liveToken}` } }
    const nothing = await fetch(`${origin}/limbeck/v1/distill/datasets`, empty)
    assert.deepStrictEqual(await codeOf(nothing), [400, "invalid_request_error"])
    const read = await fetch(`${origin}/limbeck/v1/whoami`, { headers: { authorization: `Bearer ${liveToken}` } })
    assert.strictEqual(read.status, 200)
    await closed(server)
  })

  it("in node:http, it watches the rest of a body only if the request may have one (P1821)", async () => {
    const { liveToken } = await house.workspace()
    const watchers: Array<string> = []
    const { origin, server } = await listening((incoming, response) => {
      response.on("newListener", (event) => event === "prefinish" && watchers.push(incoming.method ?? ""))
      house.node(incoming, response)
    })
    const send = async (method: string, path: string, headers: Readonly<Record<string, string>>, body?: string) => {
      const sent = request(origin + path, { method, headers: { authorization: `Bearer ${liveToken}`, ...headers } })
      const [response] = await once(sent.end(body), "response")
      response.resume()
      await once(response, "end")
      return response.statusCode
    }
    assert.strictEqual(await send("GET", "/v1/whoami", {}), 200)
    assert.strictEqual(await send("GET", "/v1/whoami", { "content-length": "0" }), 200)
    assert.deepStrictEqual(watchers, [])
    const json = { "content-type": "application/json" }
    assert.strictEqual(await send("POST", "/v1/distill/datasets", json, '{"name":"a"}'), 201)
    assert.deepStrictEqual(watchers, ["POST"])
    await closed(server)
  })

  it("for a Fetch host, it answers requests with responses", async () => {
    const { liveToken } = await house.workspace()
    const handle = Mounts.fetch(house.app)
    const ask = (path: string, init?: RequestInit) => handle(new Request(`http://host.example${path}`, init))
    const created = await ask("/v1/distill/datasets", dataset(liveToken))
    assert.strictEqual(created.status, 201)
    const { id } = JSON.parse(await created.text())
    const headers = { authorization: `Bearer ${liveToken}` }
    assert.strictEqual(JSON.parse(await (await ask(`/v1/distill/datasets/${id}`, { headers })).text()).name, "a")
    const keyed = dataset(liveToken)
    const again = { ...keyed, headers: { ...keyed.headers, "idempotency-key": "1" } }
    const first = await ask("/v1/distill/datasets", again)
    const elsewhere = await handle(new Request("https://other.example/v1/distill/datasets", again))
    assert.strictEqual(await elsewhere.text(), await first.text())
    assert.deepStrictEqual(await codeOf(await ask("/v1/whoami")), [401, "authentication_error"])
    assert.deepStrictEqual(await codeOf(await ask("/nothing")), [404, "not_found_error"])
    const huge = dataset(liveToken, `{"name":"${"a".repeat(1024 * 1024)}"}`)
    assert.deepStrictEqual(await codeOf(await ask("/v1/distill/datasets", huge)), [413, "invalid_request_error"])
    const head = await ask("/v1/whoami", { method: "HEAD", headers })
    assert.deepStrictEqual([head.status, await head.text()], [200, ""])
  })
})
