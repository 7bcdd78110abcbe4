/** Laws between a receiver's arrivals, the database's records, and the times of kills. */
import { assert } from "@effect/vitest"
import { WebhookLimits } from "@limbeck/webhooks/Limits"
import type { Engines } from "./EngineProcess.ts"
import type { Arrival, Receiver } from "./Receiver.ts"
import type { Attempt, Delivery } from "./Records.ts"

export interface World {
  readonly deliveries: ReadonlyArray<Delivery>
  /** By delivery, and as they count. */
  readonly attempts: ReadonlyArray<Attempt>
  readonly receiver: Receiver
  readonly engines: Engines
}

/** After the end of a lease, work is taken up within this on an idle machine (engine.md). */
const takeUpMillis = 5_000
/**
 * Outcomes are written in the order of their responses, some together: before an unwritten response, at most one endpoint's
 * maximum of later attempts is written.
 */
const overtakenMax = WebhookLimits.perEndpointMax

const isRecorded = ({ attempts }: World) => {
  const numbers = new Set(attempts.map(({ arrival }) => arrival))
  return ({ number }: Arrival) => numbers.has(number)
}

/** None is lost and none is stuck. */
export const assertAllSucceeded = ({ deliveries, receiver }: World) => {
  for (const { id, status } of deliveries) {
    assert.strictEqual(status, "succeeded")
    assert.isTrue(
      receiver.of(id).some((arrival) => arrival.status === 200),
      `${id} never arrived`
    )
  }
  const known = new Set(deliveries.map(({ id }) => id))
  assert.isTrue(receiver.arrivals.every(({ delivery }) => known.has(delivery)))
}

/** Attempts count from 1 without gap or duplicate, and each is one arrival, with its response. */
export const assertRecordsAreArrivals = ({ attempts, deliveries, receiver }: World) => {
  assert.strictEqual(new Set(attempts.map(({ arrival }) => arrival)).size, attempts.length)
  const byDelivery = Map.groupBy(attempts, ({ deliveryId }) => deliveryId)
  for (const { attemptCount, id } of deliveries) {
    const mine = byDelivery.get(id) ?? []
    assert.deepStrictEqual(
      mine.map(({ number }) => number),
      Array.from({ length: attemptCount }, (_, index) => index + 1)
    )
    for (const { arrival, statusCode } of mine) {
      const { delivery, status } = receiver.arrivals[arrival]!
      assert.deepStrictEqual([id, statusCode], [delivery, status])
    }
    // A success is the end.
    assert.deepStrictEqual(
      mine.map(({ statusCode }) => statusCode === 200),
      mine.map((_, index) => index === mine.length - 1)
    )
  }
}

/** A delivery arrives again only after a response, or after the end of an unrecorded attempt. */
export const assertNeverTwoAtOnce = (world: World) => {
  const recorded = isRecorded(world)
  for (const { id } of world.deliveries) {
    const arrivals = world.receiver.of(id)
    for (const [index, later] of arrivals.entries()) {
      const earlier = arrivals[index - 1]
      if (earlier === undefined) continue
      if (recorded(earlier)) assert.isAtLeast(later.at, earlier.answeredAt ?? Number.POSITIVE_INFINITY)
      else assert.isAtLeast(later.at, earlier.at + WebhookLimits.attemptMillis)
    }
  }
}

/** Arrivals that nobody recorded: their sender was killed before it could. */
export const assertOnlyKilledForgot = (world: World): ReadonlyArray<Arrival> => {
  const recorded = isRecorded(world)
  const cut = world.receiver.arrivals.filter((arrival) => !recorded(arrival))
  const written = Map.groupBy(world.receiver.arrivals.filter(recorded), ({ brand }) => brand)
  for (const arrival of cut) {
    const killedAt = world.engines.killedAt(arrival.brand)
    if (killedAt === null) assert.fail(`never recorded, and nobody was killed: ${JSON.stringify(arrival)}`)
    const answeredAt = arrival.answeredAt ?? Number.POSITIVE_INFINITY
    const overtaking = written.get(arrival.brand)?.filter(({ at }) => at > answeredAt) ?? []
    assert.isAtMost(overtaking.length, overtakenMax, JSON.stringify(arrival))
  }
  return cut
}

/**
 * The longest wait of undisturbed deliveries: the pace of this run on this machine. Longer waits than a lease were caused
 * by a killed holder.
 */
const paceMillis = ({ deliveries, receiver }: World) => {
  const waits = deliveries.map(({ createdAt, id }) => (receiver.of(id)[0]?.at ?? Number.POSITIVE_INFINITY) - createdAt)
  return Math.max(0, ...waits.filter((millis) => millis < WebhookLimits.leaseMillis))
}

/**
 * Deliveries created or sent by a killed process arrive (again) after their lease, and then wait hardly longer than new
 * ones. A later arrival needs another kill of a claimer before its sending: then it follows that kill as quickly. One kill
 * can strand several, by cutting several attempts, but the first to take them over sends most.
 */
export const assertTakenOverInTime = (world: World, cut: ReadonlyArray<Arrival>) => {
  const { deliveries, engines, receiver } = world
  const kills = engines.all.flatMap(({ killedAt }) => killedAt ?? [])
  const waits = [
    ...deliveries.map(({ createdAt, id }) => ({ id, since: createdAt, until: receiver.of(id)[0]?.at })),
    ...cut.map(({ at, delivery }) => ({
      id: delivery,
      since: at,
      until: receiver.of(delivery).find((arrival) => arrival.at > at)?.at
    }))
  ]
  const patience = WebhookLimits.leaseMillis + takeUpMillis + paceMillis(world)
  const late = waits.filter(({ since, until = Number.POSITIVE_INFINITY }) => until - since > patience)
  assert.isBelow(late.length, cut.length / 2)
  for (const { id, since, until = Number.POSITIVE_INFINITY } of late) {
    const isExplained = kills.some((at) => at > since && until - at <= patience)
    const told = kills.map((at) => at - since).filter((at) => at > -5_000 && at < 30_000)
    assert.isTrue(isExplained, `${id} was due and came ${until - since} ms later; kills came after ${told} ms`)
  }
}
