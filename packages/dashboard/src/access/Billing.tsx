/** What was used, and what it cost. */
import { useAnswer, useList } from "../app/Queries.ts"
import { apiBase, useSession } from "../app/Session.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Figure } from "../parts/Facts.tsx"
import { Failure } from "../parts/Failure.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Page, Section } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { count, usd } from "../parts/Words.ts"

interface Balance {
  readonly balance_usd: number
  readonly enforced: boolean
}

interface Usage {
  readonly date: string
  readonly kind: string
  readonly quantity: number
  readonly cost_usd: number
}

interface Entry {
  readonly id: string
  readonly amount_usd: number
  readonly kind: string
  readonly reference: string
  readonly created_at: string
}

interface Paged<A> {
  readonly data: ReadonlyArray<A>
  readonly has_more: boolean
  readonly next_cursor: string | null
}

/** Billing is not in the OpenAPI document, of which the client is made. */
const useBilling = () => {
  const { token } = useSession()
  const ask = async <A,>(path: string): Promise<A> => {
    const answer = await fetch(`${apiBase()}/v1/billing/${path}`, { headers: { authorization: `Bearer ${token}` } })
    if (!answer.ok) throw new Error(((await answer.json()) as { error: { message: string } }).error.message)
    return (await answer.json()) as A
  }
  const list =
    <A,>(name: string) =>
    ({ cursor }: { cursor?: string }) => ({
      page: () =>
        ask<Paged<A>>(`${name}?limit=100${cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`}`)
    })
  return {
    balance: useAnswer(["billing", "balance"], () => ask<Balance>("balance")),
    usage: useList(["billing", "usage"], list<Usage>("usage")),
    entries: useList(["billing", "ledger"], list<Entry>("ledger"))
  }
}

const usageColumns: ReadonlyArray<Column<Usage>> = [
  { name: "Day (UTC)", width: "8rem", of: ({ date }) => date },
  { name: "What", width: "minmax(8rem, 1fr)", of: ({ kind }) => kind.replaceAll("_", " ") },
  { name: "Quantity", width: "8rem", of: ({ quantity }) => count(quantity), isFigure: true },
  { name: "Cost", width: "8rem", of: ({ cost_usd }) => usd(cost_usd), isFigure: true }
]

const entryColumns: ReadonlyArray<Column<Entry>> = [
  { name: "What", width: "minmax(6rem, 1fr)", of: ({ kind }) => kind.replaceAll("_", " ") },
  { name: "For", width: "minmax(8rem, 2fr)", of: ({ reference }) => <code>{reference}</code>, isMinor: true },
  { name: "When", width: "13rem", of: ({ created_at }) => <Time at={created_at} />, isMinor: true },
  { name: "Amount", width: "8rem", of: ({ amount_usd }) => usd(amount_usd), isFigure: true }
]

export default function Billing() {
  const { balance, entries, usage } = useBilling()
  return (
    <Page title="Usage and billing">
      <Failure error={balance.error} />
      {balance.data !== undefined && (
        <div className="figures">
          <Figure
            name="Balance"
            value={usd(balance.data.balance_usd)}
            note={balance.data.enforced ? "live runs and managed calls need it" : "not enforced on this server"}
          />
        </div>
      )}
      <Section title="Usage">
        <ItemTable label="Usage" list={usage} columns={usageColumns} empty={<Empty title="Nothing was used yet" />} />
      </Section>
      <Section title="Ledger">
        <ItemTable label="Ledger" list={entries} columns={entryColumns} empty={<Empty title="No entries yet" />} />
      </Section>
    </Page>
  )
}
