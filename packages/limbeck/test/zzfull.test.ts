// @effect-diagnostics globalDate:off
import { fork } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"
import * as Ids from "@limbeck/core/ids/Ids"
import * as Partition from "@limbeck/core/partition/Partition"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import * as Recoveries from "@limbeck/webhooks/recovery/Recoveries"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { inject } from "vitest"
import { client } from "../../storage-postgres/test/Database.ts"
import { doneAt } from "../../testing/src/fixtures/StillClock.ts"
import * as DeadLetters from "./support/DeadLetters.ts"
import { Engines } from "./support/EngineProcess.ts"
import { luck } from "./support/Luck.ts"
import { Receiver } from "./support/Receiver.ts"
import * as Records from "./support/Records.ts"

const count = 100_000
const program = fileURLToPath(new URL("./fixtures/Recoverer.ts", import.meta.url))
const partition = Partition.make("ws_00000000000000000000000001", false)
it("full", { timeout: 590_000 }, async ({ onTestFinished: atEnd }) => {
  const records = await Records.open(atEnd)
  const storage = { url: inject("postgres").url, schema: records.schema }
  const receiver = new Receiver(atEnd, () => ({ status: 200, delayMillis: 0 }))
  const engines = new Engines(atEnd, records.schema, [0, 1, 2, 4, 8, 16])
  const first = await engines.start()
  await first.tell({ kind: "subscribe", subscriptions: [{ url: `${await receiver.listen()}/x`, type: "load.fast" }] })
  await first.kill()
  const id = await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* client(records.schema)
        return String((yield* sql`SELECT id FROM resources WHERE kind = 'webhook_endpoint'`)[0]!["id"])
      })
    )
  )
  const services = Layer.provideMerge(
    Recoveries.layer,
    Layer.merge(StoragePostgres.layer(storage), Layer.provide(Ids.layer, SecureRandom.layerWebCrypto))
  )
  const at = Date.now() - 2 * 3_600_000
  await DeadLetters.bury({ storage, partition, endpoint: id, count, at: at - count })
  await Effect.runPromise(
    Effect.provide(
      doneAt(
        at,
        Effect.flatMap(Recoveries.Recoveries, (r) => r.recover(partition, id, 0))
      ),
      services
    )
  )
  const next = luck(77)
  const start = () => fork(program, [JSON.stringify(storage)], { execArgv: ["--conditions=@limbeck/source"] })
  for (let kill = 0; kill < 5; kill++) {
    const child = start()
    for (let seen = 0; seen < 1 + next() * 20; seen++) await once(child, "message")
    await sleep(next() * 30)
    child.kill("SIGKILL")
    await once(child, "exit")
  }
  assert.strictEqual((await once(start(), "exit"))[0], 0)
  console.log("revived", await records.openCount())
  const t0 = Date.now()
  const places = [await engines.start(), await engines.start()]
  let kills = 0
  const kill = async () => {
    if (kills >= 20) return
    const place = next() < 0.5 ? 0 : 1
    await places[place]!.kill()
    kills++
    places[place] = await engines.start()
  }
  let fresh = 0
  for (;;) {
    const open = await records.openCount()
    if (open === 0) break
    if (kills % 5 === 4) {
      fresh++
      const p = Date.now()
      const n = receiver.arrivals.length
      await places[0]!.tell({ kind: "publish", types: ["load.fast"] }).catch(() => {})
      console.log("fresh", open, Date.now() - p, receiver.arrivals.length - n)
    }
    await sleep(500 + next() * 1500)
    await kill()
  }
  const deliveries = await records.deliveries()
  const dead = deliveries.filter((d) => d.createdAt < at + 1)
  console.log(
    "seconds",
    (Date.now() - t0) / 1000,
    "kills",
    kills,
    "deliveries",
    deliveries.length,
    dead.length,
    "arrivals",
    receiver.arrivals.length,
    "fresh",
    fresh
  )
  console.log(
    "missing",
    dead.filter((d) => receiver.of(d.id).length === 0).length,
    "not once recorded",
    dead.filter((d) => d.attemptCount !== 7).length,
    "statuses",
    new Set(dead.map((d) => d.status)),
    "attempts",
    (await records.attempts()).length
  )
})
