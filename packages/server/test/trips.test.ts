/** How often a creation waits for Postgres. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import * as Database from "@limbeck/testing/database/Database"
import * as Wire from "@limbeck/testing/database/Wire"
import { dryRun, freshKey, linesOf, row, ticketsVersion, uploadOf } from "@limbeck/testing/http/Steps"
import { expectStatus } from "./support/Client.ts"
import { House } from "./support/House.ts"

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

  it("waits for Postgres two to four times, a token five times, with its event and the deliveries of that (P183, P1820)", async () => {
    const { live } = await house.workspace()
    const version = await ticketsVersion(live)
    const upload = await uploadOf(live, linesOf([row(1), row(2)]))
    const endpoint = { url: "https://example.com/hooks", enabled_events: ["*"] }
    // With the round trips: the key's look-up, what the resource refers to, the commit. A run's version is cached, but its event
    // has subscribers. A token also reads how many tokens depend on its maker, which the transaction holds.
    const creations = [
      ["/v1/webhook_endpoints", endpoint, 2],
      ["/v1/distill/runs", dryRun(version.id), 3],
      ["/v1/distill/datasets", { name: "tickets" }, 2],
      [`/v1/distill/datasets/${version.dataset}/versions`, { from: { upload: upload.id } }, 4],
      ["/v1/distill/uploads", { filename: "rows.jsonl", format: "chat_jsonl" }, 2],
      ["/v1/tokens", { name: "more", scopes: ["distill:write"] }, 5],
      ["/v1/agents", { name: "helper" }, 2]
    ] as const
    for (const [path, body, count] of creations) {
      // The first creation prepares the process's caches.
      expectStatus(await live.post(path, body, freshKey()), 201)
      const before = trips.length
      expectStatus(await live.post(path, body, freshKey()), 201)
      const [creation = [], ...others] = Wire.transactions(trips.slice(before)).filter(isCreation)
      assert.lengthOf(others, 0)
      const said = creation.map(({ statements }) => statements)
      assert.lengthOf(said, count, `${path} ${JSON.stringify(said, null, 2)}`)
      const isTold = said.flat().some((text) => text.includes("INSERT INTO deliveries"))
      assert.strictEqual(isTold, path === "/v1/distill/runs")
    }
  })
})
