/** Connectors of kind `s3` (contract 6, 8), against a store on this machine that checks every signature by itself. */
import { createHash } from "node:crypto"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Connector, Pull } from "@limbeck/api/ConnectorsApi"
import type { Dataset, DatasetVersion } from "@limbeck/api/DatasetsApi"
import { linesOf, readUntil, row } from "@limbeck/testing/http/Steps"
import * as S3Server from "@limbeck/testing/upstream/S3Server"
import { assertInvalid, type Client, expectStatus } from "./support/Client.ts"
import { type House, onPostgres } from "./support/House.ts"

const path = "/v1/distill/connectors"
type ConnectorView = typeof Connector.Type

const mask = "********"
const { id: access_key_id, secret: secret_access_key, token: session_token } = S3Server.credentials
const keys = { access_key_id, secret_access_key }
const aws = { bucket: "rows", region: "eu-west-1", ...keys }
const secrets = [access_key_id, secret_access_key, session_token]

const create = (caller: Client, config: unknown) =>
  caller.post<ConnectorView>(path, { name: "mine", kind: "s3", config })

const lines = (from: number, count: number) => linesOf(Array.from({ length: count }, (_, index) => row(from + index)))

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

onPostgres("s3 connectors", (house) => {
  it("say all about themselves but their credentials (P92)", async () => {
    const { live } = await house.workspace()
    const shown = {
      bucket: "rows",
      prefix: null,
      key: null,
      region: "eu-west-1",
      endpoint: null,
      force_path_style: false,
      access_key_id: mask,
      secret_access_key: mask,
      session_token: null
    }
    const more = { endpoint: "https://store.example", force_path_style: true, session_token }
    const cases = [
      [aws, shown],
      [
        { ...aws, prefix: "2026/" },
        { ...shown, prefix: "2026/" }
      ],
      [
        { ...aws, ...more, key: "all.jsonl" },
        { ...shown, ...more, key: "all.jsonl", session_token: mask }
      ]
    ]
    for (const [config, expected] of cases) {
      const created = await create(live, config)
      for (const secret of secrets) assert.notInclude(created.text, secret)
      const connector = expectStatus(created, 201)
      assert.deepStrictEqual<unknown>(connector.config, expected)
      assert.deepStrictEqual(expectStatus(await live.get<ConnectorView>(`${path}/${connector.id}`), 200), connector)
    }
  })

  it("are refused by the path of the first wrong field, which says no credential", async () => {
    const { live, test } = await house.workspace()
    const refused: ReadonlyArray<readonly [config: unknown, param: string]> = [
      [undefined, "config"],
      [{ ...aws, bucket: undefined }, "config.bucket"],
      [{ ...aws, bucket: "arn:aws:s3:::rows" }, "config.bucket"],
      [{ ...aws, bucket: "../rows" }, "config.bucket"],
      [{ ...aws, region: undefined }, "config.region"],
      [{ ...aws, region: "evil.example/#" }, "config.region"],
      [{ ...aws, access_key_id: undefined }, "config.access_key_id"],
      [{ ...aws, secret_access_key: undefined }, "config.secret_access_key"],
      [{ ...aws, access_key_id: mask, secret_access_key: mask }, "config.access_key_id"],
      [{ ...aws, secret_access_key: mask }, "config.secret_access_key"],
      [{ ...aws, session_token: mask }, "config.session_token"],
      [{ ...aws, key: "a", prefix: "b" }, "config.key"],
      [{ ...aws, endpoint: "store" }, "config.endpoint"],
      [{ ...aws, endpoint: "https://me:word@store.example" }, "config.endpoint"],
      [{ ...aws, endpoint: "https://store.example/rows" }, "config.endpoint"],
      [{ ...aws, endpoint: "http://store.example" }, "config.endpoint"],
      [{ ...aws, profile: "default" }, "config.profile"]
    ]
    for (const [config, param] of refused) {
      for (const caller of [live, test]) {
        const answer = await create(caller, config)
        assertInvalid(answer, param)
        for (const secret of secrets) assert.notInclude(answer.text, secret)
      }
    }
    assertInvalid(await create(live, { ...aws, endpoint: "http://127.0.0.1:9000" }), "config.endpoint")
    expectStatus(await create(test, { ...aws, endpoint: "http://127.0.0.1:9000" }), 201)
  })

  it("keep their credentials together, and lend them to no other origin (P92)", async () => {
    const { live } = await house.workspace()
    const { id } = expectStatus(await create(live, { ...aws, session_token, prefix: "a/" }), 201)
    const patch = (config: unknown) => live.patch<ConnectorView>(`${path}/${id}`, { config })
    const { config: shown } = expectStatus(await live.get<ConnectorView>(`${path}/${id}`), 200)
    assert.deepStrictEqual(expectStatus(await patch(shown), 200).config, shown)
    const one = expectStatus(await patch({ prefix: null, key: "a/1.jsonl", region: "us-east-1" }), 200).config
    assert.deepInclude(one, { key: "a/1.jsonl", prefix: null, region: "us-east-1", session_token: mask })
    assertInvalid(await patch({ prefix: "a/" }), "config.key")
    assertInvalid(await patch({ endpoint: "https://store.example" }), "config.access_key_id")
    assertInvalid(await patch({ access_key_id: "other" }), "config.secret_access_key")
    assertInvalid(await patch({ secret_access_key: "other" }), "config.access_key_id")
    assertInvalid(await patch({ session_token: null }), "config.access_key_id")
    assertInvalid(await patch({ ...keys, session_token: mask }), "config.session_token")
    assert.deepStrictEqual(expectStatus(await patch({ bucket: null }), 200).config, one)
    assertInvalid(await patch({ url: "https://store.example" }), "config.url")
    const moved = expectStatus(await patch({ endpoint: "https://store.example", ...keys }), 200).config
    assert.deepInclude(moved, { endpoint: "https://store.example", access_key_id: mask, session_token: null })
  })
})

