/** The filter of events and deliveries, in the address of the page: type, time and status. */
import { useMemo } from "react"
import { useSearchParams } from "wouter"
import { useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Input, Select } from "../parts/Ask.tsx"
import { wordOfState } from "../parts/Words.ts"
import { patternsOf } from "./EventPatterns.ts"

const names = ["type", "status", "from", "until"] as const

type Filter = Readonly<Record<(typeof names)[number], string>>

const statuses = ["pending", "failed", "succeeded", "dead_lettered"] as const
type Status = (typeof statuses)[number]

const isStatus = (value: string): value is Status => statuses.some((status) => status === value)

/** The moment of a `datetime-local` input, moved by milliseconds; nothing for an empty or unreadable one. */
const momentOf = (local: string, byMillis: number): string | undefined => {
  const millis = Date.parse(local)
  return Number.isNaN(millis) ? undefined : new Date(millis + byMillis).toISOString()
}

/** The query of the times: the API excludes both bounds, and the page includes them. */
const timesOf = ({ from, until }: Filter): { created_after?: string; created_before?: string } => {
  const [created_after, created_before] = [momentOf(from, -1), momentOf(until, 1)]
  return {
    ...(created_after === undefined ? {} : { created_after }),
    ...(created_before === undefined ? {} : { created_before })
  }
}

export const useFilter = () => {
  const [search, setSearch] = useSearchParams()
  return useMemo(() => {
    const read = (name: string) => search.get(name) ?? ""
    const filter: Filter = { type: read("type"), status: read("status"), from: read("from"), until: read("until") }
    const set = (name: keyof Filter, value: string) => {
      const next = { ...filter, [name]: value }
      setSearch(Object.fromEntries(names.flatMap((one) => (next[one] === "" ? [] : [[one, next[one]]]))), {
        replace: true
      })
    }
    const { status, type } = filter
    return {
      filter,
      set,
      times: timesOf(filter),
      status: isStatus(status) ? { status } : {},
      type: type === "" ? null : type
    }
  }, [search, setSearch])
}

/** The catalog of the server, with the host's own types. Constant while the server runs. */
export const useEventTypes = () => {
  const client = useClient()
  return useAnswer(["event types"], () => client.events.types().all(), { staleTime: Number.POSITIVE_INFINITY })
}

type Use = ReturnType<typeof useFilter>

interface FormProps {
  readonly use: Use
  /** Deliveries are of one type each; events can be listed by a family of types, such as `distill.*`. */
  readonly of: "events" | "deliveries"
}

export const FilterForm = ({ of, use: { filter, set } }: FormProps) => {
  const { data = [] } = useEventTypes()
  const types = data.map(({ type }) => type)
  const offered = of === "deliveries" ? types : patternsOf(types).filter((pattern) => pattern !== "*")
  const shown = filter.type === "" || offered.includes(filter.type) ? offered : [filter.type, ...offered]
  return (
    <div className="filter">
      <Select
        label="Type"
        value={filter.type}
        onChange={({ target }) => set("type", target.value)}
        options={[["", "any"], ...shown.map((type) => [type, type] as const)]}
      />
      {of === "deliveries" && (
        <Select
          label="State"
          value={filter.status}
          onChange={({ target }) => set("status", target.value)}
          options={[["", "any"], ...statuses.map((name) => [name, wordOfState(name)] as const)]}
        />
      )}
      <Input
        label="From"
        type="datetime-local"
        value={filter.from}
        onChange={({ target }) => set("from", target.value)}
      />
      <Input
        label="Until"
        type="datetime-local"
        value={filter.until}
        onChange={({ target }) => set("until", target.value)}
      />
    </div>
  )
}
