/** Writes holds for calls: the resource, its entries and its expiry, in one transaction. */
import { Ids } from "@limbeck/core/ids/Ids"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Queue, type Work } from "@limbeck/core/queue/Queue"
import type { StoredResource } from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { BillingSettings } from "../../BillingSettings.ts"
import { QuotaExceeded } from "../../Errors.ts"
import { BillingLimits } from "../../Limits.ts"
import type { Postings } from "../../ledger/Entry.ts"
import { Ledger } from "../../ledger/Ledger.ts"
import * as CallHold from "../CallHold.ts"
import * as CallRules from "../CallRules.ts"

const nothing: Postings = { postings: [] }

/** Holds as resources. Every reader or writer locks the accounts first, so no two write one hold. */
const makeStored = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const queue = yield* Queue
  const ids = yield* Ids

  const expiry = Effect.map(Clock.currentTimeMillis, (now) => now + BillingLimits.holdMillis)

  const find = (partition: Partition, id: string | null) =>
    id === null
      ? Effect.succeed(Option.none<StoredResource<CallHold.CallHold>>())
      : resources.find(partition, CallHold.kind, id)

  const write = (partition: Partition, stored: StoredResource<CallHold.CallHold>) =>
    Effect.catchTag(resources.compareAndSet(partition, CallHold.kind, stored), "RevisionConflict", Effect.die)

  const begin = Effect.fnUntraced(function* (partition: Partition, micros: number) {
    const hold: CallHold.CallHold = {
      id: yield* ids.make("hold"),
      heldMicros: micros,
      takings: 1,
      chargedMicros: 0,
      expiresAt: yield* expiry,
      createdAt: yield* Clock.currentTimeMillis
    }
    yield* resources.add(partition, CallHold.kind, hold)
    yield* queue.offer(partition, CallHold.topic, hold.id, hold.expiresAt)
    return hold
  })

  return { expiry, find, write, begin } as const
})

const makeUse = Effect.gen(function* () {
  const ledger = yield* Ledger
  const { begin, find, write } = yield* makeStored
  const { enforced } = yield* BillingSettings

  /** Reserves `neededMicros` or more of the balance; creates a new hold if the old one is gone. */
  const take = Effect.fnUntraced(function* (partition: Partition, id: string | null, neededMicros: number) {
    let taken = { hold: "", micros: 0 }
    yield* ledger.post(
      partition,
      Effect.fnUntraced(function* (balances) {
        const micros = CallRules.takingOf(neededMicros, balances)
        if (micros === null) {
          return yield* new QuotaExceeded({ purpose: "call", availableMicros: balances.available, neededMicros })
        }
        const found = Option.getOrUndefined(yield* find(partition, id))
        const before = found?.value
        const hold =
          before === undefined
            ? yield* begin(partition, micros)
            : { ...before, heldMicros: before.heldMicros + micros, takings: before.takings + 1 }
        if (found !== undefined) yield* write(partition, { ...found, value: hold })
        taken = { hold: hold.id, micros }
        return { postings: [{ kind: "hold", micros, reference: `${hold.id}/${hold.takings}` }] }
      })
    )
    return taken
  })

  /** Charges calls in the transaction that stores them. Returns the amount that each hold paid. */
  const charge = Effect.fnUntraced(function* (partition: Partition, charges: ReadonlyArray<CallHold.CallCharge>) {
    let paid: CallRules.Charge["holds"] = []
    yield* ledger.post(
      partition,
      Effect.fnUntraced(function* (balances) {
        const named = new Set(charges.flatMap(({ hold }) => (hold === null ? [] : [hold])))
        const found = yield* Effect.forEach([...named], (id) => find(partition, id))
        const stored = new Map(found.flatMap(Option.toArray).map((one) => [one.value.id as string, one]))
        const open = new Map([...stored].map(([id, { value }]) => [id, value]))
        const { holds, postings } = CallRules.chargeFor(charges, open, balances, enforced)
        paid = holds
        for (const { hold } of holds) yield* write(partition, { ...stored.get(hold.id)!, value: hold })
        return postings
      })
    )
    return paid
  })

  /** Whoever asks holds the accounts from then on, so that the answer holds until its transaction ends. */
  const isCharged = Effect.fnUntraced(function* (partition: Partition, charge: CallHold.CallCharge) {
    yield* ledger.post(partition, () => Effect.succeed(nothing))
    return yield* ledger.isPosted(partition, "managed_calls", CallRules.referenceOf(charge))
  })

  return { take, charge, isCharged } as const
})

const releaseOf = (hold: CallHold.CallHold): Postings => ({
  postings: [{ kind: "release", micros: CallHold.remainderOf(hold), reference: hold.id }]
})

const makeEnd = Effect.gen(function* () {
  const ledger = yield* Ledger
  const resources = yield* ResourceStore
  const queue = yield* Queue
  const { expiry, find, write } = yield* makeStored

  /** Returns whether it was still there. */
  const renew = Effect.fnUntraced(function* (partition: Partition, id: string) {
    let isThere = false
    yield* ledger.post(
      partition,
      Effect.fnUntraced(function* () {
        const found = Option.getOrUndefined(yield* find(partition, id))
        isThere = found !== undefined
        if (found !== undefined)
          yield* write(partition, { ...found, value: { ...found.value, expiresAt: yield* expiry } })
        return nothing
      })
    )
    return isThere
  })

  /** Releases the rest of the hold, if the hold exists. */
  const close = (partition: Partition, id: string) =>
    ledger.post(
      partition,
      Effect.fnUntraced(function* () {
        const found = Option.getOrUndefined(yield* find(partition, id))
        if (found === undefined) return nothing
        yield* resources.remove(partition, CallHold.kind, id)
        yield* queue.withdraw(partition, CallHold.topic, id)
        return releaseOf(found.value)
      })
    )

  /** Releases a hold that no server has renewed. */
  const expire = (work: Work) =>
    ledger.post(
      work.partition,
      Effect.fnUntraced(function* () {
        const found = Option.getOrUndefined(yield* find(work.partition, work.subject))
        const now = yield* Clock.currentTimeMillis
        if (found !== undefined && found.value.expiresAt > now) {
          yield* queue.release(work, found.value.expiresAt)
          return nothing
        }
        yield* queue.settle(work)
        if (found === undefined) return nothing
        yield* resources.remove(work.partition, CallHold.kind, work.subject)
        return releaseOf(found.value)
      })
    )

  return { renew, close, expire } as const
})

export const make = Effect.all([makeUse, makeEnd]).pipe(Effect.map(([use, end]) => ({ ...use, ...end })))
