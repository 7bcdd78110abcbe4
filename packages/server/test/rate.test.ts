/** The rate limit of a token (contract 3, 10). */
import { assert, it } from "@effect/vitest"
import type { ErrorEnvelope } from "@limbeck/api/ErrorTable"
import { assertRefused, expectStatus } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

/** So slow that no token returns during a test on the real clock. */
const rateLimit = { perSecond: 0.005, burst: 5 }

onEachStorage(
  "the rate limit",
  (house) => {
    it("lets a burst through, then asks to wait, and forgets with time", async () => {
      const { live } = await house.workspace()
      const burst = []
      for (let index = 0; index < 5; index++) burst.push(await live.get("/v1/whoami"))
      assert.deepStrictEqual(
        burst.map(({ status }) => status),
        [200, 200, 200, 200, 200]
      )
      assert.match(burst[0]?.headers.get("ratelimit-policy") ?? "", /q=5/)
      assert.match(burst[4]?.headers.get("ratelimit") ?? "", /r=0/)

      const refused = await live.get<ErrorEnvelope>("/v1/whoami")
      assertRefused(refused, 429, "rate_limit_error")
      const seconds = refused.body.error.retry_after_seconds ?? 0
      assert.isTrue(seconds > 0 && seconds <= 1 / rateLimit.perSecond, String(seconds))
      assert.strictEqual(refused.headers.get("retry-after"), String(Math.ceil(seconds)))
      assert.match(refused.headers.get("ratelimit-policy") ?? "", /q=5/)
      assert.match(refused.headers.get("ratelimit") ?? "", /r=0/)

      house.passTime(Math.ceil(seconds * 1_000))
      expectStatus(await live.get("/v1/whoami"), 200)
    })

    it("is told of by every answer that it counts, refusals too (P107)", async () => {
      const { live } = await house.workspace()
      const refusals = [await live.get("/v1/events?limit=0"), await live.get("/v1/distill/loops/none")]
      for (const [index, { headers }] of refusals.entries()) {
        assert.match(headers.get("ratelimit") ?? "", new RegExp(`r=${4 - index};`))
        assert.match(headers.get("ratelimit-policy") ?? "", /q=5/)
      }
    })

    it("is of each token alone, and public routes have none", async () => {
      const { live, test } = await house.workspace()
      for (let index = 0; index < 6; index++) await live.get("/v1/whoami")
      assert.strictEqual((await live.get("/v1/whoami")).status, 429)
      expectStatus(await test.get("/v1/whoami"), 200)
      for (let index = 0; index < 10; index++) expectStatus(await house.client(null).get("/v1/event_types"), 200)
    })

    it("comes after the scope and before the key and the body", async () => {
      const { live } = await house.workspace()
      for (let index = 0; index < 6; index++) await live.get("/v1/whoami")
      assertRefused(await live.post("/v1/workspaces", {}), 403, "permission_error")
      assertRefused(await live.post("/v1/distill/runs", {}), 429, "rate_limit_error")
    })
  },
  { settings: { rateLimit } }
)
