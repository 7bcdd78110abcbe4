import { assert, describe, it } from "@effect/vitest"
import * as PassedHeaders from "../src/proxy/PassedHeaders.ts"

const hops = {
  connection: "keep-alive, X-Mine",
  "keep-alive": "timeout=5",
  "transfer-encoding": "chunked",
  te: "trailers",
  trailer: "x",
  upgrade: "h2c",
  "proxy-authorization": "Basic a",
  "x-mine": "of this connection"
}

const both = { "content-type": "application/json", "openai-organization": "org", "content-encoding": "gzip" }

describe("headers that pass", () => {
  it("to the upstream are all but those of the connection, of the caller and of ours", () => {
    const kept = {
      authorization: "Bearer svc_live_1",
      cookie: "a=b",
      host: "proxy.example",
      "content-length": "5",
      expect: "100-continue",
      forwarded: "for=1.2.3.4",
      "x-forwarded-for": "1.2.3.4",
      "x-real-ip": "1.2.3.4",
      "x-acme-tags": "a",
      "acme-version": "2026-11-01"
    }
    const passed = { ...both, "user-agent": "OpenAI/JS", "accept-encoding": "gzip", "x-service-tags": "b" }
    assert.deepStrictEqual(PassedHeaders.of("Acme").toUpstream({ ...hops, ...kept, ...passed }), passed)
  })

  it("to the caller are all but those of the connection, and those that speak for our origin", () => {
    const kept = {
      "set-cookie": "a=b",
      "alt-svc": "h3",
      "strict-transport-security": "max-age=1",
      "access-control-allow-origin": "*",
      "x-service-call-id": "call_1",
      "x-request-id": "theirs"
    }
    const passed = { ...both, "content-length": "5", "retry-after": "7", "x-ratelimit-limit": "9" }
    assert.deepStrictEqual(PassedHeaders.of("Service").toCaller({ ...hops, ...kept, ...passed }), passed)
  })
})

describe("tags", () => {
  it("count once, without the spaces around them", () => {
    assert.deepStrictEqual(PassedHeaders.tagsOf(" a,b c , a,,é"), ["a", "b c", "é"])
    assert.deepStrictEqual(PassedHeaders.tagsOf(""), [])
  })

  it("are sixteen at most, of 64 characters at most", () => {
    const tags = (count: number, length = 1) =>
      Array.from({ length: count }, (_, index) => String(index).padEnd(length, "x"))
    assert.isUndefined(PassedHeaders.tagsFault(tags(16, 64)))
    assert.isDefined(PassedHeaders.tagsFault(tags(17)))
    assert.isDefined(PassedHeaders.tagsFault(tags(1, 65)))
  })
})
