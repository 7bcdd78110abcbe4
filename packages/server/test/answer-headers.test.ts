/** Rules for browsers and caches: data read by a token is never stored, and no type is guessed. */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { create } from "@limbeck/testing/http/SourceSteps"
import { key, Models } from "@limbeck/testing/upstream/Models"
import { onMemory } from "./support/House.ts"

onMemory(
  "the headers of every answer",
  (house) => {
    const models = new Models()
    beforeAll(() => models.open())
    afterAll(() => models.close())

    /** An upstream that lets every cache keep its answers. */
    const cacheable = () =>
      models.base((_request, response) =>
        response
          .writeHead(200, { "content-type": "application/json", "cache-control": "public, max-age=600" })
          .end('{"object":"list","data":[]}')
      )

    it("keep an answer to a token out of every cache, also what an upstream lets caches keep (P901)", async () => {
      const { test } = await house.workspace()
      await create(test, { base_url: cacheable(), api_key: key, default: true })
      const chat = { model: "gpt", messages: [{ role: "user", content: "hi" }] }
      const answers = {
        resource: await test.get("/v1/whoami"),
        list: await test.get("/v1/distill/calls"),
        proxied: await test.post("/v1/proxy/chat/completions", chat),
        models: await test.get("/v1/proxy/models"),
        created: await test.post("/v1/distill/datasets", { name: "rows" }),
        missing: await test.get("/v1/distill/calls/call_0000000000000000000000000"),
        refused: await house.client("svc_test_unknown").get("/v1/whoami"),
        unknown: await test.get("/v1/nowhere")
      }
      for (const [name, { headers }] of Object.entries(answers)) {
        assert.strictEqual(headers.get("cache-control"), "no-store", name)
      }
    })

    it("forbid browsers to guess types, and to come back over plain http where the server's address is https (P902)", async () => {
      const { test } = await house.workspace()
      const paths = [
        "/v1/whoami",
        "/v1/health",
        "/v1/openapi.json",
        "/v1/nowhere",
        "/v1/event_types",
        "/v1/proxy/models"
      ]
      for (const path of paths) {
        const { headers } = await test.get(path)
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff", path)
        assert.strictEqual(headers.get("strict-transport-security"), "max-age=31536000", path)
      }
    })
  },
  { settings: { publicUrl: "https://limbeck.example" } }
)

onMemory("the headers of a server at an http address", (house) => {
  it("say nothing of https (P902)", async () => {
    const { headers } = await house.client(null).get("/v1/health")
    assert.isNull(headers.get("strict-transport-security"))
    assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
  })
})
