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

const both = { "content-type": "application/json", "openai-organization": "org" }

const harmless = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; sandbox",
  "x-content-type-options": "nosniff"
}

describe("headers that pass", () => {
  it("to the upstream are all but those of the connection, of the caller and of ours", () => {
    const kept = {
      authorization: "Bearer svc_live_1",
      cookie: "a=b",
      host: "proxy.example",
      "content-length": "5",
      "content-encoding": "gzip",
      expect: "100-continue",
      forwarded: "for=1.2.3.4",
      via: "1.1 front",
      "x-acme-tags-more": "a",
      "x-acme-tags": "a",
      "acme-version": "2026-11-01"
    }
    const passed = {
      ...both,
      "user-agent": "OpenAI/JS",
      "accept-encoding": "gzip",
      "x-service-tags": "b",
      "x-acme-proxied-by": "ins_1",
      "idempotency-key": "a",
      "x-stainless-os": "Linux",
      "openai-beta": "tools"
    }
    assert.deepStrictEqual(PassedHeaders.of("Acme").toUpstream({ ...hops, ...kept, ...passed }), passed)
  })

  it.each([
    ...["forwarded", "x-forwarded-for", "x-forwarded-host", "x-original-forwarded-for", "x-vercel-forwarded-for"],
    ...[
      "x-real-ip",
      "x-client-ip",
      "client-ip",
      "true-client-ip",
      "cf-connecting-ip",
      "cf-connecting-ipv6",
      "cf-ipcountry"
    ],
    ...["fastly-client-ip", "fly-client-ip", "x-cluster-client-ip", "x-appengine-user-ip", "x-azure-clientip"],
    ...["x-nf-client-connection-ip", "x-envoy-external-address", "x-remote-addr", "x-vercel-ip-city", "cf-pseudo-ipv4"],
    ...["cloudfront-viewer-address", "cloudfront-viewer-country", "x-originating-ip", "wl-proxy-client-ip"],
    ...["x-api-key", "api-key", "x-goog-api-key", "ocp-apim-subscription-key", "x-auth-token", "x-csrf-token"],
    ...["x-amz-security-token", "cf-access-jwt-assertion", "cf-access-client-secret", "x-authorization", "cookie2"]
  ])("to the upstream never tell who and where the client is: %s", (name) => {
    assert.deepStrictEqual(PassedHeaders.of("Service").toUpstream({ ...both, [name]: "of the client" }), both)
  })

  it.each([
    ...[
      "clear-site-data",
      "nel",
      "report-to",
      "reporting-endpoints",
      "service-worker-allowed",
      "accept-ch",
      "expect-ct"
    ],
    ...[
      "idempotent-replayed",
      "ratelimit",
      "ratelimit-limit",
      "ratelimit-policy",
      "access-control-max-age",
      "set-cookie2"
    ],
    ...["x-service-call-id", "service-version", "x-request-id"]
  ])("to the caller never speak for us: %s", (name) => {
    assert.deepStrictEqual(PassedHeaders.of("Service").toCaller({ [name]: "theirs" }), harmless)
  })

  it("to the caller make a page of an upstream harmless, whatever that says (P114)", () => {
    const page = { "content-type": "text/html", "content-security-policy": "default-src *" }
    assert.deepStrictEqual(PassedHeaders.of("Service").toCaller(page), { "content-type": "text/html", ...harmless })
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
    assert.deepStrictEqual(PassedHeaders.of("Service").toCaller({ ...hops, ...kept, ...passed }), {
      ...passed,
      ...harmless
    })
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
