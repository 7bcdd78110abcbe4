/** Captured calls as they come: searched, read, judged, deleted, and made into a dataset. */
import type { CapturedCall } from "@limbeck/client"
import { useMemo, useState } from "react"
import { useLocation, useSearchParams } from "wouter"
import { liveMillis, useList } from "../app/Queries.ts"
import { useReader } from "../large/Reader.ts"
import { Ago } from "../parts/Ago.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Empty } from "../parts/Empty.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Page } from "../parts/Page.tsx"
import { count, usd, wholeMillis } from "../parts/Words.ts"
import { ChosenActions } from "./ChosenActions.tsx"
import { DatasetOfCalls } from "./DatasetOfCalls.tsx"
import { filterOf, rangeOf, within } from "./Filter.ts"
import { FilterForm } from "./FilterForm.tsx"
import { useChosen } from "./useChosen.ts"

/** The reader has left the opening of the last message in the place of each body. */
const openingOf = (body: unknown): string => (typeof body === "string" ? body : "")

const tokensOf = ({ usage }: CapturedCall): string =>
  usage === null ? "–" : `${count(usage.prompt_tokens)} + ${count(usage.completion_tokens)}`

const columns: ReadonlyArray<Column<CapturedCall>> = [
  { name: "When", width: "4.5rem", narrow: "4.5rem", of: ({ created_at }) => <Ago at={created_at} /> },
  { name: "Asked", width: "minmax(10rem, 5fr)", of: ({ request }) => openingOf(request) },
  { name: "Answered", width: "minmax(5rem, 1.5fr)", of: ({ response }) => openingOf(response), isMinor: true },
  { name: "Model", width: "minmax(5rem, 1fr)", of: ({ model }) => model ?? "–", isMinor: true },
  { name: "By", width: "5rem", of: ({ served_by }) => served_by.replace("_", " "), isMinor: true },
  { name: "Outcome", width: "5.75rem", narrow: "5.75rem", of: ({ outcome }) => <Badge of={outcome} /> },
  { name: "Tokens", width: "4.5rem", of: tokensOf, isFigure: true, isMinor: true },
  { name: "Time", width: "3.75rem", of: ({ latency_ms }) => wholeMillis(latency_ms), isFigure: true, isMinor: true },
  { name: "Cost", width: "4.5rem", of: ({ cost_usd }) => usd(cost_usd), isFigure: true, isMinor: true }
]

const hint = "Calls appear here seconds after they went through the proxy."

/** New calls show up by themselves, without a search of their texts: that reads each call again. */
const useLive = (isSearch: boolean) => {
  const [isWanted, setWanted] = useState(true)
  const isLive = isWanted && !isSearch
  const button = (
    <button type="button" aria-pressed={isLive} disabled={isSearch} onClick={() => setWanted(!isWanted)}>
      Live
    </button>
  )
  return { button, everyMillis: isLive ? 2 * liveMillis : undefined }
}

interface ListProps {
  readonly search: URLSearchParams
  readonly setSearch: (wanted: Record<string, string>) => void
}

const CallList = ({ search, setSearch }: ListProps) => {
  const { client } = useReader("calls")
  const [, go] = useLocation()
  const [range, filter] = useMemo(() => {
    const read = (name: string) => search.get(name)
    return [rangeOf(read), within(filterOf(read), rangeOf(read), Date.now())] as const
  }, [search])
  const live = useLive(filter.text !== undefined)
  const ask = (cursor: { cursor?: string }) => client.calls.list({ ...filter, limit: 50, ...cursor })
  const list = useList(["calls", filter], ask, live.everyMillis)
  const chosen = useChosen()
  const actions = (
    <>
      {live.button}
      <button type="button" onClick={() => list.refetch()}>
        Refresh
      </button>
      <DatasetOfCalls
        filter={filter}
        chosen={chosen.ids}
        newest={list.items[0]}
        loaded={{ calls: list.items.length, hasMore: list.hasNextPage }}
        done={(id) => go(`/data/versions/${id}`)}
      />
    </>
  )
  return (
    <Page title="Calls" actions={actions}>
      <FilterForm filter={filter} range={range} apply={setSearch} />
      <ItemTable
        label="Calls"
        list={list}
        columns={columns}
        choice={chosen.choice}
        isDense
        href={({ id }) => `/calls/${id}`}
        empty={<Empty title="No such calls">{hint}</Empty>}
      />
      <ChosenActions chosen={chosen} />
    </Page>
  )
}

/** Each filter has a list of its own, with its own choice. */
export default function Calls() {
  const [search, setSearch] = useSearchParams()
  return <CallList key={`filter ${search}`} search={search} setSearch={setSearch} />
}
