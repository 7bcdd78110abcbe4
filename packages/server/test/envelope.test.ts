/** What holds of every answer: the envelope, the request id, the versions (service-api 7; contract 1, 3, 11). */
import { gzipSync } from "node:zlib"
import { assert, it } from "@effect/vitest"
import { assertInvalid, assertRefused, expectStatus } from "./support/Client.ts"
import { onMemory } from "./support/House.ts"

const token = "/v1/tokens"
const json = { "content-type": "application/json" }

onMemory("every answer", (house) => {
  it("an unknown route is a 404 envelope, with and without a token", async () => {
    const { live } = await house.workspace()
    for (const path of [
      "/",
      "/v1",
      "/v1/nothing",
      "/v2/whoami",
      "/v1/whoami/more",
      "//v1/whoami",
      "/v1//whoami",
      "/V1/WHOAMI"
    ]) {
      assertRefused(await live.get(path), 404, "not_found_error")
      assertRefused(await house.client(null).get(path), 404, "not_found_error")
    }
  })

  it("an unknown method on a known path is a 404 envelope", async () => {
    const { live } = await house.workspace()
    for (const [method, path] of [
      ["DELETE", "/v1/whoami"],
      ["PUT", "/v1/tokens"],
      ["PATCH", "/v1/events"],
      ["POST", "/healthz"],
      ["OPTIONS", "/v1/whoami"]
    ] as const) {
      assertRefused(await live.send(method, path), 404, "not_found_error")
    }
  })

  it("ids of requests are ours, and never come twice", async () => {
    const mine = { "x-request-id": "req_00000000000000000000000000" }
    const answers = await Promise.all(Array.from({ length: 50 }, () => house.client(null).get("/healthz", mine)))
    const ids = answers.map(({ headers }) => headers.get("x-request-id"))
    assert.strictEqual(new Set(ids).size, 50)
    assert.notInclude(ids, mine["x-request-id"])
  })

  it("without a valid token a private route is 401, whatever is wrong with the token", async () => {
    const { live } = await house.workspace()
    const answers = await Promise.all(
      ["", "Bearer", "Bearer ", "Bearer nonsense", "Basic YTpi", `Bearer svc_live_${"0".repeat(49)}`, "svc_live_1"].map(
        (authorization) => house.client(null).get("/v1/whoami", { authorization })
      )
    )
    answers.push(await house.client(null).get("/v1/whoami"))
    for (const answer of answers) assertRefused(answer, 401, "authentication_error")
    const told = answers.map(({ text }) => text.replace(/req_\w{26}/, ""))
    assert.strictEqual(new Set(told).size, 1)
    expectStatus(await live.get("/v1/whoami"), 200)
  })

  it("what is not a JSON object is refused", async () => {
    const { live } = await house.workspace()
    for (const body of ["", "{", "[]", "null", "1", '"text"', "{} {}", "{'a':1}", new Uint8Array([0x7b, 0xff, 0x7d])]) {
      assertInvalid(await live.send("POST", token, { body, headers: json }), null)
    }
  })

  it("a body is application/json, whatever its charset parameter", async () => {
    const { live } = await house.workspace()
    const body = JSON.stringify({ name: "a", scopes: ["events:read"] })
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/jsonx",
      "application/ld+json"
    ]) {
      assertInvalid(await live.send("POST", token, { body, headers: { "content-type": type } }), "Content-Type")
    }
    assertInvalid(await live.send("POST", token, { body: new TextEncoder().encode(body) }), "Content-Type")
    for (const type of ["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"]) {
      expectStatus(await live.send("POST", token, { body, headers: { "content-type": type } }), 201)
    }
  })

  it("a body has no content coding: what is packed is told so, and not that it is no JSON (P383)", async () => {
    const { live } = await house.workspace()
    const plain = new TextEncoder().encode(JSON.stringify({ name: "a", scopes: ["events:read"] }))
    for (const [coding, body] of [
      ["gzip", new Uint8Array(gzipSync(plain))],
      ["gzip", plain],
      ["br", plain]
    ] as const) {
      const refused = await live.send("POST", token, { body, headers: { ...json, "content-encoding": coding } })
      assertRefused(refused, 415, "invalid_request_error", "Content-Encoding")
    }
    expectStatus(
      await live.send("POST", token, { body: plain, headers: { ...json, "content-encoding": "identity" } }),
      201
    )
  })

  it("a body over the limit is 413, declared or chunked", async () => {
    const { live } = await house.workspace()
    const body = JSON.stringify({ name: "a".repeat(1024 * 1024), scopes: ["events:read"] })
    assertRefused(await live.send("POST", token, { body, headers: json }), 413, "invalid_request_error")
    const chunked = new Blob([body]).stream()
    assertRefused(await live.send("POST", token, { body: chunked, headers: json }), 413, "invalid_request_error")
    const small = new Blob([JSON.stringify({ name: "chunked", scopes: ["events:read"] })]).stream()
    expectStatus(await live.send("POST", token, { body: small, headers: json }), 201)
  })

  it("a request may pin a version that there is, and no other", async () => {
    const { live } = await house.workspace()
    expectStatus(await live.get("/v1/whoami", { "service-version": "2026-11-01" }), 200)
    for (const version of ["2026-10-02", "2027-01-01", "latest", ""]) {
      assertInvalid(await live.get("/v1/whoami", { "service-version": version }), "Service-Version")
    }
    assertInvalid(
      await house.client(null).get("/v1/event_types", { "service-version": "2020-01-01" }),
      "Service-Version"
    )
  })

  it("HEAD is GET without a body", async () => {
    const { live } = await house.workspace()
    for (const path of ["/v1/whoami", "/healthz", "/v1/events", "/v1/openapi.json"]) {
      const [head, get] = [await live.send("HEAD", path), await live.get(path)]
      assert.deepStrictEqual([head.status, head.text], [200, ""])
      for (const name of ["content-type", "content-length"]) {
        assert.strictEqual(head.headers.get(name), get.headers.get(name), name)
      }
    }
    assert.strictEqual((await live.send("HEAD", "/v1/events/evt_none")).status, 404)
    assert.strictEqual((await house.client(null).send("HEAD", "/v1/whoami")).status, 401)
  })

  it("unknown query parameters are ignored", async () => {
    const { live } = await house.workspace()
    expectStatus(await live.get("/v1/whoami?livemode=false"), 200)
    expectStatus(await live.get("/v1/events?livemode=false&colour=green"), 200)
  })

  it("browsers of other origins are not let in", async () => {
    const { live } = await house.workspace()
    const answer = await live.get("/v1/whoami", { origin: "https://elsewhere.example" })
    assert.isFalse([...answer.headers.keys()].some((name) => name.startsWith("access-control-")))
  })

  it("health, the document and the event catalog need no token", async () => {
    const anybody = house.client(null)
    const health = expectStatus(await anybody.get<Record<string, unknown>>("/healthz"), 200)
    assert.deepInclude(health, { status: "ok", storage: "ok", queue: "ok", workers: 14 })
    assert.isString(health["version"])
    expectStatus(await anybody.get("/v1/openapi.json"), 200)
    expectStatus(await anybody.get("/v1/event_types"), 200)
  })
})
