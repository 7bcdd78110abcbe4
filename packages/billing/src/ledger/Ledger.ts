/**
 * The ledger of a workspace: payments, holds and spending. A poster locks the accounts until the end of the transaction, so
 * that no balance is spent twice. Test mode has no ledger: its accounts stay empty.
 */
import { type InvalidInput, invalid, type StorageError } from "@limbeck/core/errors/Errors"
import { Events } from "@limbeck/core/events/Events"
import { Ids } from "@limbeck/core/ids/Ids"
import * as Money from "@limbeck/core/money/Money"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { BillingSettings } from "../BillingSettings.ts"
import { TopUpReused } from "../Errors.ts"
import { BillingLimits } from "../Limits.ts"
import type { Balances, Entry, EntryKind, Postings, Usage } from "./Entry.ts"
import * as LedgerResource from "./LedgerResource.ts"
import * as Rules from "./LedgerRules.ts"
import { LedgerStore } from "./LedgerStore.ts"

export interface TopUp {
  /** US dollars, with at most 6 decimals, above 0. */
  readonly amountUsd: number
  /** The host's own name of the payment. The same one again changes nothing. */
  readonly reference: string
}

export class Ledger extends Context.Service<
  Ledger,
  {
    readonly balances: (partition: Partition) => Effect.Effect<Balances, StorageError>
    /** Newest first. */
    readonly page: (partition: Partition, request: PageRequest) => Effect.Effect<Page<Entry>, StorageError>
    /** The last day first. */
    readonly usage: (
      partition: Partition,
      request: Pick<PageRequest, "after" | "limit">
    ) => Effect.Effect<Page<Usage>, StorageError>
    /** Returns the entry, be it new or of an earlier call. */
    readonly topUp: (
      partition: Partition,
      topUp: TopUp
    ) => Effect.Effect<Entry, InvalidInput | TopUpReused | StorageError>
    /** Whether the cause has an entry. */
    readonly isPosted: (
      partition: Partition,
      kind: EntryKind,
      reference: string
    ) => Effect.Effect<boolean, StorageError>
    /**
     * Posts what `decide` makes of the accounts, and `billing.balance_low` where the balance falls below the threshold; joins
     * a surrounding transaction. Postings of nothing are left out. A cause that has an entry already is a defect.
     */
    readonly post: <E, R>(
      partition: Partition,
      decide: (balances: Balances) => Effect.Effect<Postings, E, R>
    ) => Effect.Effect<ReadonlyArray<Entry>, E | StorageError, R>
  }
>()("@limbeck/billing/ledger/Ledger") {}

const makePost = Effect.gen(function* () {
  const storage = yield* Storage
  const store = yield* LedgerStore
  const events = yield* Events
  const ids = yield* Ids
  const settings = yield* BillingSettings

  const tellLow = Effect.fnUntraced(function* (partition: Partition, before: Balances, after: Balances) {
    if (!Rules.crosses(before, after, settings.balanceLowMicros)) return
    const object = LedgerResource.renderLow(partition, after, settings)
    yield* events.publish(partition, [{ type: "billing.balance_low", object }])
  })

  const append = Effect.fnUntraced(function* (partition: Partition, before: Balances, { postings, usage }: Postings) {
    const now = yield* Clock.currentTimeMillis
    const moving = Rules.moving(postings)
    const entries = yield* Effect.forEach(moving, (posting) =>
      Effect.map(ids.make("led"), (id) => Rules.entryOf(id, now, posting))
    )
    if (entries.length === 0 && (usage ?? []).length === 0) return entries
    yield* Effect.catchTag(store.append(partition, entries, usage ?? []), "AlreadyPosted", Effect.die)
    yield* tellLow(partition, before, Rules.after(before, moving))
    return entries
  })

  const post: Ledger["Service"]["post"] = (partition, decide) =>
    storage.transaction(
      Effect.gen(function* () {
        const before = yield* store.lock(partition)
        return yield* append(partition, before, yield* decide(before))
      })
    )
  return post
})

/** The amount in micro-dollars, or what is wrong with the request. */
const microsOf = ({ amountUsd, reference }: TopUp): Effect.Effect<number, InvalidInput> => {
  const { referenceMax, topUpMicrosMax } = BillingLimits
  const micros = Money.fromUsd(amountUsd)
  if (micros === undefined || micros <= 0 || micros > topUpMicrosMax) {
    const most = Money.toUsd(topUpMicrosMax)
    return Effect.fail(
      invalid("amount_usd", `The amount is above 0 and at most ${most} US dollars, with at most 6 decimals`)
    )
  }
  return reference.trim() === "" || reference.length > referenceMax
    ? Effect.fail(invalid("reference", `The reference names the payment, in 1 to ${referenceMax} characters`))
    : Effect.succeed(micros)
}

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const store = yield* LedgerStore
  const post = yield* makePost

  /** Locks the accounts before the look-up, so that the second of two concurrent top-ups finds the first one's entry. */
  const topUpOnce = Effect.fnUntraced(function* (partition: Partition, micros: number, reference: string) {
    yield* store.lock(partition)
    const known = yield* store.find(partition, "top_up", reference)
    if (Option.isNone(known)) {
      const [entry] = yield* post(partition, () =>
        Effect.succeed({ postings: [{ kind: "top_up", micros, reference }] })
      )
      return entry! // Posted, because the amount is above 0.
    }
    if (known.value.micros === micros) return known.value
    return yield* new TopUpReused({ reference, postedMicros: known.value.micros })
  })

  return Ledger.of({
    balances: store.balances,
    page: store.page,
    usage: store.usage,
    isPosted: (partition, kind, reference) => Effect.map(store.find(partition, kind, reference), Option.isSome),
    post,
    topUp: Effect.fn("Ledger.topUp")(function* (partition: Partition, topUp: TopUp) {
      if (!partition.livemode) return yield* invalid(null, "Test mode is never charged: there is nothing to top up")
      const micros = yield* microsOf(topUp)
      return yield* storage.transaction(topUpOnce(partition, micros, topUp.reference))
    })
  })
})

export const layer: Layer.Layer<Ledger, never, Storage | LedgerStore | Events | Ids> = Layer.effect(Ledger, make)
