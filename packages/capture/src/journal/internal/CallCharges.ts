/**
 * Stores captured calls and charges them in one transaction, so that each is charged once. A call that is charged but not
 * captured is charged once because its ledger entry has a unique reference.
 */
import type { CallCharge } from "@limbeck/billing/calls/CallHold"
import { CallHolds } from "@limbeck/billing/calls/CallHolds"
import * as Partition from "@limbeck/core/partition/Partition"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Effect from "effect/Effect"
import type { CallRecord } from "../../call/CallRecord.ts"
import { CallStore, type Owned } from "../../call/CallStore.ts"
import type { CapturedCall } from "../../call/CapturedCall.ts"

/** A call with its record. */
export interface Captured {
  readonly record: CallRecord
  readonly call: CapturedCall
}

const ownedOf = ({ call, record }: Captured): Owned<CapturedCall> => ({
  partition: Partition.fromKey(record.partition),
  value: call
})

const isCharged = ({ call }: Captured): boolean => call.billed && call.costMicros !== null

const isCaptured = ({ record }: Captured): boolean => record.isCaptured !== false

const none: ReadonlySet<string> = new Set()

const chargeOf = ({ call, record }: Captured): CallCharge => ({
  call: call.id,
  createdAt: call.createdAt,
  micros: call.costMicros ?? 0,
  hold: record.hold ?? null
})

/** By partition, in one order for all servers, so that two which charge the same ones never wait for each other in a circle. */
const byPartition = (captured: ReadonlyArray<Captured>) =>
  [...Map.groupBy(captured, ({ record }) => record.partition)].toSorted(([a], [b]) => (a < b ? -1 : 1))

export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const store = yield* CallStore
  const holds = yield* CallHolds

  const stored = (captured: ReadonlyArray<Captured>) => {
    const kept = captured.filter(isCaptured)
    return kept.length === 0 ? Effect.succeed(none) : store.append(kept.map(ownedOf))
  }

  const charge = Effect.fnUntraced(function* (captured: ReadonlyArray<Captured>) {
    const added = yield* stored(captured)
    const fresh = captured.filter((one) => isCharged(one) && (!isCaptured(one) || added.has(one.call.id)))
    for (const [key, charged] of byPartition(fresh)) {
      const partition = Partition.fromKey(key)
      const batch = charged.filter(isCaptured)
      if (batch.length > 0) yield* holds.charge(partition, batch.map(chargeOf))
      const alone = charged.filter((one) => !isCaptured(one) && one.call.costMicros !== 0)
      for (const one of alone) yield* holds.chargeAlone(partition, chargeOf(one))
    }
  })

  /** Frees the money reserved for the calls. */
  const free = (records: ReadonlyArray<CallRecord>) =>
    Effect.forEach(
      records.filter(({ hold }) => hold !== undefined),
      ({ id, partition }) => holds.drop(Partition.fromKey(partition), id),
      { discard: true }
    )

  /** All or none. Most batches have nothing to charge, and are one statement. */
  const append = (captured: ReadonlyArray<Captured>) =>
    Effect.andThen(
      captured.some(isCharged) ? storage.transaction(charge(captured)) : stored(captured),
      free(captured.map(({ record }) => record))
    )

  return { append, free }
})
