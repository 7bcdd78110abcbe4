/**
 * Stores captured calls and charges them in one transaction, so that each is charged once. A call that is charged but not
 * captured is charged once because its ledger entry has a unique reference. The same transaction makes the deployments of new
 * calls due for a review, so that no review is lost.
 */
import type { CallCharge } from "@limbeck/billing/calls/CallHold"
import { CallHolds } from "@limbeck/billing/calls/CallHolds"
import type { SettledCall } from "@limbeck/billing/limits/TokenUse"
import { TokenUses } from "@limbeck/billing/limits/TokenUses"
import * as Partition from "@limbeck/core/partition/Partition"
import { Queue } from "@limbeck/core/queue/Queue"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { CallRecord } from "../../call/CallRecord.ts"
import { CallStore, deploymentCallsTopic, type InPartition } from "../../call/CallStore.ts"
import type { CapturedCall } from "../../call/CapturedCall.ts"
import * as CostRules from "../../call/CostRules.ts"
import { CaptureLimits } from "../../Limits.ts"

/** A call with its record. */
export interface CapturedBatch {
  readonly record: CallRecord
  readonly call: CapturedCall
}

const ownedOf = ({ call, record }: CapturedBatch): InPartition<CapturedCall> => ({
  partition: Partition.fromKey(record.partition),
  value: call
})

const isCharged = ({ call }: CapturedBatch): boolean => call.billed && call.costMicros !== null

const isCaptured = ({ record }: CapturedBatch): boolean => record.isCaptured !== false

const none: ReadonlySet<string> = new Set()

const chargeOf = ({ call, record }: CapturedBatch): CallCharge => ({
  call: call.id,
  createdAt: call.createdAt,
  micros: call.costMicros ?? 0,
  hold: record.hold ?? null
})

/** A call that was answered without a count of its tokens has cost what was reserved for it. */
const settledOf = ({ call, record: { reservation } }: CapturedBatch): ReadonlyArray<SettledCall> => {
  if (reservation === undefined) return []
  const unknown = call.source !== null && CostRules.isUsed(call) ? reservation.micros : 0
  const { createdAt, id } = call
  return [{ use: reservation.use, call: id, createdAt, micros: CostRules.wholeCost(call) ?? unknown }]
}

const isReserved = ({ record }: CapturedBatch): boolean => record.reservation !== undefined

/** Its deployment's student was asked, or could not be. */
const isReviewed = ({ call: { deployment, servedBy } }: CapturedBatch): boolean =>
  deployment !== null && (servedBy === "student" || servedBy === "upstream_fallback" || servedBy === "mixed")

const deploymentsOf = (captured: ReadonlyArray<CapturedBatch>): ReadonlyArray<string> =>
  [...new Set(captured.flatMap(({ call: { deployment } }) => (deployment === null ? [] : [deployment])))].toSorted()

/** By partition, in one order for all servers, so that two which charge the same ones never wait for each other in a circle. */
const byPartition = (captured: ReadonlyArray<CapturedBatch>) =>
  [...Map.groupBy(captured, ({ record }) => record.partition)].toSorted(([a], [b]) => (a < b ? -1 : 1))

/** As `byPartition`, with the calls of both modes together. */
const byWorkspace = (captured: ReadonlyArray<CapturedBatch>) =>
  [...Map.groupBy(captured, ({ record }) => Partition.fromKey(record.partition).workspace)].toSorted(([a], [b]) =>
    a < b ? -1 : 1
  )

export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const store = yield* CallStore
  const holds = yield* CallHolds
  const uses = yield* TokenUses
  const queue = yield* Queue

  const stored = (captured: ReadonlyArray<CapturedBatch>) => {
    const kept = captured.filter(isCaptured)
    return kept.length === 0 ? Effect.succeed(none) : store.append(kept.map(ownedOf))
  }

  /** Reviews have no doorbell: nobody waits for one. */
  const offerReviews = Effect.fnUntraced(function* (fresh: ReadonlyArray<CapturedBatch>) {
    const interval = CaptureLimits.deploymentReviewMillis
    const now = yield* Clock.currentTimeMillis
    const dueAt = now - (now % interval) + interval
    for (const [key, reviewed] of byPartition(fresh.filter((one) => isCaptured(one) && isReviewed(one)))) {
      for (const deployment of deploymentsOf(reviewed)) {
        yield* queue.offer(Partition.fromKey(key), deploymentCallsTopic, deployment, dueAt)
      }
    }
  })

  const charge = Effect.fnUntraced(function* (captured: ReadonlyArray<CapturedBatch>) {
    const added = yield* stored(captured)
    const fresh = captured.filter((one) => !isCaptured(one) || added.has(one.call.id))
    for (const [key, charged] of byPartition(fresh.filter(isCharged))) {
      const partition = Partition.fromKey(key)
      const batch = charged.filter(isCaptured)
      if (batch.length > 0) yield* holds.charge(partition, batch.map(chargeOf))
      const alone = charged.filter((one) => !isCaptured(one) && one.call.costMicros !== 0)
      for (const one of alone) yield* holds.chargeAlone(partition, chargeOf(one))
    }
    for (const [workspace, reserved] of byWorkspace(fresh.filter(isReserved))) {
      yield* uses.settle(workspace, reserved.flatMap(settledOf))
    }
    yield* offerReviews(fresh)
  })

  /** Frees what is held or reserved for the calls still. */
  const free = (records: ReadonlyArray<CallRecord>) =>
    Effect.forEach(
      records.filter(({ hold, reservation }) => hold !== undefined || reservation !== undefined),
      ({ id, partition }) => Effect.andThen(holds.drop(Partition.fromKey(partition), id), uses.drop(id)),
      { discard: true }
    )

  /** All or none. A batch with nothing to charge and no call of a deployment is one statement. */
  const append = (captured: ReadonlyArray<CapturedBatch>) =>
    Effect.andThen(
      captured.some((one) => isCharged(one) || isReserved(one) || isReviewed(one))
        ? storage.transaction(charge(captured))
        : stored(captured),
      free(captured.map(({ record }) => record))
    )

  return { append, free }
})
