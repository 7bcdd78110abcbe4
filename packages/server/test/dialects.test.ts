/** Dialects of sources: their routes, credentials, errors and model lists (contract 16.1 to 16.4). */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { create, type Shown, sources, type Verified } from "@limbeck/testing/http/SourceSteps"
import { key, Models } from "@limbeck/testing/upstream/Models"
import { assertInvalid, expectStatus } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const chat = { model: "claude", messages: [{ role: "user", content: "The capital of France?" }] }

describe("a dialect", () => {
  onEachStorage("of a source", (house) => {
    it("is openai by default, is shown and changed, and has the routes and the credential of its API (P1060)", async () => {
      const { test } = await house.workspace()
      assert.strictEqual((await create(test)).dialect, "openai")
      const base_url = upstream.base((_, response) => {
        response.writeHead(200, { "content-type": "application/json" }).end('{"data":[{"id":"claude"}]}')
      })
      const { dialect, id } = await create(test, { base_url, dialect: "anthropic" })
      assert.strictEqual(dialect, "anthropic")
      const headers = { "x-service-source": id }
      for (const route of ["chat/completions", "completions", "responses", "embeddings"]) {
        assertInvalid(await test.post(`/v1/proxy/${route}`, chat, headers), "X-Service-Source")
      }
      assert.deepStrictEqual(upstream.at(base_url), [])
      assert.isTrue(expectStatus(await test.post<Verified>(`${sources}/${id}/verify`, {}), 200).ok)
      const [listing] = upstream.at(base_url)
      assert.deepInclude(listing?.headers, { "x-api-key": key, "anthropic-version": "2023-06-01" })
      assert.notProperty(listing?.headers, "authorization")
      const changed = expectStatus(await test.patch<Shown>(`${sources}/${id}`, { dialect: "openai" }), 200)
      assert.strictEqual(changed.dialect, "openai")
      assertInvalid(await test.patch(`${sources}/${id}`, { dialect: "gemini" }), "dialect")
    })
  })
})
