/**
 * Admits calls to managed sources and charges them. Where balances bind, a server reserves a part of the balance and admits
 * calls against the reserve, so only an exhausted reserve costs a storage access. The transaction that stores a call also
 * charges its cost.
 */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Ids } from "@limbeck/core/ids/Ids"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Queue } from "@limbeck/core/queue/Queue"
import type { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Patience from "@limbeck/core/storage/Patience"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BillingSettings } from "../BillingSettings.ts"
import { QuotaExceeded } from "../Errors.ts"
import { BillingLimits } from "../Limits.ts"
import type { Ledger } from "../ledger/Ledger.ts"
import type { CallCharge, CallShare } from "./CallHold.ts"
import * as HoldChanges from "./internal/HoldChanges.ts"
import { Lane } from "./internal/Lane.ts"

export class CallHolds extends Context.Service<
  CallHolds,
  {
    /** Whether calls of the partition need a balance: in live mode, where balances bind. */
    readonly binds: (partition: Partition) => boolean
    /** Admits a call with an estimated maximum cost in micro-dollars. */
    readonly admit: (
      partition: Partition,
      call: string,
      micros: number
    ) => Effect.Effect<void, QuotaExceeded | StorageError>
    /** Ends the call before its record goes to storage. Returns the money held for the call; null without a hold. */
    readonly end: (partition: Partition, call: string) => Effect.Effect<CallShare | null>
    /** The call is stored, or leaves no record. */
    readonly drop: (partition: Partition, call: string) => Effect.Effect<void>
    /** Inside the transaction that stores these calls for the first time; `drop` follows its commit. */
    readonly charge: (partition: Partition, charges: ReadonlyArray<CallCharge>) => Effect.Effect<void, StorageError>
    /** Charges one call that leaves no captured call, in a ledger entry of its own. Does nothing if that entry exists. */
    readonly chargeAlone: (partition: Partition, charge: CallCharge) => Effect.Effect<void, StorageError>
  }
>()("@limbeck/billing/calls/CallHolds") {}

const makeAdmit = Effect.gen(function* () {
  const changes = yield* HoldChanges.make

  /** Uninterruptible: the lane records what storage reserved even if the client has left. */
  const take = Effect.fnUntraced(function* (lane: Lane, neededMicros: number, now: number) {
    const refused = lane.refused
    if (refused !== null && refused.until > now && neededMicros > refused.availableMicros) {
      const { availableMicros } = refused
      return yield* new QuotaExceeded({ purpose: "call", availableMicros, neededMicros })
    }
    const { hold, micros } = yield* Effect.tapError(
      changes.take(lane.partition, lane.hold, neededMicros),
      // Remembers only refusals by storage: a repeated refusal must not prolong the first.
      (error) =>
        Effect.sync(() => {
          if (error._tag !== "QuotaExceeded") return
          lane.refused = { availableMicros: error.availableMicros, until: now + BillingLimits.refusalMillis }
        })
    )
    lane.took(hold, micros)
  }, Effect.uninterruptible)

  /** A waiting caller finds the reserve that its predecessor made. */
  const takeMissing = (lane: Lane, micros: number, now: number) =>
    lane.turn.withPermit(
      Effect.suspend(() => {
        const missing = lane.shortfall(micros)
        return missing === 0 && lane.hold !== null ? Effect.void : take(lane, missing, now)
      })
    )

  const enter = Effect.fnUntraced(function* (lane: Lane, call: string, micros: number) {
    const now = yield* Clock.currentTimeMillis
    // What was taken may be used up by another call before this one has its turn again.
    while (lane.hold === null || lane.shortfall(micros) > 0) yield* takeMissing(lane, micros, now)
    lane.reserve(call, micros, lane.hold, now)
  })

  return (lane: Lane, call: string, micros: number) =>
    Effect.suspend(() => {
      lane.entering++
      return Effect.ensuring(
        enter(lane, call, micros),
        Effect.sync(() => lane.entering--)
      )
    })
})

