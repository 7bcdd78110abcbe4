/** The arithmetic of the ledger. Pure: amounts are whole micro-dollars, and every movement keeps the sum of all accounts at zero. */
import type { Millis } from "@limbeck/core/time/Timestamp"
import { toIso } from "@limbeck/core/time/Timestamp"
import type { Account, Balances, Entry, EntryId, EntryKind, Posting, Usage } from "./Entry.ts"

/** The source and target account of each kind. */
const flows: Readonly<Record<EntryKind, { readonly from: Account; readonly to: Account }>> = {
  top_up: { from: "funding", to: "available" },
  write_off: { from: "funding", to: "available" },
  hold: { from: "available", to: "held" },
  release: { from: "held", to: "available" },
  managed_calls: { from: "available", to: "spent" },
  training: { from: "available", to: "spent" },
  judging: { from: "available", to: "spent" }
}

export const entryOf = (id: EntryId, createdAt: Millis, { kind, micros, reference }: Posting): Entry => ({
  id,
  kind,
  ...flows[kind],
  micros,
  reference,
  createdAt
})

/** The accounts after these movements. */
export const after = (balances: Balances, postings: ReadonlyArray<Pick<Posting, "kind" | "micros">>): Balances => {
  const changed = { ...balances }
  for (const { kind, micros } of postings) {
    changed[flows[kind].from] -= micros
    changed[flows[kind].to] += micros
  }
  return changed
}

/** What an entry does to the balance: above zero, it grows. */
export const amountOf = ({ micros, to }: Pick<Entry, "micros" | "to">): number =>
  to === "available" ? micros : -micros

/** Of a batch, those that move anything. */
export const moving = (postings: ReadonlyArray<Posting>): ReadonlyArray<Posting> =>
  postings.filter(({ micros }) => micros > 0)

/** Whether the balance falls below the threshold on the way from `before` to `after`. */
export const crosses = (before: Balances, after: Balances, thresholdMicros: number | null): boolean =>
  thresholdMicros !== null && before.available >= thresholdMicros && after.available < thresholdMicros

/** The part of a cost that neither the released money nor the balance covers. Always 0 where balances do not bind. */
export const shortfall = (balances: Balances, costMicros: number, releasedMicros: number, enforced: boolean): number =>
  enforced ? Math.max(0, costMicros - releasedMicros - Math.max(0, balances.available)) : 0

/** The day of an instant, in UTC: `2026-11-22`. */
export const dateOf = (at: Millis): string => toIso(at).slice(0, 10)

/** The sort key of a usage row in the list, newest first. */
export const usageKey = ({ date, kind }: Pick<Usage, "date" | "kind">): string => `${date}/${kind}`
