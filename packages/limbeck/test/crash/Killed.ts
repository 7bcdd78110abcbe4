/** Two engines on one database publish and deliver, and one or the other is killed, again and again. */

import { setTimeout as sleep } from "node:timers/promises"
import { assert } from "@effect/vitest"
import { Pools } from "@limbeck/core/pools/Pools"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { caseCount } from "@limbeck/testing/Campaign"
import { eventually } from "@limbeck/testing/Eventually"
import { luck } from "@limbeck/testing/random/Luck"
import type { Command, Subscription } from "../fixtures/Engine.ts"
import { type EngineProcess, Engines } from "../support/EngineProcess.ts"
import * as Laws from "../support/Laws.ts"
import { type Manner, Receiver } from "../support/Receiver.ts"
import * as Records from "../support/Records.ts"

const kills = caseCount(3, 100)
const seed = 20_261_120

/** Six attempts, of which the receiver refuses two at most: nothing is given up. */
const offsetsSeconds = [0, 1, 2, 4, 8, 16]

const paths = { "load.fast": ["/fast/0", "/fast/1", "/fast/2", "/moody"], "load.slow": ["/slow"] }

const subscriptions = (origin: string): ReadonlyArray<Subscription> =>
  Object.entries(paths).flatMap(([type, all]) => all.map((path) => ({ type, url: origin + path })))

/** One to five events in a transaction, now and then with one for the slow endpoint. */
const load: Command = {
  kind: "load",
  everyMillis: 30,
  batches: Array.from({ length: 20 }, (_, turn) => [
    ...Array.from({ length: 1 + (turn % 5) }, () => "load.fast"),
    ...(turn % 4 === 0 ? ["load.slow"] : [])
  ])
}

/** A third of the requests to `/moody` fail at first, once or twice. */
const manner = (): Manner => {
  const next = luck(seed)
  return (path, nth) => {
    if (path === "/slow") return { status: 200, delayMillis: 300 + next() * 700 }
    const isRefused = path === "/moody" && nth < 2 && next() < 1 / 3
    return { status: isRefused ? 503 : 200, delayMillis: next() * 40 }
  }
}

const startLoaded = async (engines: Engines): Promise<EngineProcess> => {
  const engine = await engines.start()
  await engine.tell(load)
  return engine
}

/** In the middle of some attempts, after many, as far as the last arrivals tell. */
const isBusy = ({ arrivals }: Receiver, { brand }: EngineProcess): boolean => {
  const mine = arrivals.slice(-1_000).filter((arrival) => arrival.brand === brand)
  return mine.length > 60 && mine.filter(({ answeredAt }) => answeredAt === null).length > 1
}

/** Each killed process is replaced. */
const killAndFollow = async (engines: Engines, receiver: Receiver, first: EngineProcess): Promise<void> => {
  const next = luck(seed + 1)
  const places = [first, await startLoaded(engines)]
  for (let count = 0; count < kills; count++) {
    const place = next() < 0.5 ? 0 : 1
    await sleep(100 + next() * 300)
    const engine = places[place]!
    await eventually("it is in the middle of some attempts", () => isBusy(receiver, engine))
    await engine.kill()
    places[place] = await startLoaded(engines)
  }
  await Promise.all(places.map((engine) => engine.tell({ kind: "rest" })))
}

export const killed = async (atEnd: AtEnd) => {
  const records = await Records.open(atEnd)
  const receiver = new Receiver(atEnd, manner())
  const engines = new Engines(atEnd, records.schema, offsetsSeconds)
  const first = await engines.start()
  await first.tell({ kind: "subscribe", subscriptions: subscriptions(await receiver.listen()) })
  await first.tell(load)
  await killAndFollow(engines, receiver, first)

  // Timeliness is checked below, per delivery.
  await eventually("every delivery is final", async () => (await records.openCount()) === 0)
  const [events, deliveries, attempts] = [await records.events(), await records.deliveries(), await records.attempts()]
  const world = { attempts, deliveries, engines, receiver }

  const committed = new Set(events.map(({ id }) => id))
  assert.isTrue(engines.all.every(({ published }) => published.every((id) => committed.has(id))))
  const wanted = events.flatMap(({ id, type }) => (type === "load.slow" ? [id] : paths["load.fast"].map(() => id)))
  assert.deepStrictEqual(deliveries.map(({ eventId }) => eventId).toSorted(), wanted.toSorted())
  assert.strictEqual(new Set(deliveries.map((one) => one.eventId + one.endpointId)).size, deliveries.length)

  Laws.assertAllSucceeded(world)
  Laws.assertRecordsAreArrivals(world)
  Laws.assertNeverTwoAtOnce(world)
  const cut = Laws.assertOnlyKilledForgot(world)
  assert.isAtMost(cut.length, kills * Pools.webhookAttempts.size)
  assert.isBelow(cut.length, receiver.arrivals.length / 5)
  Laws.assertTakenOverInTime(world, cut)
  assert.isAbove(cut.length, kills)
  // No failure occurred, and no outcome came too late.
  assert.deepStrictEqual(
    engines.all.flatMap(({ said }) => said),
    []
  )
}
