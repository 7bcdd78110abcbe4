// The letters must be of these days to be sent again.
// @effect-diagnostics globalDate:off
/** A server is killed in the middle of a recovery, twice, while fresh events come in. */
import { assert } from "@effect/vitest"
import { fromKey } from "@limbeck/core/partition/Partition"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { caseCount } from "@limbeck/testing/Campaign"
import { freshDatabase } from "@limbeck/testing/database/Database"
import { eventually } from "@limbeck/testing/Eventually"
import { bury } from "@limbeck/testing/fixtures/DeadLetters"
import { Api, rows } from "../Api.ts"
import { Receiver } from "../Receiver.ts"
import { quiet, Server } from "../Server.ts"

/** At 100 a second, in steps of 500: ten seconds' worth, or half a minute's. */
const count = caseCount(1_000, 3_000)
/** Numbers of revived deliveries at which the server is killed. */
const kills = [count / 5, count / 2]
/** Under way at once at one endpoint: what a kill may double. */
const inFlightMax = 16

/** Of a dead letter that comes back: six were made before. */
const firstAttempt = 7

interface Delivery {
  readonly id: string
  readonly event_id: string
  readonly status: string
  readonly attempt_count: number
}

interface Attempts {
  readonly attempts: ReadonlyArray<{ readonly attempt: number; readonly error: string | null }>
}

/** How many responses came too late on a slow machine, the only permitted reason for another attempt. */
const lateAnswers = async (api: Api, path: string, deliveries: ReadonlyArray<Delivery>) => {
  let late = 0
  for (const { attempt_count, id } of deliveries) {
    if (attempt_count === firstAttempt) continue
    const { attempts } = await api.get<Attempts>(`${path}/deliveries/${id}`)
    const before = attempts.filter(({ attempt }) => attempt >= firstAttempt && attempt < attempt_count)
    assert.deepStrictEqual([...new Set(before.map(({ error }) => error))], ["timeout"])
    late += before.length
  }
  return late
}

const newestEvent = async (api: Api) =>
  (await api.get<{ readonly data: ReadonlyArray<{ readonly id: string }> }>("/v1/events?limit=1")).data[0]?.id ?? ""

/** A fresh event overtakes the rest of the recovery. */
const assertOvertakes = async (api: Api, receiver: Receiver, cameBack: () => number) => {
  const known = await newestEvent(api)
  await api.uploaded(await api.upload(rows(1)))
  const fresh = await newestEvent(api)
  assert.notStrictEqual(fresh, known)
  await receiver.changes.until("the fresh event arrives", () => receiver.has(fresh))
  // The rest of the recovery was due before it, and at this pace takes minutes.
  assert.isAtMost(cameBack(), count - 2 * inFlightMax)
}

export const recovery = async (atEnd: AtEnd) => {
  const database = await freshDatabase(atEnd)
  const environment = { ...quiet, DATABASE_URL: database, ENCRYPTION_KEY: Buffer.alloc(32, 5).toString("base64") }
  const server = await new Server(atEnd, environment).start()
  const api = new Api(server)
  /** While a fresh event is on its way, answers take so long that letters do not run out before it, however slow the machine is. */
  let delayMillis = 0
  const receiver = new Receiver(() => ({ status: 200, delayMillis }))
  const endpoint = await receiver.subscribe(atEnd, api)
  await api.uploaded(await api.upload(rows(1)))
  const [{ workspace_id: workspace } = { workspace_id: "" }] = await api.list<{ workspace_id: string }>("/v1/events")
  const at = Date.now() - 3_600_000
  const storage = StoragePostgres.layer({ url: database, maxConnections: 2 })
  const partition = fromKey(`${workspace}.test`)
  const dead = new Set(await bury({ storage, partition, endpoint: endpoint.id, count, at }))
  const recovered = () => receiver.arrivals.filter(({ event }) => dead.has(event))
  const cameBack = () => new Set(recovered().map(({ event }) => event)).size

  const path = `/v1/webhook_endpoints/${endpoint.id}`
  const answer = await api.persist("POST", `${path}/recover`, { body: { since: new Date(at).toISOString() } })
  assert.deepStrictEqual([answer.status, answer.body], [202, { queued: count }])
  for (const arrived of kills) {
    await eventually(`${arrived} have come back`, async () => (cameBack() >= arrived ? true : undefined))
    await server.kill()
    delayMillis = 2_000
    await server.start()
    await assertOvertakes(api, receiver, cameBack)
    delayMillis = 0
  }

  await eventually("all have come back", async () => (cameBack() === count ? true : undefined))
  const deliveries = await eventually("every delivery is written down", async () => {
    const all = (await api.list<Delivery>(`${path}/deliveries`)).filter(({ event_id }) => dead.has(event_id))
    return all.every(({ status }) => status === "succeeded") ? all : undefined
  })
  assert.strictEqual(deliveries.length, count)
  const late = await lateAnswers(api, path, deliveries)
  assert.isAtMost(recovered().length - count - late, kills.length * inFlightMax)
  receiver.assertGenuine()
}
