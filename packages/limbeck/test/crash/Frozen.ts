/** An engine is held still for longer than its leases, in the middle of its attempts, and then goes on. */
import { assert } from "@effect/vitest"
import { Limits } from "@limbeck/webhooks/Limits"
import { Engines } from "../support/EngineProcess.ts"
import { eventually } from "../support/Eventually.ts"
import * as Laws from "../support/Laws.ts"
import { Receiver } from "../support/Receiver.ts"
import * as Records from "../support/Records.ts"

const count = Limits.perEndpointClaimMax
const types = Array.from({ length: count }, () => "load.slow")
/** Long enough for the sender to be held before it has an answer. */
const delayMillis = 1_500

export const frozen = async (atEnd: Records.AtEnd) => {
  const records = await Records.open(atEnd)
  const receiver = new Receiver(atEnd, () => ({ status: 200, delayMillis }))
  const engines = new Engines(atEnd, records.schema, [0, 1, 2])
  const url = `${await receiver.listen()}/slow`
  const held = await engines.start()
  // It has nothing to do, and nobody will ring for it.
  const other = await engines.start()
  await held.tell({ kind: "subscribe", subscriptions: [{ url, type: "load.slow" }] })
  await held.tell({ kind: "publish", types })
  await eventually("all are under way", () => receiver.arrivals.length === count, Laws.takeUpMillis)
  held.signal("SIGSTOP")

  const isOver = async () => (await records.openCount()) === 0
  await eventually("the other has done it all", isOver, Limits.leaseMillis + Laws.takeUpMillis + delayMillis)
  const before = { deliveries: await records.deliveries(), attempts: await records.attempts() }
  const world = { ...before, engines, receiver }
  Laws.assertAllSucceeded(world)
  Laws.assertRecordsAreArrivals(world)
  Laws.assertNeverTwoAtOnce(world)
  const senders = before.deliveries.map(({ id }) => receiver.of(id).map(({ brand }) => brand))
  assert.deepStrictEqual(senders, Array(count).fill([held.brand, other.brand]))

  // Whatever it now makes of its attempts comes too late.
  held.signal("SIGCONT")
  const isRefused = () =>
    before.deliveries.every(({ id }) => held.said.some((line) => line.includes("refused") && line.includes(id)))
  await eventually("its outcomes are refused", isRefused, Laws.takeUpMillis)
  assert.deepStrictEqual({ deliveries: await records.deliveries(), attempts: await records.attempts() }, before)

  // It works on as if nothing had happened.
  await other.kill()
  await held.tell({ kind: "publish", types })
  await eventually("its next deliveries are done", isOver, Laws.takeUpMillis + delayMillis)
  assert.strictEqual((await records.attempts()).length, 2 * count)
}
