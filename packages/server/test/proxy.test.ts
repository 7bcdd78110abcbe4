// @effect-diagnostics globalFetch:off
/** The proxy: what passes, and what is refused (service-api 4.2, 7.1; contract 7). */
import { once } from "node:events"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Mounts from "../src/Mounts.ts"
import { assertRefused, type Client, expectStatus, requestIdPattern } from "./support/Client.ts"
import { type House, type HouseOptions, onEachStorage, type Workspace } from "./support/House.ts"
import { key, Models } from "./support/Models.ts"
import { create } from "./support/Sources.ts"

const chat = "/v1/proxy/chat/completions"
const callIdPattern = /^call_[0-9a-hjkmnp-tv-z]{26}$/
const question = { model: "gpt", messages: [{ role: "user", content: "The capital of France?" }] }

/** The mode in which an upstream may be on this machine. */
const tokenOf = ({ liveToken }: Workspace) => liveToken.replace("live", "test")

const headersOf = (workspace: Workspace, more: Readonly<Record<string, string>> = {}) => ({
  authorization: `Bearer ${tokenOf(workspace)}`,
  "content-type": "application/json",
  ...more
})

interface Sent {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
}

/** As it is, without the usual judge: the upstream's answers are in no document of ours. */
const send = (house: House, workspace: Workspace, sent: Sent = {}) =>
  fetch(house.origin + (sent.path ?? chat), {
    method: "POST",
    body: sent.body ?? JSON.stringify(question),
    headers: headersOf(workspace, sent.headers),
    redirect: "manual",
    ...(sent.signal === undefined ? {} : { signal: sent.signal })
  })

/** With a default source whose upstream answers like this. */
const withSource = async (house: House, upstream: Models, listener: RequestListener, fields = {}) => {
  const workspace = await house.workspace()
  const base_url = upstream.base(listener)
  const source = await create(workspace.test, { base_url, default: true, ...fields })
  return { workspace, base_url, source }
}

const chunksOf = async (response: Response) => {
  const parts: Array<Uint8Array> = []
  for await (const part of response.body ?? []) parts.push(part)
  return Buffer.concat(parts)
}

const stream = { "content-type": "text/event-stream; charset=utf-8" }