/** Renews the holds of active lanes and closes idle ones. */
const makeBeat = Effect.gen(function* () {
  const changes = yield* HoldChanges.make

  /** Losing the hold first stops new admissions, so nobody uses the hold while it closes. */
  const close = (lane: Lane) =>
    Effect.suspend(() => {
      const { hold } = lane
      lane.lose()
      return hold === null ? Effect.void : Effect.asVoid(changes.close(lane.partition, hold))
    })

  const renew = Effect.fnUntraced(function* (lane: Lane, hold: string, now: number) {
    if (!(yield* changes.renew(lane.partition, hold))) lane.lose()
    lane.forget(now - BillingLimits.callLostMillis)
  })

  const beat = Effect.fnUntraced(function* (lane: Lane) {
    const now = yield* Clock.currentTimeMillis
    if (lane.hold === null) return
    const isUnused = lane.isIdle && lane.usedAt < now - BillingLimits.holdIdleMillis
    yield* isUnused ? close(lane) : renew(lane, lane.hold, now)
  })

  return {
    /** A hold with calls not yet stored is left to expire: their records may wait in a journal. */
    end: (lane: Lane) =>
      lane.isIdle
        ? close(lane).pipe(Patience.ofRequest, Effect.timeoutOption(BillingLimits.closeMillis), Effect.ignore)
        : Effect.void,
    beat: (lane: Lane) =>
      Effect.catchTag(lane.turn.withPermit(beat(lane)), "StorageError", (error) =>
        Effect.logWarning("call_hold_not_renewed", error)
      )
  }
})

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const changes = yield* HoldChanges.make
  const admitTo = yield* makeAdmit
  const { beat, end } = yield* makeBeat
  const { enforced } = yield* BillingSettings
  const lanes = new Map<string, Lane>()
  const all = { concurrency: 4, discard: true } as const

  const laneOf = (partition: Partition): Lane => {
    const known = lanes.get(partition.key)
    if (known !== undefined) return known
    const lane = new Lane(partition)
    lanes.set(partition.key, lane)
    return lane
  }

  const beatAll = Effect.suspend(() => Effect.forEach([...lanes.values()], beat, all)).pipe(
    Effect.andThen(
      Effect.sync(() => {
        for (const [key, { hold, isIdle }] of lanes) if (hold === null && isIdle) lanes.delete(key)
      })
    )
  )
  // Registered before the loop is forked, so that the finalizer runs after the loop's end.
  yield* Effect.addFinalizer(() => Effect.forEach([...lanes.values()], end, all))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(BillingLimits.holdBeatMillis), beatAll)))

  const charge = Effect.fnUntraced(function* (partition: Partition, charges: ReadonlyArray<CallCharge>) {
    const paid = yield* changes.charge(partition, charges)
    const lane = lanes.get(partition.key)
    if (lane === undefined) return
    yield* storage.afterCommit(
      Effect.sync(() => {
        for (const { hold, paidMicros } of paid) lane.spend(hold.id, paidMicros)
      })
    )
  })

  return CallHolds.of({
    binds: ({ livemode }) => enforced && livemode,
    admit: (partition, call, micros) => Effect.suspend(() => admitTo(laneOf(partition), call, micros)),
    end: (partition, call) =>
      Effect.clockWith((clock) =>
        Effect.succeed(lanes.get(partition.key)?.end(call, clock.currentTimeMillisUnsafe()) ?? null)
      ),
    drop: (partition, call) => Effect.sync(() => lanes.get(partition.key)?.drop(call)),
    charge,
    chargeAlone: (partition, alone) =>
      storage.transaction(
        Effect.flatMap(changes.isCharged(partition, alone), (isCharged) =>
          isCharged ? Effect.void : charge(partition, [alone])
        )
      )
  })
})

export const layer: Layer.Layer<CallHolds, never, Storage | Ledger | ResourceStore | Queue | Ids> = Layer.effect(
  CallHolds,
  make
)

/** For a host without a ledger: admits every call and charges nobody. */
export const none = Layer.succeed(CallHolds, {
  binds: () => false,
  admit: () => Effect.void,
  end: () => Effect.succeed(null),
  drop: () => Effect.void,
  charge: () => Effect.void,
  chargeAlone: () => Effect.void
})
