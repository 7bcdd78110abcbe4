/** The proxy: what passes (service-api 4.2, 7.1; contract 7). */
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { create } from "@limbeck/testing/http/SourceSteps"
import { key, Models } from "@limbeck/testing/upstream/Models"
import { assertRefused, expectStatus, requestIdPattern } from "./support/Client.ts"
import { type House, type HouseOptions, onEachStorage } from "./support/House.ts"
import { callIdPattern, chat, question, send, tokenOf, withSource } from "./support/Proxied.ts"

describe("a call", () => {
  const upstream = new Models()
  beforeAll(() => upstream.open())
  afterAll(() => upstream.close())

  const proxied = (subject: string, tests: (house: House) => void, options: HouseOptions = {}) =>
    onEachStorage(`through the proxy: ${subject}`, tests, options)

  proxied("what passes", (house) => {
    it("has the very bytes that were sent, with the source's key and without the caller's (P57)", async () => {
      const { base_url, workspace } = await withSource(house, upstream, (_, response) => void response.end("{}"))
      const body = '{ "model":"gpt",\n "messages": [], "unknown": {"ünï": "\\u00e9 \u{1f600}"}, "n": 1.0 }'
      const own = {
        "openai-beta": "assistants=v2",
        "x-stainless-lang": "js",
        "user-agent": "OpenAI/JS 6",
        "accept-language": "fr"
      }
      const kept = {
        cookie: "session=1",
        "x-service-tags": "a, b",
        "x-service-external-id": "order 5",
        "service-version": "2026-11-01",
        "x-forwarded-for": "1.2.3.4",
        "x-request-id": "mine"
      }
      const path = `${chat}?api-version=1`
      assert.strictEqual((await send(house, workspace, { body, path, headers: { ...own, ...kept } })).status, 200)
      const [asked, ...others] = upstream.at(base_url)
      assert.isEmpty(others)
      assert.strictEqual(asked?.body, body)
      assert.strictEqual(upstream.origin + asked?.path, `${base_url}/chat/completions?api-version=1`)
      const { headers = {} } = asked ?? {}
      assert.deepInclude<object>(headers, {
        ...own,
        authorization: `Bearer ${key}`,
        "content-type": "application/json"
      })
      for (const name of Object.keys(kept)) assert.notProperty(headers, name)
      assert.notInclude(JSON.stringify(asked), tokenOf(workspace))
    })

    it("each route goes to its own path, also with a body that is no JSON", async () => {
      const { base_url, workspace } = await withSource(house, upstream, (_, response) => void response.end("{}"))
      for (const name of ["chat/completions", "completions", "embeddings", "responses"]) {
        await (await send(house, workspace, { path: `/v1/proxy/${name}`, body: "[not json" })).text()
      }
      const paths = upstream.at(base_url).map(({ body, path }) => [upstream.origin + path, body])
      assert.deepStrictEqual(paths, [
        [`${base_url}/chat/completions`, "[not json"],
        [`${base_url}/completions`, "[not json"],
        [`${base_url}/embeddings`, "[not json"],
        [`${base_url}/responses`, "[not json"]
      ])
    })

    it("is answered with the upstream's status, headers and bytes, and with ours", async () => {
      const packed = gzipSync('{"id": "chatcmpl-1"}')
      const { workspace } = await withSource(house, upstream, (_, response) => {
        response.writeHead(203, {
          "content-type": "application/json; odd=1",
          "content-encoding": "gzip",
          "content-length": packed.length,
          "x-ratelimit-remaining": "7",
          "x-request-id": "theirs",
          "set-cookie": "a=b",
          "x-service-call-id": "theirs",
          "access-control-allow-origin": "*"
        })
        response.end(packed)
      })
      const answer = await send(house, workspace, { headers: { "x-service-external-id": "order 5" } })
      assert.strictEqual(answer.status, 203)
      assert.strictEqual(await answer.text(), '{"id": "chatcmpl-1"}')
      const { headers } = answer
      assert.strictEqual(headers.get("content-type"), "application/json; odd=1")
      assert.strictEqual(headers.get("x-ratelimit-remaining"), "7")
      assert.match(headers.get("x-service-call-id") ?? "", callIdPattern)
      assert.match(headers.get("x-request-id") ?? "", requestIdPattern)
      assert.strictEqual(headers.get("x-service-served-by"), "upstream")
      assert.strictEqual(headers.get("x-service-external-id"), "order 5")
      assert.strictEqual(headers.get("service-version"), "2026-11-01")
      for (const name of ["set-cookie", "access-control-allow-origin", "ratelimit"]) assert.isNull(headers.get(name))
    })

    it("has the failures and redirects of the caller's own source as they are", async () => {
      const cases = [
        [400, '{"error":{"message":"bad","type":"theirs"}}'],
        [401, '{"error":"key"}'],
        [404, "no such model"],
        [429, '{"error":{"code":"slow"}}'],
        [500, ""],
        [529, "<html>"],
        [307, "over there"]
      ] as const
      for (const [status, body] of cases) {
        const { workspace } = await withSource(house, upstream, (_, response) =>
          response.writeHead(status, { location: "https://elsewhere.example", "retry-after": "3" }).end(body)
        )
        const answer = await send(house, workspace)
        assert.deepStrictEqual([answer.status, await answer.text()], [status, body])
        assert.isNull(answer.headers.get("content-type"))
        assert.strictEqual(answer.headers.get("retry-after"), "3")
        assert.match(answer.headers.get("x-service-call-id") ?? "", callIdPattern)
        assert.strictEqual(answer.headers.get("x-service-served-by"), "upstream")
      }
    })

    it("is another one each time, whatever the idempotency key", async () => {
      const { base_url, workspace } = await withSource(house, upstream, (_, response) => void response.end("{}"))
      const keyed = { "idempotency-key": "one" }
      const ids = new Set<string | null>()
      for (const body of ["{}", "{}", '{"a":1}']) {
        const answer = await send(house, workspace, { body, headers: keyed })
        assert.strictEqual(answer.status, 200)
        ids.add(answer.headers.get("x-service-call-id"))
      }
      assert.lengthOf(upstream.at(base_url), 3)
      assert.strictEqual(ids.size, 3)
    })

    it("goes to the source that it names, by name or id, else to the default one", async () => {
      const { workspace } = await withSource(house, upstream, (_, response) => void response.end("default"))
      const answering = (said: string) => upstream.base((_, response) => void response.end(said))
      await create(workspace.test, { base_url: answering("named"), name: "named" })
      const { id } = await create(workspace.test, { base_url: answering("by id") })
      for (const [source, said] of [
        [undefined, "default"],
        ["named", "named"],
        [id, "by id"]
      ] as const) {
        const headers: Record<string, string> = source === undefined ? {} : { "x-service-source": source }
        assert.strictEqual(await (await send(house, workspace, { headers })).text(), said)
      }
    })

    it("lists the models of the upstream, and of a managed source from the catalog", async () => {
      const body = '{"object":"list",  "data":[{"id":"gpt"}]}'
      const { workspace } = await withSource(house, upstream, (_, response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(body)
      )
      const models = (headers = {}) =>
        workspace.test.get<{ readonly data: ReadonlyArray<object> }>("/v1/proxy/models", headers)
      const passed = await models()
      assert.strictEqual(passed.headers.get("x-service-served-by"), "upstream")
      assert.deepInclude<object>(passed.body.data[0] ?? {}, { id: "gpt", object: "model" })
      const managed = {
        kind: "managed",
        name: "managed",
        base_url: Models.closed,
        models: ["big", { id: "small" }]
      }
      await create(workspace.test, managed)
      const listed = expectStatus(await models({ "x-service-source": "managed" }), 200)
      assert.deepStrictEqual(
        listed.data.map((model) => ({ ...model, created: 0, created_at: "" })),
        ["big", "small"].map((id) => ({
          ...{ id, object: "model", created: 0, owned_by: "managed" },
          ...{ type: "model", display_name: id, created_at: "" }
        }))
      )
      const one = (id: string) => workspace.test.get(`/v1/proxy/models/${id}`, { "x-service-source": "managed" })
      assert.deepInclude(expectStatus(await one("small"), 200), { id: "small", owned_by: "managed" })
      assertRefused(await one("none"), 404, "not_found_error")
    })

    it("a legacy completion passes, and what a source says of one model (P265)", async () => {
      const { workspace } = await withSource(house, upstream, (request, response) => {
        response.writeHead(200, { "content-type": "application/json" })
        response.end(`{"method":"${request.method}"}`)
      })
      const legacy = await workspace.test.post("/v1/proxy/completions", { model: "instruct", prompt: "The capital" })
      assert.deepStrictEqual([legacy.status, legacy.text], [200, '{"method":"POST"}'])
      assert.strictEqual((await workspace.test.get("/v1/proxy/models/gpt")).text, '{"method":"GET"}')
    })
  })

  proxied(
    "under another name, and a rate limit",
    (house) => {
      it("the headers have the host's name, and calls are not counted", async () => {
        const workspace = await house.workspace()
        const base_url = upstream.base((_, response) => void response.end("{}"))
        await create(workspace.test, { base_url, name: "mine" })
        const headers = { "x-acme-source": "mine", "x-acme-external-id": "5" }
        for (let sent = 0; sent < 10; sent++) {
          const answer = await send(house, workspace, { headers })
          assert.strictEqual(answer.status, 200, await answer.text())
          assert.match(answer.headers.get("x-acme-call-id") ?? "", callIdPattern)
          assert.strictEqual(answer.headers.get("x-acme-served-by"), "upstream")
          assert.strictEqual(answer.headers.get("x-acme-external-id"), "5")
        }
        assert.notProperty(upstream.at(base_url)[0]?.headers, "x-acme-source")
        assertRefused(await workspace.test.post(chat, question), 400, "invalid_request_error", "X-Acme-Source")
      })
    },
    { settings: { brand: "Acme", rateLimit: { perSecond: 0.001, burst: 3 } } }
  )
})
