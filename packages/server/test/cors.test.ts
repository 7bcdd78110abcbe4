/** Browsers of the host's named origins, and no others (contract 1). */
import { assert, it } from "@effect/vitest"
import { onMemory } from "./support/House.ts"

const origin = "https://app.example"
const allowed = (headers: Headers) => headers.get("access-control-allow-origin")

onMemory(
  "browsers",
  (house) => {
    it("of a named origin may call, and read what an error says", async () => {
      const answer = await house.client(null).get("/v1/whoami", { origin })
      assert.deepStrictEqual([answer.status, allowed(answer.headers)], [401, origin])
      assert.include(answer.headers.get("access-control-expose-headers"), "X-Request-Id")
      assert.include(answer.headers.get("vary"), "Origin")
    })

    it("of a named origin are told beforehand what they may send", async () => {
      const asked = { "access-control-request-method": "POST", "access-control-request-headers": "authorization" }
      const answer = await house.client(null).send("OPTIONS", "/v1/tokens", { headers: { origin, ...asked } })
      assert.deepStrictEqual([answer.status, allowed(answer.headers)], [204, origin])
      assert.include(answer.headers.get("access-control-allow-methods"), "POST")
      assert.include(answer.headers.get("access-control-allow-headers"), "authorization")
    })

    it("of another origin are not let in", async () => {
      const elsewhere = { origin: "https://app.example.evil.example" }
      for (const method of ["GET", "OPTIONS"]) {
        const answer = await house.client(null).send(method, "/v1/whoami", { headers: elsewhere })
        assert.isNull(allowed(answer.headers))
      }
    })
  },
  { settings: { corsOrigins: [origin, "https://admin.example"] } }
)