describe("a call", () => {
  const upstream = new Models()
  beforeAll(() => upstream.open())
  afterAll(() => upstream.close())

  const proxied = (subject: string, tests: (house: House) => void, options: HouseOptions = {}) =>
    onEachStorage(`through the proxy: ${subject}`, tests, options)

  proxied("what passes", (house) => {
    it("has the very bytes that were sent, with the source's key and without the caller's", async () => {
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
      for (const name of ["chat/completions", "embeddings", "responses"]) {
        await (await send(house, workspace, { path: `/v1/proxy/${name}`, body: "[not json" })).text()
      }
      const paths = upstream.at(base_url).map(({ body, path }) => [upstream.origin + path, body])
      assert.deepStrictEqual(paths, [
        [`${base_url}/chat/completions`, "[not json"],
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

    it("lists the models of the upstream as it does itself, and of a managed source from the catalog", async () => {
      const body = '{"object":"list",  "data":[{"id":"gpt"}]}'
      const { workspace } = await withSource(house, upstream, (_, response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(body)
      )
      const models = (headers = {}) =>
        workspace.test.get<{ readonly data: ReadonlyArray<object> }>("/v1/proxy/models", headers)
      const passed = await models()
      assert.deepStrictEqual([passed.text, passed.headers.get("x-service-served-by")], [body, "upstream"])
      const managed = {
        kind: "managed",
        name: "managed",
        base_url: await Models.closed(),
        models: ["big", { id: "small" }]
      }
      await create(workspace.test, managed)
      const listed = expectStatus(await models({ "x-service-source": "managed" }), 200)
      assert.deepStrictEqual(
        listed.data.map((model) => ({ ...model, created: 0 })),
        ["big", "small"].map((id) => ({ id, object: "model", created: 0, owned_by: "managed" }))
      )
    })
  })

  proxied("streams", (house) => {
    it("each piece arrives before the upstream sends the next, and the head before any", async () => {
      const said: Array<(response: ServerResponse) => void> = []
      let upstreamResponse: ServerResponse | undefined
      const { workspace } = await withSource(house, upstream, (_, response) => {
        upstreamResponse = response.writeHead(200, stream)
        response.flushHeaders()
        for (const say of said) say(response)
      })
      const answer = await send(house, workspace)
      assert.strictEqual(answer.headers.get("content-type"), stream["content-type"])
      assert.isNull(answer.headers.get("content-length"))
      const reader = answer.body?.getReader()
      const text = Buffer.from('data: {"é":"😀"}\r\n\r\n: comment\n\ndata: [DONE]\n\n')
      for (const at of [0, 8, 9, 13, 20, 30]) {
        const piece = text.subarray(at, at + 1)
        upstreamResponse?.write(piece)
        const read = await reader?.read()
        assert.deepStrictEqual(Buffer.from(read?.value ?? []), piece)
      }
      upstreamResponse?.end()
      assert.isTrue((await reader?.read())?.done)
    })

    it("every byte passes, wherever the pieces end", async () => {
      const lines = Array.from({ length: 300 }, (_, index) => `data: {"é":"${"😀".repeat(index % 7)}"}\r\n\r\n`).join(
        ""
      )
      const bytes = Buffer.from(`: hello\n\n${lines}`)
      const { workspace } = await withSource(house, upstream, async (_, response) => {
        response.writeHead(200, stream)
        for (let at = 0; at < bytes.length; at += 37) {
          if (!response.write(bytes.subarray(at, at + 37))) await once(response, "drain")
        }
        response.end()
      })
      for (let again = 0; again < 3; again++) {
        assert.isTrue((await chunksOf(await send(house, workspace))).equals(bytes))
      }
    })

    it("a large answer passes whole", async () => {
      const bytes = Buffer.alloc(5_000_000, "0123456789abcdef")
      const { workspace } = await withSource(house, upstream, (_, response) => void response.end(bytes))
      assert.isTrue((await chunksOf(await send(house, workspace))).equals(bytes))
    })

    it("one that the upstream breaks off is broken off, not ended", async () => {
      for (const headers of [stream, { ...stream, "content-length": "100" }]) {
        const { workspace } = await withSource(house, upstream, (request, response) => {
          response.writeHead(200, headers).write("data: 1\n\n", () => request.socket.destroy())
        })
        const answer = await send(house, workspace)
        assert.strictEqual(answer.status, 200)
        const failure = await answer.text().then(
          () => undefined,
          (error: unknown) => error
        )
        assert.instanceOf(failure, TypeError)
      }
    })

    it("one that falls silent for longer than the source's limit is broken off", async () => {
      const { workspace } = await withSource(
        house,
        upstream,
        (_, response) => void response.writeHead(200, stream).write("data: 1\n\n"),
        { timeout_ms: 100 }
      )
      const failure = await (await send(house, workspace)).text().then(
        () => undefined,
        (error: unknown) => error
      )
      assert.instanceOf(failure, TypeError)
    })

    it("a client that goes away ends the upstream's work, before the head and after", async () => {
      const closed: Array<Promise<unknown>> = []
      const arrived: Array<() => void> = []
      const { workspace } = await withSource(house, upstream, (request: IncomingMessage, response) => {
        closed.push(once(response, "close"))
        if (request.headers["x-begins"] === "yes") response.writeHead(200, stream).write("data: 1\n\n")
        arrived.shift()?.()
      })
      for (const begins of ["no", "yes"]) {
        const leaving = new AbortController()
        const asked = new Promise<void>((resolve) => arrived.push(resolve))
        const answering = send(house, workspace, { signal: leaving.signal, headers: { "x-begins": begins } })
        await asked
        if (begins === "yes") await (await answering).body?.getReader().read()
        leaving.abort()
        await answering.catch(() => undefined)
        await closed.at(-1)
      }
      assert.lengthOf(closed, 2)
    })

    it("pass through a Fetch host too", async () => {
      const bytes = Buffer.from("data: é\n\ndata: [DONE]\n\n")
      const { workspace } = await withSource(house, upstream, (_, response) => {
        response.writeHead(200, stream).write(bytes.subarray(0, 7))
        response.end(bytes.subarray(7))
      })
      const request = new Request(`http://host.example${chat}`, {
        method: "POST",
        body: JSON.stringify(question),
        headers: headersOf(workspace)
      })
      const answer = await Mounts.fetch(house.app)(request)
      assert.match(answer.headers.get("x-service-call-id") ?? "", callIdPattern)
      assert.isTrue((await chunksOf(answer)).equals(bytes))
    })
  })

  proxied("what is refused", (house) => {
    const post = (caller: Client, headers = {}, body: unknown = question) => caller.post(chat, body, headers)

    const assertTold = (headers: Headers) => {
      assert.match(headers.get("x-service-call-id") ?? "", callIdPattern)
      assert.isNull(headers.get("x-service-served-by"))
    }

    it("says so in our envelope, with a call id", async () => {
      const { live, test } = await house.workspace()
      const { id } = await create(test, { base_url: await Models.closed(), name: "closed" })
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

    it("of a managed source is told in our words, with the model's status", async () => {
      let status = 200
      const managed = { kind: "managed", models: ["gpt"], timeout_ms: 200 }
      const { base_url, workspace } = await withSource(
        house,
        upstream,
        (_, response) => {
          if (status > 0)
            response.writeHead(status, { "retry-after": "7", "content-type": "application/json" }).end("{}")
        },
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
      status = 0
      assertRefused(await post(test), 504, "teacher_unavailable")
      await create(test, { ...managed, base_url: await Models.closed(), name: "closed" })
      assertRefused(await post(test, { "X-Service-Source": "closed" }), 502, "teacher_unavailable")
      await create(test, { ...managed, models: [], base_url: await Models.closed(), name: "unread" })
      assertRefused(await post(test, { "X-Service-Source": "unread" }), 503, "catalog_unavailable")
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
