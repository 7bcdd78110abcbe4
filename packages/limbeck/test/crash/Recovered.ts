// The letters must be of these days to be sent again.
// @effect-diagnostics globalDate:off
/** Many dead letters are recovered by a process that is killed within its steps, again and again. */
import { fork } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { assert } from "@effect/vitest"
import * as Ids from "@limbeck/core/ids/Ids"
import * as Partition from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { caseCount } from "@limbeck/testing/Campaign"
import * as DeadLetters from "@limbeck/testing/fixtures/DeadLetters"
import * as Deliveries from "@limbeck/testing/fixtures/Deliveries"
import { url } from "@limbeck/testing/fixtures/Postgres"
import { runAt } from "@limbeck/testing/fixtures/StillClock"
import { luck } from "@limbeck/testing/random/Luck"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import * as Endpoint from "@limbeck/webhooks/endpoint/Endpoint"
import { WebhookLimits } from "@limbeck/webhooks/Limits"
import * as Recoveries from "@limbeck/webhooks/recovery/Recoveries"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Programs from "../../../workshop/programs/Programs.ts"
import type { RecovererOptions } from "../fixtures/Recoverer.ts"
import * as Records from "../support/Records.ts"

const count = caseCount(10_000, 100_000)
/** Kills within a step. */
const kills = caseCount(3, 10)
/** The most steps before a kill: half of all steps remain for kills between two steps, and for the end. */
const stepsMax = count / WebhookLimits.recoveryBatch / (2 * kills)
const program = await Programs.made(new URL("../fixtures/Recoverer.ts", import.meta.url))
const partition = Partition.make("ws_00000000000000000000000001", false)

const start = (options: RecovererOptions) =>
  fork(program, [JSON.stringify(options)], { execArgv: ["--conditions=@limbeck/source"] })

/** Killed within a step, or close to one. */
const killLater = async (options: RecovererOptions, steps: number, millis: number): Promise<void> => {
  const child = start(options)
  for (let seen = 0; seen < steps; seen++) await once(child, "message")
  await sleep(millis)
  child.kill("SIGKILL")
  await once(child, "exit")
}

const endpoint = Deliveries.endpoint({ id: "wh_00000000000000000000000001", createdAt: 0, updatedAt: 0 })

export const recovered = async (atEnd: AtEnd) => {
  const records = await Records.open(atEnd)
  const storage = { url, schema: records.schema }
  const services = Layer.provideMerge(
    Recoveries.layer,
    Layer.merge(StoragePostgres.layer(storage), Layer.provide(Ids.layer, SecureRandom.layerWebCrypto))
  )
  const at = Date.now() - 24 * 3_600_000
  await DeadLetters.bury({
    storage: StoragePostgres.layer(storage),
    partition,
    endpoint: endpoint.id,
    count,
    at: at - count
  })
  const queued = Effect.gen(function* () {
    yield* (yield* ResourceStore).insert(partition, Endpoint.kind, endpoint)
    return yield* (yield* Recoveries.Recoveries).recover(partition, endpoint.id, 0)
  })
  assert.strictEqual(await Effect.runPromise(Effect.provide(runAt(at, queued), services)), count)

  const next = luck(100_000)
  for (let cut = 0; cut < kills; cut += await records.heldCount()) {
    await killLater(storage, 1 + Math.floor(next() * stepsMax), next() * 30)
  }
  assert.strictEqual((await once(start(storage), "exit"))[0], 0)

  const stats = Effect.flatMap(DeliveryStore, (store) => store.stats(partition, [endpoint.id], 0))
  const ofEndpoint = (await Effect.runPromise(Effect.provide(stats, services))).get(endpoint.id)
  assert.deepInclude(ofEndpoint, { pending: count, deadLettered: 0 })
  // One after the other, in creation order; some kills cut a step, which waited for its lease.
  const dueTimes = await records.dueTimes()
  const gaps = dueTimes.slice(1).map((dueAt, index) => dueAt - dueTimes[index]!)
  assert.strictEqual(dueTimes.length, count)
  assert.strictEqual(Math.min(...gaps.slice(0, WebhookLimits.recoveryBatch)), WebhookLimits.recoverySpacingMillis)
  assert.isTrue(
    gaps.every((gap) => gap === WebhookLimits.recoverySpacingMillis || gap >= WebhookLimits.recoveryLeaseMillis)
  )
  const cut = gaps.filter((gap) => gap >= WebhookLimits.recoveryLeaseMillis).length
  assert.isAbove(cut, 0)
  assert.isAtMost(cut, kills)
}
