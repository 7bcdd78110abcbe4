/** An upgrade without stopping, as docs/operate says: two versions on one database, with real processes. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { freshDatabase } from "@limbeck/testing/database/Database"
import { temporaryFolder } from "@limbeck/testing/Folders"
import pg from "pg"
import { Api } from "./Api.ts"
import { Receiver } from "./Receiver.ts"
import { quiet, Server } from "./Server.ts"
import { delivered, missing, Traffic } from "./Traffic.ts"
import { upstream } from "./Upstream.ts"
import * as VersionBefore from "./VersionBefore.ts"

/** The last version with a schema older than the first release's. */
const before = "c71ea57"

const schemaOf = async (DATABASE_URL: string): Promise<number> => {
  const client = new pg.Client({ connectionString: DATABASE_URL })
  await client.connect()
  const { rows } = await client.query("SELECT max(migration_id) AS newest FROM limbeck.migrations")
  await client.end()
  return rows[0].newest
}

const isKnown = VersionBefore.isKnown(before)
if (!isKnown) process.stderr.write(`SKIPPED: an upgrade, because the history here does not reach ${before}\n`)

/** Creating requests of several kinds; some answers hold a secret. */
const keyedRequests = [
  ["/v1/distill/datasets", { name: "before the upgrade" }],
  ["/v1/distill/uploads", { filename: "rows.jsonl", format: "chat_jsonl" }],
  ["/v1/webhook_endpoints", { url: "https://receiver.example/", enabled_events: ["webhook_endpoint.disabled"] }],
  ["/v1/tokens", { name: "before the upgrade", scopes: ["distill:read"] }]
] as const

/** Sends each request under a fixed key of its own. */
const createKeyed = (api: Api) =>
  Promise.all(
    keyedRequests.map(async ([path, body]) => {
      const { headers, status, text } = await api.call("POST", path, { body, key: `before${path}` })
      return { path, status, text, replayed: headers.get("idempotent-replayed") }
    })
  )

describe.skipIf(!isKnown)("an upgrade", () => {
  it("migrates under a server of the version before: no request fails, nothing is lost, and old keys replay (P347, P942)", async ({
    onTestFinished
  }) => {
    const folder = await temporaryFolder(onTestFinished)
    const program = VersionBefore.programOf(before, folder)
    const DATABASE_URL = await freshDatabase(onTestFinished)
    const ENCRYPTION_KEY = Buffer.alloc(32, 5).toString("base64")
    const placeOf = async (name: string) => {
      const DATA_DIR = path.join(folder, name)
      await fs.mkdir(DATA_DIR)
      return { ...quiet, DATABASE_URL, ENCRYPTION_KEY, DATA_DIR }
    }

    const old = await new Server(onTestFinished, await placeOf("old"), ["serve"], program).start()
    const atOld = new Api(old)
    const { base_url } = await upstream(onTestFinished)
    await atOld.create("/v1/sources", { name: "model", kind: "byok", base_url, api_key: "sk", default: true })
    const plan = await atOld.plan()
    const receiver = new Receiver(() => ({ status: 200, delayMillis: 0 }))
    const endpoint = await receiver.subscribe(onTestFinished, atOld)
    const keyed = await createKeyed(atOld)
    const traffic = new Traffic([atOld], plan)
    await traffic.grown()
    const schema = await schemaOf(DATABASE_URL)
    const renewed = await new Server(onTestFinished, await placeOf("new")).start()
    assert.isAbove(await schemaOf(DATABASE_URL), schema)
    const atNew = new Api(renewed)
    await traffic.grown()
    await traffic.moveTo([atOld, atNew])
    await traffic.grown()
    // In a load balancer's order: traffic moves away first, then the server stops.
    await traffic.moveTo([atNew])
    assert.strictEqual((await old.stop()).code, 0)
    await traffic.grown()
    await traffic.stop()

    assert.deepStrictEqual(traffic.failures, [])
    const replays = keyed.map((first) => ({ ...first, replayed: "true" }))
    assert.deepStrictEqual(await createKeyed(atNew), replays)
    assert.deepStrictEqual(await missing(atNew, traffic.acknowledged), [])
    const told = await delivered(atNew, endpoint)
    assert.isTrue(told.every((event) => receiver.has(event)))
    receiver.assertGenuine()
  })
})
