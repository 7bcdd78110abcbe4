/**
 * Runs the library on Postgres, performs the three walks of docs/architecture.md over HTTP, and prints what each passed
 * through as a line of JSON. To be started with `--import ./instrument.ts`; the argument is the URL of a database.
 */
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import * as Redacted from "effect/Redacted"
import { Limbeck, postgres } from "limbeck"
import { request } from "undici"
import * as Calls from "./Calls.ts"
import { NoWalk, type Start, type Walk, walkOf } from "./Walk.ts"

const [url = ""] = process.argv.slice(2)
const tokens = { live: `svc_live_${"0".repeat(32)}`, test: `svc_test_${"0".repeat(32)}` }
const directory = mkdtempSync(join(tmpdir(), "limbeck-walks-"))
const limbeck = await Limbeck.make({
  storage: postgres({ url, schema: `walks_${randomUUID().slice(0, 8)}` }),
  encryptionKeys: [Redacted.make(new Uint8Array(32))],
  egressAllow: ["127.0.0.0/8"],
  bootstrap: { liveToken: tokens.live, testToken: tokens.test },
  settings: { rateLimit: null },
  journal: { directory }
})

const listen = async (server: Server): Promise<string> => {
  await once(server.listen(0, "127.0.0.1"), "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // It listens on a port.
}
const answer = JSON.stringify({
  id: "chatcmpl-1",
  model: "m",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "label" } }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
})
/** A model for calls, and a receiver of webhooks. */
const others = createServer((_, response) =>
  response.writeHead(200, { "content-type": "application/json" }).end(answer)
)
const server = createServer(limbeck.node)
const [origin, outside] = [await listen(server), await listen(others)]

interface Resource {
  readonly id: string
  readonly status: string
  readonly dataset: string
  readonly upload_url: string
  readonly data: ReadonlyArray<{ readonly status: string }>
}

const callerOf = (token: string) => {
  const send = async (method: "GET" | "POST" | "PUT", path: string, body?: string): Promise<Resource> => {
    const headers = {
      ...{ authorization: `Bearer ${token}`, "idempotency-key": randomUUID() },
      ...(method === "POST" ? { "content-type": "application/json" } : {})
    }
    const response = await request(origin + path, { method, headers, body: body ?? null })
    const text = await response.body.text()
    if (response.statusCode >= 300) throw new Error(`${method} ${path} answered ${response.statusCode}: ${text}`)
    return JSON.parse(text)
  }
  const post = (path: string, body: object) => send("POST", path, JSON.stringify(body))
  const until = async (path: string, isDone: (found: Resource) => boolean): Promise<Resource> => {
    const found = await send("GET", path)
    if (isDone(found)) return found
    await setTimeout(20)
    return until(path, isDone)
  }
  return { post, put: (path: string, body: string) => send("PUT", path, body), until }
}
type Caller = ReturnType<typeof callerOf>

const isEnded = ({ status }: Pick<Resource, "status">) => status === "succeeded" || status === "ready"

const versionOf = async ({ post, put, until }: Caller) => {
  const rows = Array.from({ length: 30 }, (_, row) =>
    JSON.stringify({ messages: [{ role: "user", content: `ticket ${row}` }], completion: `label ${row % 3}` })
  )
  const upload = await post("/v1/distill/uploads", { filename: "rows.jsonl", format: "chat_jsonl" })
  const { pathname, search } = new URL(upload.upload_url)
  await put(pathname + search, rows.join("\n"))
  await until(`/v1/distill/uploads/${upload.id}`, isEnded)
  const dataset = await post("/v1/distill/datasets", { name: "tickets" })
  const version = await post(`/v1/distill/datasets/${dataset.id}/versions`, { from: { upload: upload.id } })
  return until(`/v1/distill/dataset_versions/${version.id}`, isEnded)
}

const planOf = ({ id }: Resource, fields: object) => ({
  dataset_version: id,
  recipe: { student_model: "builtin/text-classifier", stages: [{ kind: "sft", config: {} }], rewards: [] },
  budget: { max_cost_usd: 1 },
  compute: { profile: "local" },
  ...fields
})

