/**
 * Where the ledger is: entries, what their accounts come to, and usage by day. The promises are tested by
 * LedgerStoreContract.
 */

import type { StorageError } from "@limbeck/core/errors/Errors"
import { Fact } from "@limbeck/core/errors/Fact"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Balances, Entry, EntryKind, Usage } from "./Entry.ts"

/** A kind of entry with this reference was posted before. */
export class AlreadyPosted extends Fact<AlreadyPosted>()("AlreadyPosted", {
  kinds: Schema.Array(Schema.String)
}) {}

export class LedgerStore extends Context.Service<
  LedgerStore,
  {
    /**
     * Inside a transaction: locks and returns the accounts. A concurrent locker waits and then sees the result of this
     * transaction. Returns zeros before the first entry.
     */
    readonly lock: (partition: Partition) => Effect.Effect<Balances, StorageError>
    /** The accounts after the last commit. */
    readonly balances: (partition: Partition) => Effect.Effect<Balances, StorageError>
    readonly find: (
      partition: Partition,
      kind: EntryKind,
      reference: string
    ) => Effect.Effect<Option.Option<Entry>, StorageError>
    /**
     * Under the lock: appends entries, moves their amounts and adds to the daily usage; all or nothing. Fails with
     * `AlreadyPosted` if a cause already has an entry, even inside a transaction that continues.
     */
    readonly append: (
      partition: Partition,
      entries: ReadonlyArray<Entry>,
      usage: ReadonlyArray<Usage>
    ) => Effect.Effect<void, AlreadyPosted | StorageError>
    /** Newest first. */
    readonly page: (partition: Partition, request: PageRequest) => Effect.Effect<Page<Entry>, StorageError>
    /** The last day first; `after`: the `usageKey` behind which the page begins. */
    readonly usage: (
      partition: Partition,
      request: Pick<PageRequest, "after" | "limit">
    ) => Effect.Effect<Page<Usage>, StorageError>
  }
>()("@limbeck/billing/ledger/LedgerStore") {}
