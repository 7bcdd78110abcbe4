/** Connectors and their pulls (contract 4, 6, 8, 14.27), against a real source on this machine. */
import { createHash } from "node:crypto"
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Connector, Pull } from "@limbeck/api/ConnectorsApi"
import type { Dataset, DatasetVersion } from "@limbeck/api/DatasetsApi"
import { freshKey, linesOf, readUntil, row } from "@limbeck/testing/http/Steps"
import { assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"
import { Receiver } from "./support/Receiver.ts"

const path = "/v1/distill/connectors"
type ConnectorView = typeof Connector.Type

const mask = "********"
const secret = "Bearer kept-to-ourselves"
const rows = Array.from({ length: 30 }, (_, index) => row(index))

const create = (caller: Client, kind: string, config: unknown) =>
  caller.post<ConnectorView>(path, { name: "mine", kind, ...(config === undefined ? {} : { config }) })

const made = async (caller: Client, kind: string, config: unknown) =>
  expectStatus(await create(caller, kind, config), 201)

const begun = async (caller: Client, connector: string) =>
  expectStatus(await caller.post<typeof Pull.Type>(`${path}/${connector}/pulls`), 201)

const ended = (caller: Client, id: string) =>
  readUntil(
    () => caller.get<typeof Pull.Type>(`/v1/distill/pulls/${id}`),
    ({ status }) => status === "succeeded" || status === "failed"
  )

const pulled = async (caller: Client, config: unknown, kind = "http_jsonl") =>
  ended(caller, (await begun(caller, (await made(caller, kind, config)).id)).id)

const versionFrom = async (caller: Client, from: unknown) => {
  const dataset = expectStatus(await caller.post<typeof Dataset.Type>("/v1/distill/datasets", { name: "tickets" }), 201)
  return caller.post<typeof DatasetVersion.Type>(`/v1/distill/datasets/${dataset.id}/versions`, { from })
}

onEachStorage("connectors", (house) => {
  const file = "https://files.example/rows.jsonl?part=1"

  it("a connector says all about itself but its credential", async () => {
    const { live, test } = await house.workspace()
    const stored = { base_url: "https://api.openai.com/v1", api_key: mask, model: null, metadata: null }
    const cases = [
      ["http_jsonl", { url: file }, { url: file, auth_header: null }],
      ["http_jsonl", { url: file, auth_header: secret }, { url: file, auth_header: mask }],
      ["openai_stored_completions", { api_key: secret }, stored],
      [
        "openai_stored_completions",
        { api_key: secret, base_url: "https://models.example/v1", model: "gpt", metadata: { team: "a" } },
        { ...stored, base_url: "https://models.example/v1", model: "gpt", metadata: { team: "a" } }
      ]
    ] as const
    for (const [kind, config, shown] of cases) {
      const created = await create(live, kind, config)
      const connector = expectStatus(created, 201)
      assert.notInclude(created.text, secret)
      assert.match(connector.id, /^con_[0-9a-hjkmnp-tv-z]{26}$/)
      assert.deepInclude(connector, { object: "connector", livemode: true, name: "mine", kind })
      assert.deepStrictEqual<unknown>(connector.config, shown)
      const read = await live.get<ConnectorView>(`${path}/${connector.id}`)
      assert.deepStrictEqual(expectStatus(read, 200), connector)
      assertRefused(await test.get(`${path}/${connector.id}`), 404, "not_found_error")
    }
    const listed = await live.get<ListOf<ConnectorView>>(path)
    assert.lengthOf(expectStatus(listed, 200).data, cases.length)
    assert.notInclude(listed.text, secret)
  })

  it("a body that breaks a rule is refused by the path of its first such field, and says no credential", async () => {
    const { live, test } = await house.workspace()
    const key = { api_key: secret }
    const refused: ReadonlyArray<readonly [kind: unknown, config: unknown, param: string]> = [
      ["ftp", {}, "kind"],
      [undefined, {}, "kind"],
      ["http_jsonl", undefined, "config"],
      ["http_jsonl", [], "config"],
      ["http_jsonl", {}, "config.url"],
      ["http_jsonl", { url: "" }, "config.url"],
      ["http_jsonl", { url: "rows.jsonl" }, "config.url"],
      ["http_jsonl", { url: "file:///etc/passwd" }, "config.url"],
      ["http_jsonl", { url: "https://me:word@files.example/" }, "config.url"],
      ["http_jsonl", { url: `https://files.example/${"a".repeat(2_048)}` }, "config.url"],
      ["http_jsonl", { url: file, auth_header: "" }, "config.auth_header"],
      ["http_jsonl", { url: file, auth_header: `${secret}\r\nX-More: 1` }, "config.auth_header"],
      ["http_jsonl", { url: file, auth_header: "Range: bytes=0-" }, "config.auth_header"],
      ["http_jsonl", { url: file, auth_header: "host: internal" }, "config.auth_header"],
      ["http_jsonl", { url: file, auth_header: mask }, "config.auth_header"],
      ["http_jsonl", { url: file, auth_header: { value: secret } }, "config.auth_header"],
      ["http_jsonl", { url: file, api_key: secret }, "config.api_key"],
      ["openai_stored_completions", {}, "config.api_key"],
      ["openai_stored_completions", { api_key: "" }, "config.api_key"],
      ["openai_stored_completions", { ...key, base_url: "api" }, "config.base_url"],
      ["openai_stored_completions", { ...key, base_url: "https://a.example/v1?a=1" }, "config.base_url"],
      ["openai_stored_completions", { ...key, metadata: { a: 1 } }, "config.metadata.a"],
      ["openai_stored_completions", { ...key, models: ["gpt"] }, "config.models"]
    ]
    for (const [kind, config, param] of refused) {
      for (const caller of [live, test]) {
        const answer = await caller.post(path, { name: "mine", kind, config })
        assertInvalid(answer, param)
        assert.notInclude(answer.text, "kept-to-ourselves")
      }
    }
    assertInvalid(await live.post(path, { kind: "http_jsonl", config: { url: file } }), "name")
    assertInvalid(await live.post(path, { name: "a", kind: "http_jsonl", config: { url: file }, on: 1 }), "on")
    assert.isEmpty(expectStatus(await live.get<ListOf<unknown>>(path), 200).data)
  })

  it("changes what it is told to, keeps its credential, and lends it to no other origin (P94)", async () => {
    const { live } = await house.workspace()
    const { id, created_at } = await made(live, "http_jsonl", { url: file, auth_header: secret })
    const patch = (body: unknown) => live.patch<ConnectorView>(`${path}/${id}`, body)
    const renamed = expectStatus(await patch({ name: "ours" }), 200)
    assert.deepInclude(renamed, { name: "ours", created_at })
    assert.deepStrictEqual<unknown>(renamed.config, { url: file, auth_header: mask })
    const moved = { url: "https://files.example/other.jsonl", auth_header: mask }
    assert.deepStrictEqual<unknown>(expectStatus(await patch({ config: moved }), 200).config, moved)
    assertInvalid(await patch({ config: { url: "https://elsewhere.example/" } }), "config.auth_header")
    assertInvalid(await patch({ config: { url: "https://files.example:444/" } }), "config.auth_header")
    assertInvalid(await patch({ config: { url: "http://files.example/" } }), "config.url")
    assertInvalid(await patch({ config: { url: "x" } }), "config.url")
    assertInvalid(await patch({ config: { api_key: "x" } }), "config.api_key")
    assertInvalid(await patch({ kind: "s3" }), "kind")
    const elsewhere = { url: "https://elsewhere.example/", auth_header: "X-Key: other" }
    assert.deepStrictEqual<unknown>(expectStatus(await patch({ config: elsewhere }), 200).config, {
      ...elsewhere,
      auth_header: mask
    })
    const bare = expectStatus(await patch({ config: { auth_header: null } }), 200)
    assert.deepStrictEqual<unknown>(bare.config, { url: elsewhere.url, auth_header: null })
    assertRefused(await live.patch(`${path}/con_none`, { name: "a" }), 404, "not_found_error")
  })

  it("a removed connector is gone, and cannot be pulled", async () => {
    const { live } = await house.workspace()
    const { id } = await made(live, "http_jsonl", { url: file })
    assert.deepStrictEqual<unknown>(expectStatus(await live.delete(`${path}/${id}`), 200), {
      id,
      object: "connector",
      deleted: true
    })
    assertRefused(await live.get(`${path}/${id}`), 404, "not_found_error")
    assertRefused(await live.delete(`${path}/${id}`), 404, "not_found_error")
    assertRefused(await live.post(`${path}/${id}/pulls`), 404, "not_found_error")
  })
})

describe("content of one's own", () => {
  const receiver = new Receiver()
  beforeAll(() => receiver.open())
  afterAll(() => receiver.close())

  const serving = (content: string | Uint8Array) => receiver.answering((_, response) => response.end(content))

  onEachStorage("pulled over HTTP", (house) => {
    it("is fetched once with its credential, told whole, and a version is built from it", async () => {
      const { test } = await house.workspace()
      const content = linesOf(rows)
      const url = serving(content)
      const connector = await made(test, "http_jsonl", { url, auth_header: secret })
      const first = await begun(test, connector.id)
      assert.match(first.id, /^pull_[0-9a-hjkmnp-tv-z]{26}$/)
      assert.deepInclude(first, { object: "connector_pull", status: "queued", connector: connector.id, rows: null })
      const pull = await ended(test, first.id)
      assert.deepInclude(pull, {
        status: "succeeded",
        rows: 30,
        error: null,
        error_count: 0,
        bytes: content.length,
        sha256: createHash("sha256").update(content).digest("hex")
      })
      const [asked, ...others] = receiver.allAt(url)
      assert.isEmpty(others)
      assert.strictEqual(asked?.headers.authorization, secret)

      const { id } = expectStatus(await versionFrom(test, { pull: pull.id }), 201)
      const version = await readUntil(
        () => test.get<typeof DatasetVersion.Type>(`/v1/distill/dataset_versions/${id}`),
        ({ status }) => status !== "building"
      )
      assert.deepInclude(version, { status: "ready", rows: 30 })
      assert.deepStrictEqual<unknown>(version.from, { pull: pull.id })
      const events =
        await test.get<ListOf<{ readonly type: string; readonly data: { readonly object: unknown } }>>("/v1/events")
      const told = events.body.data.filter(({ type }) => type === "distill.pull.succeeded")
      assert.deepStrictEqual(
        told.map(({ data }) => data.object),
        [pull]
      )
      assert.notInclude(events.text, "kept-to-ourselves")
    })

    it("may be gzip, and may want a header of another name", async () => {
      const { test } = await house.workspace()
      const url = serving(gzipSync(linesOf(rows)))
      assert.deepInclude(await pulled(test, { url, auth_header: "X-Api-Key: kept: close" }), {
        status: "succeeded",
        rows: 30
      })
      const [asked] = receiver.allAt(url)
      assert.strictEqual(asked?.headers["x-api-key"], "kept: close")
      assert.isUndefined(asked?.headers.authorization)
    })

    it("with bad lines fails the pull whole, and names them", async () => {
      const { test } = await house.workspace()
      const url = serving(`${linesOf([row(1)])}no\n${linesOf([row(2), {}])}`)
      const pull = await pulled(test, { url })
      assert.deepInclude(pull, { status: "failed", rows: null, error_count: 2 })
      assert.deepStrictEqual(
        pull.errors.map(({ line }) => line),
        [2, 4]
      )
      assert.strictEqual(pull.error?.code, "invalid_rows")
      assertRefused(await versionFrom(test, { pull: pull.id }), 409, "conflict_error", "from.pull")
    })

    it("that is refused or out of reach fails the pull, and says why", async () => {
      const { live, test } = await house.workspace()
      const missing = receiver.answering((_, response) => response.writeHead(404).end())
      const away = receiver.answering((_, response) => response.writeHead(302, { location: missing }).end())
      const cases = [
        [test, missing, "status"],
        [test, away, "status"],
        [test, "https://169.254.169.254/latest", "blocked_address"],
        [test, "https://10.0.0.1/rows.jsonl", "blocked_address"],
        [live, serving(linesOf(rows)).replace("http:", "https:"), "blocked_address"]
      ] as const
      for (const [caller, url, code] of cases) {
        const pull = await pulled(caller, { url, auth_header: secret })
        assert.deepInclude(pull, { status: "failed", rows: null, bytes: null })
        assert.strictEqual(pull.error?.code, code, url)
      }
      assert.lengthOf(receiver.allAt(missing), 1)
      const told = await test.get<ListOf<{ readonly type: string }>>("/v1/events?type=distill.pull.failed")
      assert.lengthOf(expectStatus(told, 200).data, 4)
      assert.notInclude(told.text, "kept-to-ourselves")
    })

    it("whose connection breaks is resumed where it broke, or read from the start", async () => {
      const { test } = await house.workspace()
      const content = Buffer.from(linesOf(rows))
      const half = Math.floor(content.length / 2)
      const breaking = (etag: Readonly<Record<string, string>>) => {
        let asked = 0
        const listener: RequestListener = (request, response) => {
          asked += 1
          const from = Number(/^bytes=(\d+)-$/.exec(String(request.headers.range))?.[1] ?? 0)
          if (asked === 1) {
            response.writeHead(200, { ...etag, "content-length": content.length })
            return void response.write(content.subarray(0, half), () => void setImmediate(() => response.destroy()))
          }
          const range = { "content-range": `bytes ${from}-${content.length - 1}/${content.length}` }
          response.writeHead(from === 0 ? 200 : 206, { ...etag, ...(from === 0 ? {} : range) })
          response.end(content.subarray(from))
        }
        return receiver.answering(listener)
      }
      for (const etag of [{ etag: '"one"' }, { etag: 'W/"weak"' }, {}]) {
        const url = breaking(etag)
        const connector = await made(test, "http_jsonl", { url })
        const { id } = await begun(test, connector.id)
        await readUntil(
          async () => {
            house.passTime(100)
            return test.get<typeof Pull.Type>(`/v1/distill/pulls/${id}`)
          },
          ({ status }) => status === "succeeded"
        )
        const sha256 = createHash("sha256").update(content).digest("hex")
        assert.deepInclude(await ended(test, id), { status: "succeeded", rows: 30, bytes: content.length, sha256 })
        const [, second] = receiver.allAt(url)
        const resumes = etag.etag === '"one"'
        assert.strictEqual(second?.headers.range !== undefined, resumes)
        assert.strictEqual(second?.headers["if-range"], resumes ? '"one"' : undefined)
      }
    })

    it("kept by a provider comes as rows, page by page", async () => {
      const { test } = await house.workspace()
      const count = 45
      const completion = (index: number) => ({
        object: "chat.completion",
        id: `chatcmpl-${index}`,
        metadata: { n: String(index) },
        choices: [{ index: 0, message: { role: "assistant", content: `label${index % 3}`, tool_calls: null } }]
      })
      const answer = (path: string) => {
        const { pathname, searchParams } = new URL(path, "http://here")
        const [, message] = /completions\/chatcmpl-(\d+)\/messages$/.exec(pathname) ?? []
        if (message !== undefined) {
          const data = [{ id: `${message}-0`, role: "user", content: `ticket ${message}`, content_parts: null }]
          return { object: "list", data, has_more: false }
        }
        const after = Number(searchParams.get("after")?.slice("chatcmpl-".length) ?? -1)
        const limit = Number(searchParams.get("limit"))
        const data = Array.from({ length: Math.min(limit, count - after - 1) }, (_, index) =>
          completion(after + 1 + index)
        )
        return { object: "list", data, has_more: after + data.length < count - 1 }
      }
      const asked: Array<string | undefined> = []
      const provider = createServer((request, response) => {
        asked.push(request.headers.authorization)
        response.end(JSON.stringify(answer(request.url ?? "")))
      }).listen(0, "127.0.0.1")
      await once(provider, "listening")
      const { port } = provider.address() as AddressInfo // It listens on a port.
      const config = { base_url: `http://127.0.0.1:${port}/v1/`, api_key: "sk-kept", model: "gpt" }
      const pull = await pulled(test, config, "openai_stored_completions")
      provider.closeAllConnections()
      provider.close()
      assert.deepInclude(pull, { status: "succeeded", rows: count, error_count: 0 })
      assert.deepStrictEqual([...new Set(asked)], ["Bearer sk-kept"])
      const { id } = expectStatus(await versionFrom(test, { pull: pull.id }), 201)
      await readUntil(
        () => test.get<typeof DatasetVersion.Type>(`/v1/distill/dataset_versions/${id}`),
        ({ status }) => status === "ready"
      )
      const shown = await test.get<ListOf<{ readonly external_id: string }>>(
        `/v1/distill/dataset_versions/${id}/rows?limit=100`
      )
      const { split: _, ...first } = { split: null, ...shown.body.data.find((one) => one.external_id === "chatcmpl-4") }
      assert.deepStrictEqual<unknown>(first, {
        messages: [{ role: "user", content: "ticket 4" }],
        completion: { role: "assistant", content: "label1" },
        external_id: "chatcmpl-4",
        metadata: { n: "4" }
      })
    })

    it("pulls are listed newest first, by connector and by state", async () => {
      const { live, test } = await house.workspace()
      const url = serving(linesOf(rows))
      const [a, b] = [await made(test, "http_jsonl", { url }), await made(test, "http_jsonl", { url: `${url}/none` })]
      const first = (await ended(test, (await begun(test, a.id)).id)).id
      const second = (await ended(test, (await begun(test, b.id)).id)).id
      const idsOf = async (query: string) =>
        expectStatus(await test.get<ListOf<typeof Pull.Type>>(`/v1/distill/pulls${query}`), 200).data.map(
          ({ id }) => id
        )
      assert.deepStrictEqual(await idsOf(""), [second, first])
      assert.deepStrictEqual(await idsOf(`?connector=${a.id}`), [first])
      assert.deepStrictEqual(await idsOf("?status=failed"), [second])
      assertInvalid(await test.get("/v1/distill/pulls?status=done"), "status")
      assertRefused(await live.get(`/v1/distill/pulls/${first}`), 404, "not_found_error")
      expectStatus(await test.delete(`${path}/${a.id}`), 200)
      assert.deepStrictEqual(await idsOf(`?connector=${a.id}`), [first])
    })

    it("one key begins one pull, and a body holds nothing", async () => {
      const { test } = await house.workspace()
      const { id } = await made(test, "http_jsonl", { url: serving(linesOf(rows)) })
      const key = freshKey()
      const [one, again] = [
        await test.post<typeof Pull.Type>(`${path}/${id}/pulls`, {}, key),
        await test.post<typeof Pull.Type>(`${path}/${id}/pulls`, {}, key)
      ]
      assert.strictEqual(expectStatus(again, 201).id, expectStatus(one, 201).id)
      assertInvalid(await test.post(`${path}/${id}/pulls`, { limit: 5 }), "limit")
    })

    it("a version is made of one thing, which must be there and whole", async () => {
      const { live, test } = await house.workspace()
      const { id: foreign } = await begun(live, (await made(live, "http_jsonl", { url: "https://127.0.0.1:9/" })).id)
      assertRefused(await versionFrom(test, { pull: foreign }), 404, "not_found_error", "from.pull")
      assertRefused(await versionFrom(test, { pull: "pull_none" }), 404, "not_found_error", "from.pull")
      assertInvalid(await versionFrom(test, {}), "from")
      assertInvalid(await versionFrom(test, { pull: foreign, upload: "upl_none" }), "from")
      assertInvalid(await versionFrom(test, { connector: "con_none" }), "from.connector")
    })
  })
})
