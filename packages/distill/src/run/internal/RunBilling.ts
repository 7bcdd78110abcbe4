/**
 * A live run's hold and charges. The transaction that creates or retries it holds its budget; the transaction of any end
 * charges its cost since then, and releases the rest. So between transactions an active run has its hold, and an ended one
 * has none.
 */
import { BillingSettings } from "@limbeck/billing/BillingSettings"
import { QuotaExceeded } from "@limbeck/billing/Errors"
import type { ChargedUsage, Posting, Postings } from "@limbeck/billing/ledger/Entry"
import { Ledger } from "@limbeck/billing/ledger/Ledger"
import { dateOf, shortfall } from "@limbeck/billing/ledger/LedgerRules"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { costOf } from "../Budget.ts"
import type * as Run from "../Run.ts"
import { isTerminal } from "../RunMachine.ts"

/** A run by itself is the cause of its first start; each retry is one of its own. */
const referenceOf = ({ id }: Run.Run, start: number): string => (start === 1 ? id : `${id}/${start}`)

/** The run's usage since its last start, by kind. */
const usedSince = (run: Run.Run, { before }: Run.Billing, now: Millis): ReadonlyArray<ChargedUsage> => {
  const date = dateOf(now)
  // The calls of managed candidates are charged one by one, and those of other sources by their providers.
  const candidates = (run.totals.candidateMicros ?? 0) - (before.candidateMicros ?? 0)
  const cost = Math.max(0, run.totals.costMicros - before.costMicros - candidates)
  const tokens = run.totals.judgeTokens - before.judgeTokens
  const judging = Math.min(cost, costOf(run.prices, { gpuSeconds: 0, judgeTokens: tokens }))
  const seconds = run.totals.gpuSeconds - before.gpuSeconds
  const rows: ReadonlyArray<ChargedUsage> = [
    { date, kind: "training", quantity: seconds, micros: cost - judging },
    { date, kind: "judging", quantity: tokens, micros: judging }
  ]
  return rows.filter(({ micros, quantity }) => micros > 0 || quantity > 0)
}

export const make = Effect.gen(function* () {
  const ledger = yield* Ledger
  const settings = yield* BillingSettings

  /** The run before its start or retry, with its future hold: zero where balances do not bind. */
  const started = (partition: Partition, run: Run.Run): Run.Run => {
    if (run.dryRun || !partition.livemode) return run
    const { budgetMicros, totals } = run
    const start = (run.billing?.start ?? 0) + 1
    const heldMicros = settings.enforced ? budgetMicros - totals.costMicros : 0
    return { ...run, billing: { start, heldMicros, before: totals } }
  }

  /** Runs inside the transaction of the start or retry, after its write: of two retries only one gets here. */
  const hold = Effect.fnUntraced(function* (partition: Partition, run: Run.Run) {
    const { heldMicros, start } = run.billing ?? { heldMicros: 0, start: 1 }
    if (heldMicros === 0) return
    const held: Posting = { kind: "hold", micros: heldMicros, reference: referenceOf(run, start) }
    yield* ledger.post(partition, ({ available }) =>
      available < heldMicros
        ? Effect.fail(new QuotaExceeded({ purpose: "run", availableMicros: available, neededMicros: heldMicros }))
        : Effect.succeed<Postings>({ postings: [held] })
    )
  })

  /** Inside the transaction that writes `after` over `before`: settles a run that ends there. */
  const settle = Effect.fnUntraced(function* (partition: Partition, before: Run.Run, after: Run.Run) {
    const { billing } = after
    if (billing === undefined || isTerminal(before.status) || !isTerminal(after.status)) return
    const { enforced } = settings
    const usage = usedSince(after, billing, yield* Clock.currentTimeMillis)
    const cost = usage.reduce((sum, { micros }) => sum + micros, 0)
    const reference = referenceOf(after, billing.start)
    const charges = usage.map(({ kind, micros }): Posting => ({ kind, micros, reference }))
    yield* ledger.post(partition, (balances) =>
      Effect.succeed<Postings>({
        postings: [
          { kind: "release", micros: billing.heldMicros, reference },
          { kind: "write_off", micros: shortfall(balances, cost, billing.heldMicros, enforced), reference },
          ...charges
        ],
        usage
      })
    )
  })

  return { started, hold, settle } as const
})