describe("a bucket of one's own", () => {
  let store = S3Server.make()
  let server: Server
  let endpoint = ""
  beforeAll(async () => {
    server = createServer((request, response) => S3Server.listener(store)(request, response)).listen(0, "127.0.0.1")
    await once(server, "listening")
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // It listens on a port.
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  const begun = async (caller: Client, config: object) => {
    const { id } = expectStatus(
      await create(caller, { ...aws, endpoint, force_path_style: true, session_token, ...config }),
      201
    )
    return expectStatus(await caller.post<typeof Pull.Type>(`${path}/${id}/pulls`), 201).id
  }

  /** Moves the clock meanwhile, so that retries need no real wait. */
  const pulled = async (house: House, caller: Client, config: object = {}) => {
    const id = await begun(caller, config)
    return readUntil(
      async () => {
        house.passTime(500)
        return caller.get<typeof Pull.Type>(`/v1/distill/pulls/${id}`)
      },
      ({ status }) => status === "succeeded" || status === "failed"
    )
  }

  onPostgres("pulled", (house) => {
    it("gives all objects under a prefix as one content, in the order of their keys, plain or gzip (P92)", async () => {
      const { test } = await house.workspace()
      const unended = (text: string) => text.slice(0, -1)
      store = S3Server.make({
        "2026/": "",
        "2026/b.jsonl.gz": gzipSync(unended(lines(10, 10))),
        "2026/c": Buffer.concat([gzipSync(lines(20, 5)), gzipSync(unended(lines(25, 5)))]),
        "2026/d.jsonl": lines(30, 10),
        "2026/a.jsonl": unended(lines(0, 10)),
        "2026/e.jsonl": "",
        "2025/a.jsonl": "other"
      })
      store.pageSize = 2
      const pull = await pulled(house, test, { prefix: "2026/" })
      const content = lines(0, 40)
      assert.deepInclude(pull, { status: "succeeded", rows: 40, sha256: sha256(content), bytes: content.length })
      const dataset = expectStatus(await test.post<typeof Dataset.Type>("/v1/distill/datasets", { name: "d" }), 201)
      const version = expectStatus(
        await test.post<typeof DatasetVersion.Type>(`/v1/distill/datasets/${dataset.id}/versions`, {
          from: { pull: pull.id }
        }),
        201
      )
      const ready = await readUntil(
        () => test.get<typeof DatasetVersion.Type>(`/v1/distill/dataset_versions/${version.id}`),
        ({ status }) => status !== "building"
      )
      assert.deepInclude(ready, { status: "ready", rows: 40 })
      assert.deepInclude(await pulled(house, test, { key: "2026/d.jsonl" }), { status: "succeeded", rows: 10 })
    })

    it("is resumed where a connection broke, and read from the start where the object has changed (P92)", async () => {
      const { test } = await house.workspace()
      store = S3Server.make({ "a.jsonl": lines(0, 5), "b.jsonl": lines(5, 30) })
      const breaking = (changes: boolean) => {
        let isBroken = false
        store.asked.length = 0
        store.intercept = ({ url }, response) => {
          if (isBroken || url?.includes("b.jsonl") !== true) return false
          isBroken = true
          const content = store.objects.get("b.jsonl") ?? Buffer.alloc(0)
          const etag = `"${createHash("md5").update(content).digest("hex")}"`
          response.writeHead(200, { etag, "content-length": content.length })
          response.write(content.subarray(0, 1_000), () => void setImmediate(() => response.destroy()))
          if (changes) store.objects.set("b.jsonl", Buffer.from(lines(5, 40)))
          return true
        }
      }
      breaking(false)
      const gone = await pulled(house, test)
      assert.deepInclude(gone, { status: "succeeded", rows: 35, sha256: sha256(lines(0, 35)) })
      const [, , , rest] = store.asked
      assert.strictEqual(rest?.range, "bytes=1000-")
      assert.match(rest?.ifMatch ?? "", /^"[0-9a-f]{32}"$/)
      breaking(true)
      const anew = await pulled(house, test)
      assert.deepInclude(anew, { status: "succeeded", rows: 45, sha256: sha256(lines(0, 45)) })
    })

    it("that is closed, not there, or no bucket fails the pull, and says why", async () => {
      const { test } = await house.workspace()
      store = S3Server.make({ "a.jsonl": lines(0, 5), "b.gz": gzipSync(lines(0, 50)).subarray(0, 50) })
      const cases: ReadonlyArray<readonly [config: object, code: string]> = [
        [{ bucket: "closed" }, "access_denied"],
        [{ secret_access_key: "other" }, "access_denied"],
        [{ bucket: "none" }, "no_such_bucket"],
        [{ bucket: "abroad" }, "wrong_region"],
        [{ key: "none.jsonl" }, "no_such_key"],
        [{ prefix: "none/" }, "no_objects"],
        [{ key: "b.gz" }, "invalid_answer"],
        [{ endpoint: "https://10.0.0.1" }, "blocked_address"]
      ]
      for (const [config, code] of cases) {
        const pull = await pulled(house, test, config)
        assert.deepInclude(pull, { status: "failed", rows: null, bytes: null })
        assert.strictEqual(pull.error?.code, code)
        for (const secret of secrets) assert.notInclude(JSON.stringify(pull), secret)
      }
      store.intercept = (_, response) => Boolean(response.writeHead(503).end())
      store.asked.length = 0
      assert.strictEqual((await pulled(house, test)).error?.code, "status")
      assert.lengthOf(store.asked, 5)
    })
  })

  onPostgres(
    "pulled from an address that the operator lets through",
    (house) => {
      it("comes over plain http in live mode too", async () => {
        const { live } = await house.workspace()
        store = S3Server.make({ "a.jsonl": lines(0, 5) })
        assert.deepInclude(await pulled(house, live), { status: "succeeded", rows: 5 })
        assertInvalid(await create(live, { ...aws, endpoint: "http://10.0.0.1" }), "config.endpoint")
      })
    },
    { egressAllow: ["127.0.0.0/8"] }
  )
})
