/** The proxy's refusals, and their form (service-api 4.2, 7.1; contract 7). */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { create } from "@limbeck/testing/http/SourceSteps"
import { Models } from "@limbeck/testing/upstream/Models"
import { assertRefused, type Client, expectStatus } from "./support/Client.ts"
import { onMemory } from "./support/House.ts"
import { callIdPattern, chat, question, send, withSource } from "./support/Proxied.ts"

describe("a call", () => {
  const upstream = new Models()
  beforeAll(() => upstream.open())
  afterAll(() => upstream.close())

  onMemory("through the proxy: what is refused", (house) => {
    const post = (caller: Client, headers = {}, body: unknown = question) => caller.post(chat, body, headers)

    const assertTold = (headers: Headers) => {
      assert.match(headers.get("x-service-call-id") ?? "", callIdPattern)
      assert.isNull(headers.get("x-service-served-by"))
    }

    it("says so in our envelope, with a call id", async () => {
      const { live, test } = await house.workspace()
      const { id } = await create(test, { base_url: Models.closed, name: "closed" })
      const source = "X-Service-Source"
      const cases = [
        [test, {}, 400, source],
        [test, { [source]: "nowhere" }, 400, source],
        [test, { [source]: "src_00000000000000000000000000" }, 400, source],
        [live, { [source]: id }, 400, source],
        [
          test,
          { "X-Service-Tags": Array.from({ length: 17 }, (_, index) => `t${index}`).join(",") },
          400,
          "X-Service-Tags"
        ],
        [test, { "X-Service-Tags": `a,${"b".repeat(65)}` }, 400, "X-Service-Tags"],
        [test, { "X-Service-External-Id": "x".repeat(256) }, 400, "X-Service-External-Id"],
        [test, { "Service-Version": "2020-01-01" }, 400, "Service-Version"]
      ] as const
      for (const [caller, headers, status, param] of cases) {
        const answer = await post(caller, headers)
        assertRefused(answer, status, "invalid_request_error", param)
        assertTold(answer.headers)
      }
      const fine = {
        "X-Service-Tags": `${Array.from({ length: 16 }, (_, index) => `t${index}`).join(" , ")},t1,`,
        [source]: "closed"
      }
      const unreachable = await post(test, { ...fine, "X-Service-External-Id": "x".repeat(255) })
      assertRefused(unreachable, 502, "api_error")
      assertTold(unreachable.headers)
      assert.strictEqual(unreachable.headers.get("x-service-external-id"), "x".repeat(255))
    })

    it("needs a token with the scope, and a body within the limit", async () => {
      const { test } = await house.workspace()
      const anybody = await post(house.client(null))
      assertRefused(anybody, 401, "authentication_error")
      assertTold(anybody.headers)
      const { secret } = expectStatus(
        await test.post<{ readonly secret: string }>("/v1/tokens", { name: "a", scopes: ["distill:write"] }),
        201
      )
      const lacking = await post(house.client(secret))
      assertRefused(lacking, 403, "permission_error")
      assertTold(lacking.headers)
      const large = await test.post(chat, { ...question, more: "a".repeat(16 * 1024 ** 2) })
      assertRefused(large, 413, "invalid_request_error")
      assertTold(large.headers)
    })

    it("that names a source by an empty name changes nothing for those that name none (P380)", async () => {
      const header = "X-Service-Source"
      for (const name of ["", "nowhere"]) {
        const { workspace } = await withSource(house, upstream, (_, response) => void response.end("{}"))
        const refused = await send(house, workspace, { headers: { [header]: name } })
        assert.strictEqual(refused.status, 400)
        assert.include(await refused.text(), header)
        assert.strictEqual((await send(house, workspace)).status, 200)
      }
    })

    it("a deployment that there is not is a 404", async () => {
      const { workspace } = await withSource(house, upstream, (_, response) => void response.end("{}"))
      const answer = await post(workspace.test, {}, { ...question, model: "svc:nobody" })
      assertRefused(answer, 404, "not_found_error")
      assertTold(answer.headers)
    })

    it("an upstream that does not answer in time is a 504, one that cannot be reached a 502", async () => {
      const { workspace } = await withSource(house, upstream, () => {}, { timeout_ms: 50 })
      const { test } = workspace
      assertRefused(await post(test), 504, "api_error")
      await create(test, { base_url: "https://10.0.0.1/v1", name: "private" })
      await create(test, { base_url: upstream.base((request) => void request.socket.destroy()), name: "rude" })
      for (const name of ["private", "rude"]) {
        assertRefused(await post(test, { "X-Service-Source": name }), 502, "api_error")
      }
    })

    it("an upstream whose status is none of HTTP is a 502, and captured as such (P114)", async () => {
      const { workspace } = await withSource(house, upstream, (_, response) => {
        response.socket?.end("HTTP/1.1 777 Fine\r\ncontent-length: 2\r\n\r\n{}")
      })
      const { test } = workspace
      const refused = await post(test)
      assertRefused(refused, 502, "api_error")
      assertTold(refused.headers)
      const call = await test.get(`/v1/distill/calls/${refused.headers.get("x-service-call-id")}`)
      assert.deepInclude(expectStatus(call, 200), { outcome: "failed", response: null })
    })

    it("of a managed source is told in our words, with the model's status", async () => {
      let status = 200
      const managed = { kind: "managed", models: ["gpt"] }
      const { base_url, workspace } = await withSource(
        house,
        upstream,
        (_, response) =>
          void response.writeHead(status, { "retry-after": "7", "content-type": "application/json" }).end("{}"),
        managed
      )
      const { test } = workspace
      for (const model of ["other", undefined, 5]) {
        assertRefused(await post(test, {}, { ...question, model }), 400, "teacher_model_unknown", "model")
      }
      assert.isEmpty(upstream.at(base_url))
      assert.strictEqual((await post(test)).text, "{}")
      for (status of [400, 401, 503, 504]) {
        const answer = await send(house, workspace)
        const { error } = JSON.parse(await answer.text())
        assert.deepStrictEqual([answer.status, error.type, error.code], [status, "api_error", "teacher_unavailable"])
        assertTold(answer.headers)
      }
      status = 429
      const limited = await post(test)
      assertRefused(limited, 429, "teacher_unavailable")
      assert.strictEqual(limited.headers.get("retry-after"), "7")
      await create(test, { ...managed, base_url: upstream.base(() => {}), timeout_ms: 50, name: "silent" })
      assertRefused(await post(test, { "X-Service-Source": "silent" }), 504, "teacher_unavailable")
      await create(test, { ...managed, base_url: Models.closed, name: "closed" })
      assertRefused(await post(test, { "X-Service-Source": "closed" }), 502, "teacher_unavailable")
      await create(test, { ...managed, models: [], base_url: Models.closed, name: "unread" })
      assertRefused(await post(test, { "X-Service-Source": "unread" }), 503, "catalog_unavailable")
    })
  })
})
