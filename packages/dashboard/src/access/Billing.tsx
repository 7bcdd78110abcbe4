/** What was used, and what it cost. */

import { pagesOf } from "../app/Credentials.ts"
import { useAnswer, useList } from "../app/Queries.ts"
import { useSession } from "../app/Session.tsx"
import { Ask as AskFor, Input } from "../parts/Ask.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Figure } from "../parts/Facts.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Page, QueryContent, Section } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { count, usd } from "../parts/Words.ts"
import type { Usage } from "./Usage.ts"

interface Balance {
  readonly balance_usd: number
  readonly enforced: boolean
}

interface Entry {
  readonly id: string
  readonly amount_usd: number
  readonly kind: string
  readonly reference: string
  readonly created_at: string
}

const useBilling = () => {
  const { ask } = useSession()
  return {
    balance: useAnswer(["billing", "balance"], () => ask<Balance>("GET", "billing/balance")),
    usage: useList(["billing", "usage"], pagesOf<Usage>(ask, "billing/usage")),
    entries: useList(["billing", "ledger"], pagesOf<Entry>(ask, "billing/ledger"))
  }
}

/** For owners: no token may do it. */
const TopUp = () => {
  const { ask, role, whoami } = useSession()
  if (role !== "owner" || !whoami.livemode) return null
  const topUp = (form: FormData) =>
    ask("POST", "billing/top_ups", { amount_usd: Number(form.get("amount_usd")), reference: form.get("reference") })
  return (
    <AskFor button="Top up" tone="primary" title="Add to the balance" does="Add" act={topUp}>
      <Input label="US dollars" name="amount_usd" type="number" min="0.01" step="0.01" required />
      <Input
        label="Reference"
        name="reference"
        required
        maxLength={255}
        hint="Of the payment: the same one adds once"
      />
    </AskFor>
  )
}

const usageColumns: ReadonlyArray<Column<Usage>> = [
  { name: "Day (UTC)", width: "8rem", narrow: "5.5rem", of: ({ date }) => date },
  { name: "What", width: "minmax(8rem, 1fr)", of: ({ kind }) => kind.replaceAll("_", " ") },
  { name: "Quantity", width: "8rem", of: ({ quantity }) => count(quantity), isFigure: true, isMinor: true },
  { name: "Cost", width: "8rem", narrow: "5.5rem", of: ({ cost_usd }) => usd(cost_usd), isFigure: true }
]

const entryColumns: ReadonlyArray<Column<Entry>> = [
  { name: "What", width: "minmax(6rem, 1fr)", of: ({ kind }) => kind.replaceAll("_", " ") },
  { name: "For", width: "minmax(8rem, 2fr)", of: ({ reference }) => <code>{reference}</code>, isMinor: true },
  { name: "When", width: "13rem", of: ({ created_at }) => <Time at={created_at} />, isMinor: true },
  { name: "Amount", width: "8rem", narrow: "6rem", of: ({ amount_usd }) => usd(amount_usd), isFigure: true }
]

export default function Billing() {
  const { balance, entries, usage } = useBilling()
  return (
    <Page title="Usage and billing" actions={<TopUp />}>
      <QueryContent query={balance}>
        {({ balance_usd, enforced }) => (
          <div className="figures">
            <Figure
              name="Balance"
              value={usd(balance_usd)}
              note={enforced ? "live runs and managed calls need it" : "not enforced on this server"}
            />
          </div>
        )}
      </QueryContent>
      <Section title="Usage">
        <ItemTable label="Usage" list={usage} columns={usageColumns} empty={<Empty title="Nothing was used yet" />} />
      </Section>
      <Section title="Ledger">
        <ItemTable label="Ledger" list={entries} columns={entryColumns} empty={<Empty title="No entries yet" />} />
      </Section>
    </Page>
  )
}
