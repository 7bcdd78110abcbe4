/** How much to reserve for calls, and which entries a batch of stored calls posts. Pure. */

import { BillingLimits } from "../Limits.ts"
import type { Balances, ChargedUsage, Posting, Postings } from "../ledger/Entry.ts"
import { dateOf, shortfall } from "../ledger/LedgerRules.ts"
import { type CallCharge, type CallHold, remainderOf } from "./CallHold.ts"

/**
 * How much to reserve for `neededMicros` more, so that few calls ask storage; null if the balance is too low. Beyond the
 * need, at most a quarter of the balance: other servers and runs need a share too.
 */
export const takingOf = (neededMicros: number, { available }: Pick<Balances, "available">): number | null => {
  if (neededMicros > available) return null
  const ahead = Math.min(BillingLimits.holdQuantumMicros, Math.floor(available / 4))
  return Math.max(neededMicros, ahead)
}

/** The reference of a ledger entry for one day's calls: the day and its first call. */
export const referenceOf = ({ call, createdAt }: CallCharge): string => `${dateOf(createdAt)}/${call}`

const sumOf = (charges: ReadonlyArray<CallCharge>): number => charges.reduce((sum, { micros }) => sum + micros, 0)

/** Groups calls by `keyOf`, in the order of the first call of each group. */
const groupsOf = (charges: ReadonlyArray<CallCharge>, keyOf: (charge: CallCharge) => string) => {
  const groups = new Map<string, [CallCharge, ...Array<CallCharge>]>()
  for (const charge of charges) {
    const group = groups.get(keyOf(charge))
    if (group === undefined) groups.set(keyOf(charge), [charge])
    else group.push(charge)
  }
  return [...groups]
}

export interface Charge {
  readonly postings: Postings
  /** Each hold after the charge, with the amount it pays. */
  readonly holds: ReadonlyArray<{ readonly hold: CallHold; readonly paidMicros: number }>
}

/**
 * The entries for calls stored together: one charge per day, paid from the holds, then from the balance. The first call
 * names the batch and is stored once, so no batch posts twice.
 */
export const chargeFor = (
  charges: ReadonlyArray<CallCharge>,
  open: ReadonlyMap<string, CallHold>,
  balances: Balances,
  enforced: boolean
): Charge => {
  const holds = groupsOf(charges, ({ hold }) => hold ?? "").flatMap(([id, group]) => {
    const hold = open.get(id)
    if (hold === undefined) return []
    const paidMicros = Math.min(remainderOf(hold), sumOf(group))
    const reference = `${id}/${group[0].call}`
    return [{ hold: { ...hold, chargedMicros: hold.chargedMicros + paidMicros }, paidMicros, reference }]
  })
  const releases = holds.map(
    ({ paidMicros, reference }): Posting => ({ kind: "release", micros: paidMicros, reference })
  )
  const days = groupsOf(charges, ({ createdAt }) => dateOf(createdAt)).map(([date, group]) => ({
    usage: { date, kind: "managed_calls", quantity: group.length, micros: sumOf(group) } satisfies ChargedUsage,
    reference: referenceOf(group[0])
  }))
  const released = holds.reduce((sum, { paidMicros }) => sum + paidMicros, 0)
  const missing = shortfall(balances, sumOf(charges), released, enforced)
  const writeOff: Posting = { kind: "write_off", micros: missing, reference: days[0]?.reference ?? "" }
  const costs = days.map(({ reference, usage }): Posting => ({ kind: usage.kind, micros: usage.micros, reference }))
  return {
    postings: { postings: [...releases, writeOff, ...costs], usage: days.map(({ usage }) => usage) },
    holds: holds.map(({ hold, paidMicros }) => ({ hold, paidMicros }))
  }
}
