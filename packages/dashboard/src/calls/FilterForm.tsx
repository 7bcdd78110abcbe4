/** The filter of the calls page: texts are searched on submission, and a choice applies at once. */
import type { FormEvent } from "react"
import { useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Input, Select } from "../parts/Ask.tsx"
import { type Facet, useFacet } from "./Facets.ts"
import { type Filter, names, type RangeName, ranges } from "./Filter.ts"
import { responders, wordsOfResponder } from "./Responders.ts"

interface Props {
  readonly filter: Filter
  readonly range: RangeName | null
  /** Receives the filter by the names of its fields. */
  readonly apply: (wanted: Record<string, string>) => void
}

const any = ["", "any"] as const

/** Every responder, with its number where it has calls. */
const respondersWith = (facets: ReadonlyArray<Facet>): ReadonlyArray<Facet> => {
  const counted = new Map(facets)
  return [...responders].map(([value, words]) => [value, counted.get(value) ?? words])
}

const useFacets = (filter: Filter, range: RangeName | null) => {
  const client = useClient()
  const sources = useList(["sources"], (cursor) => client.sources.list({ limit: 100, ...cursor }))
  const nameOf = (id: string) => sources.items.find((source) => source.id === id)?.name ?? id
  return {
    models: useFacet("model", range, filter.model),
    sources: useFacet("source", range, filter.source, nameOf),
    responders: respondersWith(useFacet("served_by", range, undefined, wordsOfResponder))
  }
}

export const FilterForm = ({ apply, filter, range }: Props) => {
  const facets = useFacets(filter, range)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const wanted = ["range", ...names].map((name) => [name, String(form.get(name) ?? "").trim()] as const)
    apply(Object.fromEntries(wanted.filter(([, value]) => value !== "")))
  }
  const chosen = ({ currentTarget }: FormEvent<HTMLSelectElement>) => currentTarget.form?.requestSubmit()
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
      <Select
        label="Time"
        name="range"
        defaultValue={range ?? ""}
        onChange={chosen}
        options={[["", "all"], ...Object.entries(ranges).map(([name, of]) => [name, of.name] as const)]}
      />
      <Select
        label="Model"
        name="model"
        value={filter.model ?? ""}
        onChange={chosen}
        options={[any, ...facets.models]}
      />
      <Select
        label="Source"
        name="source"
        value={filter.source ?? ""}
        onChange={chosen}
        options={[any, ...facets.sources]}
      />
      <Select
        label="Answered by"
        name="served_by"
        defaultValue={filter.served_by}
        onChange={chosen}
        options={[any, ...facets.responders]}
      />
      <Select
        label="Outcome"
        name="outcome"
        defaultValue={filter.outcome}
        onChange={chosen}
        options={[any, ["succeeded", "succeeded"], ["failed", "failed"], ["aborted", "aborted"]]}
      />
      <Input label="Tag" name="tag" defaultValue={filter.tag} />
      <Input label="External id" name="external_id" defaultValue={filter.external_id} />
      <button type="submit">Search</button>
    </form>
  )
}
