/** An engine is held still for longer than its leases, in the middle of its attempts, and goes on while another makes them. */
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { WebhookLimits } from "@limbeck/webhooks/Limits"
import { Engines } from "../support/EngineProcess.ts"
import * as Laws from "../support/Laws.ts"
import { Receiver } from "../support/Receiver.ts"
import * as Records from "../support/Records.ts"

const count = WebhookLimits.perEndpointClaimMax
const types = Array.from({ length: count }, () => "load.slow")
/** Long enough to hold the sender before any response. */
const heldMillis = 4_000
/** Long enough for it to go on before there is an answer to the other; short enough for that to be a success. */
const delayMillis = 2_500

export const frozen = async (atEnd: AtEnd) => {
  const records = await Records.open(atEnd)
  let arrivals = 0
  // As soon as all are under way.
  const receiver = new Receiver(atEnd, () => {
    if (++arrivals === count) held.signal("SIGSTOP")
    return { status: 200, delayMillis: arrivals > count ? delayMillis : heldMillis }
  })
  const engines = new Engines(atEnd, records.schema, [0, 1, 2])
  const url = `${await receiver.listen()}/slow`
  const held = await engines.start()
  // It is idle, and no bell will ring for it.
  const other = await engines.start()
  await held.tell({ kind: "subscribe", subscriptions: [{ url, type: "load.slow" }] })
  await held.tell({ kind: "publish", types })
  const haveArrived = (arrivals: number) => () => receiver.arrivals.length === arrivals
  await receiver.changes.until("all are under way", haveArrived(count))
  const ids = (await records.deliveries()).map(({ id }) => id)
  await receiver.changes.until("the other makes them all", haveArrived(2 * count))

  // Its outcomes come too late: the other holds the deliveries.
  held.signal("SIGCONT")
  const isRefused = () => ids.every((id) => held.said.some((line) => line.includes("refused") && line.includes(id)))
  await held.changes.until("its outcomes are refused", isRefused)
  const isOver = async () => (await records.openCount()) === 0
  await eventually("the other has done it all", isOver)
  const [deliveries, attempts] = [await records.deliveries(), await records.attempts()]
  const world = { attempts, deliveries, engines, receiver }
  Laws.assertAllSucceeded(world)
  Laws.assertRecordsAreArrivals(world)
  Laws.assertNeverTwoAtOnce(world)
  const senders = ids.map((id) => receiver.of(id).map(({ brand }) => brand))
  assert.deepStrictEqual(senders, Array(count).fill([held.brand, other.brand]))
  const recorded = attempts.map(({ arrival }) => receiver.arrivals[arrival]?.brand)
  assert.deepStrictEqual(recorded, Array(count).fill(other.brand))
  assert.deepStrictEqual(other.said, [])

  // It continues normally.
  await other.kill()
  await held.tell({ kind: "publish", types })
  await eventually("its next deliveries are done", isOver)
  assert.strictEqual((await records.attempts()).length, 2 * count)
}
