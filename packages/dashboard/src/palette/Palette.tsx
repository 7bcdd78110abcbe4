/** Goes to a page by its name, and to a resource by its name or its id. */
import { Combobox, ComboboxItem, ComboboxList, ComboboxProvider, Dialog, DialogHeading } from "@ariakit/react"
import { useState } from "react"
import { useLocation } from "wouter"
import { useLinkedPages } from "../app/LinkedPages.ts"
import { useAnswer, wordsOf } from "../app/Queries.ts"
import { useClient, useSession } from "../app/Session.tsx"
import { opening } from "../parts/Words.ts"
import { type Entry, findDelivery, findEntries, readEntries } from "./Entries.ts"
import { idIn, isDelivery, placeOf } from "./Ids.ts"

interface Found {
  readonly entries: ReadonlyArray<Entry>
  /** What is said below the list; empty where the list says it. */
  readonly note: string
}

const useById = (id: string | null): Found => {
  const client = useClient()
  const { service } = useSession()
  const isAsked = id !== null && isDelivery(id)
  const delivery = useAnswer(["palette", id], () => findDelivery(client, id ?? ""), { enabled: isAsked })
  if (id === null) return { entries: [], note: "" }
  const none = { entries: [], note: "No page shows this id." }
  if (!isAsked) {
    const place = placeOf(id, service)
    return place === null ? none : { entries: [{ kind: "Go to", name: id, place }], note: "" }
  }
  if (delivery.isError) return { entries: [], note: wordsOf(delivery.error) }
  if (delivery.data === undefined) return { entries: [], note: "Asking each endpoint for this delivery" }
  return delivery.data === null ? none : { entries: [delivery.data], note: "" }
}

const useByName = (query: string): Found => {
  const client = useClient()
  const { service } = useSession()
  const names = useAnswer(["palette"], () => readEntries(client, service))
  const pages = useLinkedPages().map(({ link, path }) => ({ kind: "Page", name: link, place: path }))
  const entries = findEntries([...pages, ...(names.data ?? [])], query)
  if (names.isError) return { entries, note: wordsOf(names.error) }
  if (entries.length > 0) return { entries, note: "" }
  return { entries, note: names.isPending ? "Reading names" : "No page or name has these words." }
}

const useFound = (query: string): Found => {
  const id = idIn(query)
  const [byId, byName] = [useById(id), useByName(query)]
  return id === null ? byName : byId
}

export default function Palette({ close }: { readonly close: () => void }) {
  const [, go] = useLocation()
  const [query, setQuery] = useState("")
  const { entries, note } = useFound(query)
  return (
    <Dialog open onClose={close} className="dialog palette" backdrop={<div className="backdrop" />}>
      <DialogHeading className="dialog-title">Go to</DialogHeading>
      <ComboboxProvider open value={query} setValue={setQuery} includesBaseElement={false} resetValueOnSelect={false}>
        <Combobox autoSelect="always" aria-label="Page, name or id" placeholder="Page, name or id" autoFocus />
        <ComboboxList alwaysVisible aria-label="Found" className="palette-list">
          {entries.map(({ kind, name, place }) => (
            <ComboboxItem
              key={place + kind + name}
              value={place}
              focusOnHover
              setValueOnClick={false}
              className="palette-item"
              onClick={() => {
                close()
                go(place)
              }}
            >
              <span className="soft">{kind}</span>
              <span className="palette-name">{opening(name)}</span>
            </ComboboxItem>
          ))}
        </ComboboxList>
        <p role="status" className="soft">
          {note}
        </p>
      </ComboboxProvider>
    </Dialog>
  )
}
