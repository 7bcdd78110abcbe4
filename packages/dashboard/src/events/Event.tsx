/** One event: its object, and its delivery to each endpoint. */
import type { Event, WebhookDelivery, WebhookEndpoint } from "@limbeck/client"
import { Link } from "wouter"
import { liveMillis, useAnswer, useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Badge } from "../parts/Badge.tsx"
import { CopyButton } from "../parts/Copy.tsx"
import { Do } from "../parts/Do.tsx"
import { Facts } from "../parts/Facts.tsx"
import { Failure } from "../parts/Failure.tsx"
import { Json } from "../parts/Json.tsx"
import { Page, Placeholder, QueryContent, Section } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { usePortion } from "../parts/Portion.tsx"
import { Time } from "../parts/Time.tsx"

/** A delivery has the creation time of its event, and the API excludes both bounds. */
const timesOf = ({ created_at }: Event) => {
  const millis = Date.parse(created_at)
  return {
    created_after: new Date(millis - 1).toISOString(),
    created_before: new Date(millis + 1).toISOString()
  }
}

/** Endpoints on a portion of the page: each is asked for its delivery. */
const endpointsMax = 20

/** Whether a further attempt may change it. */
const isOpen = ({ status }: WebhookDelivery) => status === "pending" || status === "failed"

const useDeliveries = (event: Event, endpoints: ReadonlyArray<WebhookEndpoint>) => {
  const client = useClient()
  const ids = endpoints.map(({ id }) => id)
  const filter = { event_type: event.type, ...timesOf(event), limit: 100 }
  const deliveryOf = async (endpoint: string) => {
    for await (const delivery of client.deliveries.list(endpoint, filter))
      if (delivery.event_id === event.id) return [delivery]
    return []
  }
  // One request per endpoint: open deliveries are polled less often than a single one.
  return useAnswer(["deliveries of", event.id, ids], async () => (await Promise.all(ids.map(deliveryOf))).flat(), {
    refetchInterval: ({ state }) => (state.data?.some(isOpen) ? 5 * liveMillis : false)
  })
}

const Redeliver = ({ id, status, webhook_endpoint_id }: WebhookDelivery) => {
  const client = useClient()
  if (status !== "dead_lettered") return "–"
  return <Do button="Redeliver" act={() => client.deliveries.redeliver(webhook_endpoint_id, id)} />
}

interface TableProps {
  readonly deliveries: ReadonlyArray<WebhookDelivery>
  readonly urls: ReadonlyMap<string, string>
}

const Table = ({ deliveries, urls }: TableProps) =>
  deliveries.length === 0 ? (
    <p className="soft">No endpoint subscribed to its type when it was published.</p>
  ) : (
    <PlainTable
      caption="Its delivery to each endpoint"
      head={["Endpoint", "State", "Answer", "Attempts", "Action"]}
      rows={deliveries.map((delivery) => [
        <Link key="place" href={`/webhooks/${delivery.webhook_endpoint_id}/${delivery.id}`}>
          {urls.get(delivery.webhook_endpoint_id)}
        </Link>,
        <Badge key="state" of={delivery.status} />,
        delivery.last_response.error ?? delivery.last_response.status_code ?? "–",
        delivery.attempt_count,
        <Redeliver key="redeliver" {...delivery} />
      ])}
    />
  )

interface DeliveriesProps {
  readonly event: Event
  readonly endpoints: ReadonlyArray<WebhookEndpoint>
}

const Deliveries = ({ endpoints, event }: DeliveriesProps) => {
  const { more, shown } = usePortion(endpoints, "endpoints", endpointsMax)
  const query = useDeliveries(event, shown)
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]))
  return (
    <>
      <QueryContent query={query}>{(deliveries) => <Table deliveries={deliveries} urls={urls} />}</QueryContent>
      {more}
    </>
  )
}

const OfEndpoints = ({ event }: { readonly event: Event }) => {
  const client = useClient()
  const endpoints = useList(["endpoints"], (cursor) => client.webhookEndpoints.list({ limit: 100, ...cursor }))
  if (endpoints.isError) return <Failure error={endpoints.error} again={() => endpoints.refetch()} />
  if (endpoints.isPending) return <Placeholder />
  return <Deliveries event={event} endpoints={endpoints.items} />
}

export default function EventPage({ params: { id = "" } }: { readonly params: Readonly<Record<string, string>> }) {
  const client = useClient()
  const query = useAnswer(["events", id], () => client.events.get(id))
  return (
    <Page title={query.data?.type ?? "Event"} from={["/events", "Events"]}>
      <QueryContent query={query}>
        {(event) => (
          <>
            <Facts
              of={[
                ["Event", <code key="id">{event.id}</code>],
                ["When", <Time key="when" at={event.created_at} />],
                ["Version", event.api_version]
              ]}
            />
            <Section title="Its object" note="As it was when the event was published.">
              <div className="copy">
                <Json label="Object" of={event.data.object} />
                <CopyButton label="the object" text={JSON.stringify(event.data.object, null, 2)} />
              </div>
            </Section>
            <Section title="Deliveries">
              <OfEndpoints event={event} />
            </Section>
          </>
        )}
      </QueryContent>
    </Page>
  )
}
