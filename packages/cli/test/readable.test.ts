// A client in plain Node, over plain HTTP.
// @effect-diagnostics globalFetch:off
/** Whatever is captured can be read back and removed, also what takes far more room in the database than on the wire. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { CallStore } from "@limbeck/capture/call/CallStore"
import * as Partition from "@limbeck/core/partition/Partition"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { client, freshDatabase } from "@limbeck/testing/database/Database"
import { eventually } from "@limbeck/testing/Eventually"
import { temporaryFolder } from "@limbeck/testing/Folders"
import * as Calls from "@limbeck/testing/fixtures/Calls"
import * as Effect from "effect/Effect"
import { Api, type Version } from "./Api.ts"
import { embedded } from "./DataFolder.ts"
import { quiet, Server, testToken } from "./Server.ts"

interface Call {
  readonly id: string
  readonly truncated: boolean
  readonly request: unknown
  readonly response: unknown
}

interface BuiltVersion extends Version {
  readonly dropped: { readonly invalid: number; readonly duplicates: number }
}

const answer = JSON.stringify({
  choices: [{ index: 0, message: { role: "assistant", content: "Pong." }, finish_reason: "stop" }]
})

/** Answers a question, or 64 MiB in a few kilobytes where the path says so. Its base URL. */
const upstream = async (atEnd: AtEnd): Promise<string> => {
  const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20))
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const packed = request.url?.startsWith("/bomb") === true
      response.writeHead(200, {
        "content-type": "application/json",
        ...(packed ? { "content-encoding": "gzip" } : {})
      })
      response.end(packed ? bomb : answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  atEnd(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A call through the proxy, read to its end. */
const ask = async (server: Server, source: string, body: BodyInit): Promise<number> => {
  const response = await fetch(`${server.origin}/v1/proxy/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${testToken}`,
      "content-type": "application/json",
      "accept-encoding": "identity",
      "x-service-source": source
    },
    body
  })
  await response.arrayBuffer().catch(() => undefined)
  return response.status
}

const question = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Ping?" }] })

const addSource = (api: Api, name: string, base_url: string) =>
  api.create("/v1/sources", { name, kind: "byok", base_url, api_key: "sk-0123456789", default: name === "plain" })

const versionOfCalls = async (api: Api): Promise<BuiltVersion> => {
  const dataset = await api.create<{ id: string }>("/v1/distill/datasets", { name: "calls" })
  const path = `/v1/distill/datasets/${dataset.id}/versions`
  const version = await api.create<Version>(path, { from: { calls: {} } })
  return api.finished<BuiltVersion>(`/v1/distill/dataset_versions/${version.id}`, "building")
}

const remove = async (api: Api, calls: ReadonlyArray<Call>) => {
  for (const { id } of calls) {
    assert.strictEqual((await api.call("DELETE", `/v1/distill/calls/${id}`)).status, 200)
    assert.strictEqual((await api.call("GET", `/v1/distill/calls/${id}`)).status, 404)
  }
}

describe("whatever is captured", () => {
  it("can be listed, read, passed over by a version, and removed (P119)", async ({ onTestFinished }) => {
    const server = await (await embedded(onTestFinished)).start()
    const api = new Api(server)
    const base = await upstream(onTestFinished)
    await addSource(api, "plain", base)
    await addSource(api, "bomb", `${base}/bomb`)
    assert.strictEqual(await ask(server, "plain", question), 200)
    assert.strictEqual(await ask(server, "plain", new Uint8Array(15 * 2 ** 20)), 200)
    assert.strictEqual(await ask(server, "bomb", question), 200)
    const calls = await eventually("three captured calls", async () => {
      const found = await api.list<Call>("/v1/distill/calls")
      return found.length === 3 ? found : undefined
    })
    const cut = calls.filter(({ truncated }) => truncated)
    assert.strictEqual(cut.length, 2)
    for (const { id } of calls) assert.strictEqual((await api.call("GET", `/v1/distill/calls/${id}`)).status, 200)
    assert.deepInclude(await versionOfCalls(api), { status: "ready", rows: 1 })
    assert.deepInclude((await versionOfCalls(api)).dropped, { invalid: 2 })
    await remove(api, cut)
    assert.strictEqual((await api.list<Call>("/v1/distill/calls")).length, 1)
  })

  it("by an older version, too large for any message, hinders nobody (P119)", async ({ onTestFinished }) => {
    const url = await freshDatabase(onTestFinished)
    const settings = {
      ...quiet,
      DATABASE_URL: url,
      DATA_DIR: await temporaryFolder(onTestFinished),
      ENCRYPTION_KEY: Buffer.alloc(32, 6).toString("base64")
    }
    const server = await new Server(onTestFinished, settings).start()
    const api = new Api(server)
    await api.create("/v1/distill/datasets", { name: "tells the partition" })
    const [dataset] = await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(
          client("limbeck", url),
          (sql) => sql<{ key: string }>`SELECT partition AS key FROM resources WHERE kind = 'dataset'`
        )
      )
    )
    const append = Effect.gen(function* () {
      const store = yield* CallStore
      const calls = Calls.calls(3, (n) => ({
        request: n === 1 ? "a".repeat(70 * 2 ** 20) : question,
        requestIsJson: n !== 1,
        response: answer
      }))
      yield* store.append(Calls.inPartition(Partition.fromKey(dataset?.key ?? ""), calls))
    })
    await Effect.runPromise(Effect.provide(append, StoragePostgres.layer({ url })))
    const calls = await api.list<Call>("/v1/distill/calls")
    assert.deepStrictEqual(
      calls.map(({ truncated }) => truncated),
      [false, true, false]
    )
    assert.deepInclude(calls[1]!, { request: null, response: null })
    assert.strictEqual((await api.call("GET", `/v1/distill/calls/${calls[1]!.id}`)).status, 200)
    assert.deepInclude((await versionOfCalls(api)).dropped, { invalid: 1, duplicates: 1 })
    await remove(api, [calls[1]!])
  })
})
