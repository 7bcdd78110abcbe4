/** How often a creation waits for Postgres. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import * as Database from "@limbeck/testing/database/Database"
import * as Wire from "@limbeck/testing/database/Wire"
import { dryRun, freshKey, linesOf, row, ticketsVersion, uploadOf } from "@limbeck/testing/http/Steps"
import { expectStatus } from "./support/Client.ts"
import { House } from "./support/House.ts"

const tripsMax = 4

const isCreation = (transaction: ReadonlyArray<Wire.Trip>) =>
  transaction.some(({ statements }) => statements.some((text) => text.startsWith("INSERT INTO idempotency_records")))

describe("a creation with an idempotency key", () => {
  const house = new House()
  const ends: Array<() => unknown> = []
  let trips: ReadonlyArray<Wire.Trip> = []
  beforeAll(async () => {
    const wire = await Wire.open((end) => ends.push(end), new URL(Database.url))
    trips = wire.trips
    await house.open(
      Database.storageOn(({ schema }) => StoragePostgres.layer({ url: wire.url, schema })),
      {}
    )
  })
  afterAll(async () => {
    await house.close()
    for (const end of ends) await end()
  })

  it("waits for Postgres at most four times, a token five times, with its event and the deliveries of that (P183)", async () => {
    const { live } = await house.workspace()
    const version = await ticketsVersion(live)
    const upload = await uploadOf(live, linesOf([row(1), row(2)]))
    const endpoint = { url: "https://example.com/hooks", enabled_events: ["*"] }
    const creations = [
      ["/v1/webhook_endpoints", endpoint],
      ["/v1/distill/runs", dryRun(version.id)],
      ["/v1/distill/datasets", { name: "tickets" }],
      [`/v1/distill/datasets/${version.dataset}/versions`, { from: { upload: upload.id } }],
      ["/v1/distill/uploads", { filename: "rows.jsonl", format: "chat_jsonl" }],
      ["/v1/tokens", { name: "more", scopes: ["distill:write"] }],
      ["/v1/agents", { name: "helper" }]
    ] as const
    for (const [path, body] of creations) {
      // The first creation prepares the process's caches.
      expectStatus(await live.post(path, body, freshKey()), 201)
      const before = trips.length
      expectStatus(await live.post(path, body, freshKey()), 201)
      const [creation = [], ...others] = Wire.transactions(trips.slice(before)).filter(isCreation)
      assert.lengthOf(others, 0)
      const said = creation.map(({ statements }) => statements)
      // A token also reads how many tokens depend on its maker, which the transaction holds.
      const most = path === "/v1/tokens" ? tripsMax + 1 : tripsMax
      assert.isAtMost(said.length, most, `${path} ${JSON.stringify(said, null, 2)}`)
      const isTold = said.flat().some((text) => text.includes("INSERT INTO deliveries"))
      assert.strictEqual(isTold, path === "/v1/distill/runs")
    }
  })
})
