import { assert, describe, it } from "@effect/vitest"
import * as TenantUrl from "../../src/egress/TenantUrl.ts"
import { Limits } from "../../src/Limits.ts"

describe("a URL that a tenant gives", () => {
  it.each([
    "https://example.com",
    "HTTPS://EXAMPLE.com:8443/v1/",
    "http://127.0.0.1:80",
    "https://[::1]/a?b=c@d#e",
    "https://example.com/a@b",
    "https://пример.example/ж",
    `https://e.co/${"a".repeat(Limits.urlMax - 13)}`
  ])("is taken where everybody reads the same: %s", (text) => assert.isUndefined(TenantUrl.httpFault(text)))

  it.each([
    ...["", "example.com", "/v1", "//example.com", "https:example.com", "https:/example.com", "https:///example.com"],
    ...["https://@example.com", "https://:@example.com", "https://user@example.com", "https://a:b@example.com/"],
    ...[" https://x.co", "https://x.co ", "https://exa\tmple.com", "https://exa\nmple.com", "https://x.co/\u0000"],
    ...["https:\\\\example.com", "https://example.com\\@other.co", "https://x.co/\ud800", "https://", "https://?a"],
    ...["https://example.com:99999", `https://e.co/${"a".repeat(Limits.urlMax)}`]
  ])("is refused where some would mend it: %j", (text) => assert.isDefined(TenantUrl.fault(text)))

  it.each(["ftp://example.com", "file://example.com/etc", "ws://example.com"])(
    "is refused where it is not asked by HTTP: %s",
    (text) => assert.isDefined(TenantUrl.httpFault(text))
  )
})
