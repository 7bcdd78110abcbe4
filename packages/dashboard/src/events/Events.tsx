/** What happened in the workspace: events by type and time. */
import type { Event } from "@limbeck/client"
import { liveMillis, useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Empty } from "../parts/Empty.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Page } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { FilterForm, useFilter } from "../webhooks/EventFilter.tsx"

/** The id of the resource that the event shows. */
const resourceOf = ({ data: { object } }: Event): string => (typeof object["id"] === "string" ? object["id"] : "–")

const columns: ReadonlyArray<Column<Event>> = [
  { name: "Type", width: "minmax(13rem, 2fr)", of: ({ type }) => type },
  { name: "Object", width: "minmax(8rem, 2fr)", of: resourceOf, isMinor: true },
  { name: "Event", width: "minmax(8rem, 2fr)", of: ({ id }) => id, isMinor: true },
  { name: "When", width: "13rem", narrow: "6rem", of: ({ created_at }) => <Time at={created_at} /> }
]

export default function Events() {
  const client = useClient()
  const use = useFilter()
  const filter = { ...use.times, ...(use.type === null ? {} : { type: use.type }) }
  const list = useList(
    ["events", filter],
    (cursor) => client.events.list({ ...filter, limit: 100, ...cursor }),
    2 * liveMillis
  )
  const isFiltered = Object.keys(filter).length > 0
  return (
    <Page title="Events">
      <FilterForm use={use} of="events" />
      <ItemTable
        key={JSON.stringify(filter)}
        label="Events"
        list={list}
        columns={columns}
        href={({ id }) => `/events/${id}`}
        empty={
          <Empty title="No such events">
            {isFiltered
              ? "Choose another type or time."
              : "Runs, datasets, deployments and your own program publish events."}
          </Empty>
        }
      />
    </Page>
  )
}