const source = (file: string): string => `packages/${file}.ts`
const start = (file: string): Start => ({ file: source(file) })

const walksEach = 3
const triesMax = 9

/**
 * The shortest of several: a cache entry that expires in between sends a walk to storage once more. A fiber that yields to
 * others between two modules hides who called the second one; such a recording is left out.
 */
const shortest = async (walk: (time: number) => Promise<Walk>): Promise<Walk> => {
  const walks: Array<Walk> = []
  for (let time = 1; walks.length < walksEach; time++) {
    try {
      walks.push(await walk(time))
    } catch (error) {
      if (!(error instanceof NoWalk) || time >= triesMax) throw error
    }
  }
  return walks.reduce((one, other) => (other.packages.length < one.packages.length ? other : one))
}

/** A live run, as it is paid for. */
const walkOfRun = async (live: Caller) => {
  const plan = planOf(await versionOf(live), { dry_run: false })
  return shortest(async () => {
    const stop = Calls.record()
    await live.post("/v1/distill/runs", plan)
    return walkOf(
      stop(),
      [start("server/src/http/internal/Pipeline")],
      source("storage-postgres/src/internal/events/EventStorePostgres")
    )
  })
}

/** The event of a new run, to an endpoint whose secret the server has decrypted before. */
const walkOfEvent = async (test: Caller) => {
  const plan = planOf(await versionOf(test), { dry_run: true })
  const enabled_events = ["distill.run.created"]
  const endpoint = await test.post("/v1/webhook_endpoints", { url: outside, enabled_events })
  const delivered = (count: number) =>
    test.until(`/v1/webhook_endpoints/${endpoint.id}/deliveries`, ({ data }) => data.filter(isEnded).length === count)
  return shortest(async (time) => {
    const stop = Calls.record()
    const { id } = await test.post("/v1/distill/runs", plan)
    await delivered(time)
    const calls = stop()
    // The next recording must not begin among the events of this run.
    await test.until(`/v1/distill/runs/${id}`, isEnded)
    return walkOf(
      calls,
      [
        // Workers write events too.
        { file: source("core/src/events/Events"), caller: source("distill/src/run/internal/RunChanges") },
        start("webhooks/src/delivery/internal/Signer"),
        start("webhooks/src/delivery/internal/Settler")
      ],
      source("storage-postgres/src/internal/deliveries/DeliverySettlements")
    )
  })
}

/** A call to a source that has answered before, and the version of its row. */
const walkOfCall = async ({ post, until }: Caller) => {
  const model = { name: "m", kind: "byok", base_url: `${outside}/v1`, api_key: "sk-0123456789", default: true }
  const ask = () => post("/v1/proxy/chat/completions", { model: "m", messages: [{ role: "user", content: "ticket" }] })
  await post("/v1/sources", model)
  const dataset = await post("/v1/distill/datasets", { name: "calls" })
  return shortest(async (time) => {
    await ask()
    const stop = Calls.record()
    await ask()
    await until("/v1/distill/calls", ({ data }) => data.length === 2 * time)
    const version = await post(`/v1/distill/datasets/${dataset.id}/versions`, { from: { calls: {} } })
    await until(`/v1/distill/dataset_versions/${version.id}`, isEnded)
    return walkOf(
      stop(),
      [
        start("server/src/handlers/internal/ProxyHandlers"),
        start("capture/src/journal/internal/Shipper"),
        start("distill/src/dataset/internal/VersionTexts")
      ],
      source("storage-postgres/src/internal/datasets/RowStorePostgres")
    )
  })
}

const [live, test] = [callerOf(tokens.live), callerOf(tokens.test)]
const walks = { run: await walkOfRun(live), event: await walkOfEvent(test), call: await walkOfCall(live) }
process.stdout.write(`${JSON.stringify(walks)}\n`)
for (const one of [server, others]) one.close().closeAllConnections()
await limbeck.close()
rmSync(directory, { recursive: true })
process.exit()
