/** Stores captured calls, and charges those that are to be paid for, in one transaction: so each is charged once. */
import type { CallCharge } from "@limbeck/billing/calls/CallHold"
import { CallHolds } from "@limbeck/billing/calls/CallHolds"
import * as Partition from "@limbeck/core/partition/Partition"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Effect from "effect/Effect"
import type { CallRecord } from "../../call/CallRecord.ts"
import { CallStore, type Owned } from "../../call/CallStore.ts"
import type { CapturedCall } from "../../call/CapturedCall.ts"

/** A call and the record that it was made of. */
export interface Captured {
  readonly record: CallRecord
  readonly call: CapturedCall
}

const ownedOf = ({ call, record }: Captured): Owned<CapturedCall> => ({
  partition: Partition.fromKey(record.partition),
  value: call
})

const isCharged = ({ call }: Captured): boolean => call.billed && call.costMicros !== null

const chargeOf = ({ call, record }: Captured): CallCharge => ({
  call: call.id,
  createdAt: call.createdAt,
  micros: call.costMicros ?? 0,
  hold: record.hold ?? null
})

/** By partition, in one order for all servers, so that two which charge the same ones never wait for each other in a circle. */
const byPartition = (captured: ReadonlyArray<Captured>) => {
  const groups = new Map<string, Array<CallCharge>>()
  for (const one of captured) {
    const group = groups.get(one.record.partition) ?? []
    group.push(chargeOf(one))
    groups.set(one.record.partition, group)
  }
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

export const make = Effect.gen(function* () {
  const storage = yield* Storage
  const store = yield* CallStore
  const holds = yield* CallHolds

  const charge = Effect.fnUntraced(function* (captured: ReadonlyArray<Captured>) {
    const added = yield* store.append(captured.map(ownedOf))
    const fresh = captured.filter((one) => added.has(one.call.id) && isCharged(one))
    for (const [key, charges] of byPartition(fresh)) yield* holds.charge(Partition.fromKey(key), charges)
  })

  /** What was put aside for them is free again. */
  const free = (records: ReadonlyArray<CallRecord>) =>
    Effect.forEach(
      records.filter(({ hold }) => hold !== undefined),
      ({ id, partition }) => holds.drop(Partition.fromKey(partition), id),
      { discard: true }
    )

  /** All or none. Most batches have nothing to charge, and are one statement. */
  const append = (captured: ReadonlyArray<Captured>) =>
    Effect.andThen(
      captured.some(isCharged) ? storage.transaction(charge(captured)) : store.append(captured.map(ownedOf)),
      free(captured.map(({ record }) => record))
    )

  return { append, free }
})
