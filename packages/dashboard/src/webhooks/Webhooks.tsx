/** Endpoints: their URLs and their success. */
import type { WebhookEndpoint } from "@limbeck/client"
import { Link } from "wouter"
import { useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Empty } from "../parts/Empty.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Page } from "../parts/Page.tsx"
import { count, share } from "../parts/Words.ts"
import { NewEndpoint } from "./EndpointForm.tsx"
import { stateOf } from "./EndpointState.ts"

const columns: ReadonlyArray<Column<WebhookEndpoint>> = [
  { name: "URL", width: "minmax(10rem, 3fr)", of: ({ url }) => url },
  { name: "State", width: "7rem", narrow: "5.25rem", of: (endpoint) => <Badge of={stateOf(endpoint)} /> },
  { name: "Events", width: "minmax(6rem, 1fr)", of: ({ enabled_events }) => enabled_events.join(", "), isMinor: true },
  {
    name: "Success, 24 h",
    width: "8rem",
    narrow: "6.25rem",
    of: ({ delivery_stats }) => share(delivery_stats.success_rate_24h),
    isFigure: true
  },
  {
    name: "Outstanding",
    width: "7rem",
    of: ({ delivery_stats }) => count(delivery_stats.pending),
    isFigure: true,
    isMinor: true
  },
  {
    name: "Dead-lettered",
    width: "7rem",
    of: ({ delivery_stats }) => count(delivery_stats.dead_lettered),
    isFigure: true,
    isMinor: true
  }
]

export default function Webhooks() {
  const client = useClient()
  const list = useList(["endpoints"], (cursor) => client.webhookEndpoints.list({ limit: 100, ...cursor }))
  return (
    <Page
      title="Webhooks"
      actions={
        <>
          <Link className="button" href="/webhooks/test">
            Test a signature
          </Link>
          <NewEndpoint />
        </>
      }
    >
      <ItemTable
        label="Endpoints"
        list={list}
        columns={columns}
        href={({ id }) => `/webhooks/${id}`}
        empty={<Empty title="No endpoint yet">Add the URL of your receiver.</Empty>}
      />
    </Page>
  )
}
