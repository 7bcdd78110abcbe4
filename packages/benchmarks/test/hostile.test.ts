/**
 * The engine with its real sender among many hostile receivers, with the behaviours of the sender's tests. Its time
 * is turns of its event loop, independent of the machine's load; blocking shows in its processor time.
 */

import { assert, it } from "@effect/vitest"
import { Pools } from "@limbeck/core/pools/Pools"
import { sizeAlone } from "@limbeck/core/pools/Shares"
import { caseCount } from "@limbeck/testing/Campaign"
import { WebhookLimits } from "@limbeck/webhooks/Limits"
import * as Effect from "effect/Effect"
import * as Hostile from "../src/Hostile.ts"

const attemptMillis = 1_000
/** A few turns, of ten milliseconds each. */
const slackMillis = 100
const healthyMillisMax = 5_000
/** An attempt takes two or three on the machines of today. */
const cpuMillisPerAttemptMax = 25
const rssGrowthMax = 50_000_000
/** The first round brings in code; each leaves its events, deliveries and attempts in the memory storage: 3.5 kB for an attempt. */
const heapFirstMax = 40_000_000
const heapPerAttemptMax = 10_000
const hostileCount = caseCount(300, 1_000)
const healthyCount = 20
/** Places of strangers: hostile attempts that may be before a healthy one. */
const strangersMax = sizeAlone(Pools.webhookAttempts.size - WebhookLimits.concurrencyReserved)

const opened = Effect.acquireRelease(
  Effect.promise(() => Hostile.start({ hostile: hostileCount, healthy: healthyCount, attemptMillis, time: "turns" })),
  (bench) => Effect.promise(() => Hostile.stop(bench))
)

/** An event to every healthy receiver arrives everywhere, and hostile ones are neither waited for nor let go first. */
const reachesHealthy = async (bench: Hostile.Bench) => {
  const seen = await Hostile.healthyRound(bench)
  assert.isAtMost(seen.healthyMillis, healthyMillisMax)
  assert.isAtMost(seen.cpuMillis, healthyMillisMax)
  assert.isAtMost(seen.hostileBefore, strangersMax)
  return seen
}

/** One event to every hostile receiver, and meanwhile one to every healthy one; ends without attempts under way. */
const round = async (bench: Hostile.Bench) => {
  const before = await bench.engine.usage()
  await Hostile.hostileRound(bench)
  const healthy = await reachesHealthy(bench)
  let ended = Hostile.countEndings(healthy)
  let longestMillis = healthy.longestMillis
  // On a busy machine some end before others begin.
  while (ended < hostileCount + healthyCount) {
    const more = await Hostile.awaitIdle(bench)
    ended += more.ended
    longestMillis = Math.max(longestMillis, more.longestMillis)
  }
  assert.isAtMost(longestMillis, attemptMillis + slackMillis)
  // Removing endpoints removes their retries, so that each round equals the first.
  await Hostile.endHostile(bench)
  const { cpuMicros } = await bench.engine.usage()
  assert.isAtMost((cpuMicros - before.cpuMicros) / 1_000 / ended, cpuMillisPerAttemptMax)
  return { ...(await Hostile.memory(bench)), ended }
}

it.live(
  "many hostile receivers at once hold no slot, end in time, take no memory, and keep nothing from healthy ones (P21)",
  () =>
    Effect.flatMap(opened, (bench) =>
      Effect.promise(async () => {
        await reachesHealthy(bench)
        await Hostile.memory(bench)

        const first = await round(bench)
        assert.isBelow(first.heapBytes, heapFirstMax)
        await Hostile.beginHostile(bench)
        const second = await round(bench)
        assert.isBelow((second.heapBytes - first.heapBytes) / second.ended, heapPerAttemptMax)
        assert.isBelow(second.rssBytes - first.rssBytes, rssGrowthMax)
        await reachesHealthy(bench)
      })
    )
)
