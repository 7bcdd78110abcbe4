/** One endpoint: how well it answers, and its deliveries. */
import type { WebhookDelivery, WebhookEndpoint } from "@limbeck/client"
import { liveMillis, useAnswer, useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Ask } from "../parts/Ask.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Do } from "../parts/Do.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Facts, Figure } from "../parts/Facts.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Text } from "../parts/LongText.tsx"
import { Page, QueryContent, Section } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { count, millis, share } from "../parts/Words.ts"
import { EditEndpoint } from "./EndpointForm.tsx"
import { stateOf } from "./EndpointState.ts"
import { FilterForm, useFilter } from "./EventFilter.tsx"
import { LatestDeliveries } from "./LatestDeliveries.tsx"
import { Recover, RedeliverShown } from "./Recover.tsx"
import { Secret } from "./Secret.tsx"
import { TestEvent } from "./TestEvent.tsx"

const columns: ReadonlyArray<Column<WebhookDelivery>> = [
  { name: "Event", width: "minmax(13rem, 3fr)", of: ({ event_type }) => event_type },
  { name: "State", width: "7.5rem", narrow: "5.75rem", of: ({ status }) => <Badge of={status} /> },
  {
    name: "Answer",
    width: "minmax(4.5rem, 1fr)",
    narrow: "4.5rem",
    of: ({ last_response: { error, status_code } }) => error ?? status_code ?? "–"
  },
  { name: "Attempts", width: "5.5rem", of: ({ attempt_count }) => attempt_count, isFigure: true, isMinor: true },
  { name: "Next attempt", width: "13rem", of: ({ next_retry_at }) => <Time at={next_retry_at} />, isMinor: true },
  { name: "When", width: "13rem", of: ({ created_at }) => <Time at={created_at} />, isMinor: true }
]

const Ping = ({ id }: { readonly id: string }) => {
  const client = useClient()
  return (
    <Do
      button="Ping"
      act={() => client.webhookEndpoints.ping(id)}
      says={({ delivered, duration_ms, error, status_code }) =>
        delivered ? `${status_code} in ${millis(duration_ms)}` : `not delivered: ${error ?? status_code}`
      }
    />
  )
}

const Actions = ({ endpoint }: { readonly endpoint: WebhookEndpoint }) => {
  const client = useClient()
  const { id, status } = endpoint
  const next = status === "enabled" ? "disabled" : "enabled"
  return (
    <>
      <Ping id={id} />
      <TestEvent endpoint={id} />
      <EditEndpoint endpoint={endpoint} />
      <Recover id={id} />
      <Ask
        button="Rotate the secret"
        title="Rotate the secret?"
        note="For a day the old secret signs as well, so that no delivery is lost."
        does="Rotate"
        act={() => client.webhookEndpoints.rotateSecret(id, {})}
        shows={({ secret }) => <Secret secret={secret} />}
      />
      <Ask
        button={status === "enabled" ? "Disable" : "Enable"}
        title={status === "enabled" ? "Disable this endpoint?" : "Enable this endpoint?"}
        note={
          status === "enabled" ? "Nothing is sent to it until it is enabled again." : "New events are sent to it again."
        }
        does={status === "enabled" ? "Disable" : "Enable"}
        act={() => client.webhookEndpoints.update(id, { status: next })}
      />
      <Ask
        button="Delete"
        tone="danger"
        title="Delete this endpoint?"
        note="Its deliveries are deleted with it."
        does="Delete"
        act={() => client.webhookEndpoints.delete(id)}
        done={() => history.back()}
      />
    </>
  )
}

const Deliveries = ({ endpoint }: { readonly endpoint: string }) => {
  const client = useClient()
  const use = useFilter()
  const filter = { ...use.times, ...use.status, ...(use.type === null ? {} : { event_type: use.type }) }
  const list = useList(
    ["deliveries", endpoint, filter],
    (cursor) => client.deliveries.list(endpoint, { ...filter, limit: 100, ...cursor }),
    2 * liveMillis
  )
  const isFiltered = Object.keys(filter).length > 0
  return (
    <Section title="Deliveries">
      <FilterForm use={use} of="deliveries" />
      {use.status.status === "dead_lettered" && <RedeliverShown endpoint={endpoint} deliveries={list.items} />}
      <ItemTable
        key={JSON.stringify(filter)}
        label="Deliveries"
        list={list}
        columns={columns}
        href={({ id }) => `/webhooks/${endpoint}/${id}`}
        empty={
          <Empty title="No such delivery">
            {isFiltered ? "Choose another type, state or time." : "The next event of its types is delivered to it."}
          </Empty>
        }
      />
    </Section>
  )
}

export default function Endpoint({
  params: { endpoint: id = "" }
}: {
  readonly params: Readonly<Record<string, string>>
}) {
  const client = useClient()
  const query = useAnswer(["endpoints", id], () => client.webhookEndpoints.get(id), { refetchInterval: 2 * liveMillis })
  return (
    <Page
      title={query.data?.url ?? "Endpoint"}
      from={["/webhooks", "Webhooks"]}
      actions={query.data !== undefined && <Actions endpoint={query.data} />}
    >
      <QueryContent query={query}>
        {(endpoint) => (
          <>
            <div className="figures">
              <Figure name="Success in 24 hours" value={share(endpoint.delivery_stats.success_rate_24h)} />
              <Figure name="Outstanding" value={count(endpoint.delivery_stats.pending)} />
              <Figure name="Dead-lettered" value={count(endpoint.delivery_stats.dead_lettered)} />
            </div>
            <Facts
              of={[
                ["State", <Badge key="state" of={stateOf(endpoint)} />],
                endpoint.description === ""
                  ? null
                  : ["Description", <Text key="description" label="the description" of={endpoint.description} />],
                ["Events", <Text key="events" label="the events" of={endpoint.enabled_events.join(", ")} />],
                ["Version", endpoint.api_version],
                ["Made", <Time key="made" at={endpoint.created_at} />]
              ]}
            />
          </>
        )}
      </QueryContent>
      <LatestDeliveries endpoint={id} />
      <Deliveries endpoint={id} />
    </Page>
  )
}
