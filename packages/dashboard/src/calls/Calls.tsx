/** Captured calls: searched, read, and made into a dataset. */
import type { CapturedCall } from "@limbeck/client"
import { type FormEvent, useMemo } from "react"
import { useLocation, useSearchParams } from "wouter"
import { useList } from "../app/Queries.ts"
import { useReader } from "../large/Reader.ts"
import { Input, Select } from "../parts/Ask.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Empty } from "../parts/Empty.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Page } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { usd, wholeMillis } from "../parts/Words.ts"
import { DatasetOfCalls } from "./DatasetOfCalls.tsx"
import type { Filter } from "./Filter.ts"

/** The reader has left the opening of the last message in the place of each body. */
const openingOf = (body: unknown): string => (typeof body === "string" ? body : "")

const columns: ReadonlyArray<Column<CapturedCall>> = [
  { name: "When", width: "13rem", narrow: "6rem", of: ({ created_at }) => <Time at={created_at} /> },
  { name: "Asked", width: "minmax(8rem, 3fr)", of: ({ request }) => openingOf(request) },
  { name: "Answered", width: "minmax(6rem, 2fr)", of: ({ response }) => openingOf(response), isMinor: true },
  { name: "By", width: "8rem", of: ({ served_by }) => served_by.replace("_", " "), isMinor: true },
  { name: "Outcome", width: "7rem", narrow: "6rem", of: ({ outcome }) => <Badge of={outcome} /> },
  { name: "Time", width: "6rem", of: ({ latency_ms }) => wholeMillis(latency_ms), isFigure: true, isMinor: true },
  { name: "Cost", width: "6rem", of: ({ cost_usd }) => usd(cost_usd), isFigure: true, isMinor: true }
]

const names = ["text", "model", "source", "tag", "external_id", "served_by", "outcome"] as const

const filterOf = (read: (name: string) => unknown): Filter =>
  Object.fromEntries(
    names.flatMap((name) => (typeof read(name) === "string" && read(name) !== "" ? [[name, read(name)]] : []))
  )

const any = ["", "any"] as const

const FilterForm = ({ apply, filter }: { readonly filter: Filter; readonly apply: (filter: Filter) => void }) => {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    apply(filterOf((name) => form.get(name)))
  }
  return (
    <form className="filter" onSubmit={submit} aria-label="Filter">
      <Input
        label="Text"
        name="text"
        type="search"
        maxLength={256}
        defaultValue={filter.text}
        placeholder="in requests and answers"
      />
      <Input label="Model" name="model" defaultValue={filter.model} />
      <Input label="Source" name="source" defaultValue={filter.source} />
      <Input label="Tag" name="tag" defaultValue={filter.tag} />
      <Input label="External id" name="external_id" defaultValue={filter.external_id} />
      <Select
        label="Answered by"
        name="served_by"
        defaultValue={filter.served_by}
        options={[
          any,
          ["upstream", "upstream"],
          ["student", "student"],
          ["upstream_fallback", "upstream, as fallback"],
          ["mixed", "both, question by question"],
          ["shadow", "upstream, with a shadow"]
        ]}
      />
      <Select
        label="Outcome"
        name="outcome"
        defaultValue={filter.outcome}
        options={[any, ["succeeded", "succeeded"], ["failed", "failed"], ["aborted", "aborted"]]}
      />
      <button type="submit">Search</button>
    </form>
  )
}

export default function Calls() {
  const { client } = useReader("calls")
  const [search, setSearch] = useSearchParams()
  const [, go] = useLocation()
  const filter = useMemo(() => filterOf((name) => search.get(name)), [search])
  const list = useList(["calls", filter], (cursor) => client.calls.list({ ...filter, limit: 50, ...cursor }))
  return (
    <Page
      title="Calls"
      actions={<DatasetOfCalls filter={filter} newest={list.items[0]} done={(id) => go(`/data/versions/${id}`)} />}
    >
      <FilterForm
        key={`filter ${search}`}
        filter={filter}
        apply={(wanted) => setSearch(wanted as Record<string, string>)}
      />
      <ItemTable
        key={JSON.stringify(filter)}
        label="Calls"
        list={list}
        columns={columns}
        href={({ id }) => `/calls/${id}`}
        empty={<Empty title="No such calls">Calls appear here seconds after they went through the proxy.</Empty>}
      />
    </Page>
  )
}
