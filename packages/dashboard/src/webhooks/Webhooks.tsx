/** Endpoints: who is told, and how well that goes. */
import type { WebhookEndpoint } from "@limbeck/client"
import { Link } from "wouter"
import { useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Ask, Input } from "../parts/Ask.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Copy } from "../parts/Copy.tsx"
import { Empty } from "../parts/Empty.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Page } from "../parts/Page.tsx"
import { count, share } from "../parts/Words.ts"

const columns: ReadonlyArray<Column<WebhookEndpoint>> = [
  { name: "URL", width: "minmax(10rem, 3fr)", of: ({ url }) => url },
  { name: "State", width: "7rem", of: ({ status }) => <Badge of={status} /> },
  { name: "Events", width: "minmax(6rem, 1fr)", of: ({ enabled_events }) => enabled_events.join(", "), isMinor: true },
  {
    name: "Success, 24 h",
    width: "8rem",
    of: ({ delivery_stats }) => share(delivery_stats.success_rate_24h),
    isFigure: true
  },
  {
    name: "Waiting",
    width: "6rem",
    of: ({ delivery_stats }) => count(delivery_stats.pending),
    isFigure: true,
    isMinor: true
  },
  {
    name: "Given up",
    width: "6rem",
    of: ({ delivery_stats }) => count(delivery_stats.dead_lettered),
    isFigure: true,
    isMinor: true
  }
]

export const Secret = ({ secret }: { readonly secret: string }) => (
  <>
    <p>This is the only time that the secret is shown. Your receiver verifies signatures with it.</p>
    <Copy label="the secret" text={secret} />
  </>
)

const NewEndpoint = () => {
  const client = useClient()
  const create = (form: FormData) =>
    client.webhookEndpoints.create({
      url: String(form.get("url")),
      enabled_events: String(form.get("events"))
        .split(/[\s,]+/)
        .filter((type) => type !== "")
    })
  return (
    <Ask
      button="Add an endpoint"
      tone="primary"
      title="Add an endpoint"
      does="Add"
      act={create}
      shows={({ secret }) => <Secret secret={secret} />}
    >
      <Input label="URL" name="url" type="url" required placeholder="https://example.com/webhooks" />
      <Input
        label="Event types"
        name="events"
        required
        defaultValue="distill.*"
        hint="Separated by commas; * stands for all, distill.* for a family"
      />
    </Ask>
  )
}

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
        empty={<Empty title="Nobody is told yet">Add the address of your receiver.</Empty>}
      />
    </Page>
  )
}
