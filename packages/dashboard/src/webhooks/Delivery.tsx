/** One delivery: each attempt with its answer, and the request. */
import type { WebhookDeliveryDetail } from "@limbeck/client"
import { Link } from "wouter"
import { liveMillis, useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Do } from "../parts/Do.tsx"
import { Facts } from "../parts/Facts.tsx"
import { Text } from "../parts/LongText.tsx"
import { Page, QueryContent, Section } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { usePortion } from "../parts/Portion.tsx"
import { Time } from "../parts/Time.tsx"
import { millis } from "../parts/Words.ts"
import { SentRequest } from "./SentRequest.tsx"

const Redeliver = ({ delivery, endpoint }: { readonly delivery: string; readonly endpoint: string }) => {
  const client = useClient()
  return <Do button="Redeliver" tone="primary" act={() => client.deliveries.redeliver(endpoint, delivery)} />
}

const Shown = ({ delivery }: { readonly delivery: WebhookDeliveryDetail }) => {
  const { more, shown } = usePortion(delivery.attempts, "attempts")
  return (
    <>
      <Facts
        of={[
          ["State", <Badge key="state" of={delivery.status} />],
          [
            "Event",
            <Link key="event" href={`/events/${delivery.event_id}`}>
              <code>{delivery.event_id}</code>
            </Link>
          ],
          ["Delivery", <code key="delivery">{delivery.id}</code>],
          ["When", <Time key="when" at={delivery.created_at} />],
          ["Next attempt", <Time key="next" at={delivery.next_retry_at} />]
        ]}
      />
      <Section title="Attempts">
        <PlainTable
          caption="Attempts, with what the receiver answered"
          head={["Attempt", "When", "By", "Answer", "Time", "Body"]}
          rows={shown.map(({ attempt, body_snippet, duration_ms, error, id, started_at, status_code, trigger }) => [
            attempt,
            <Time key={id} at={started_at} />,
            trigger === "manual" ? "a person" : "schedule",
            error === null ? (status_code ?? "–") : <Text key="error" label="the error" of={error} />,
            millis(duration_ms),
            <code key="body" className="snippet">
              <Text label="the answer" of={body_snippet ?? ""} />
            </code>
          ])}
        />
        {more}
      </Section>
    </>
  )
}

export default function Delivery({
  params: { delivery: id = "", endpoint = "" }
}: {
  readonly params: Readonly<Record<string, string>>
}) {
  const client = useClient()
  const query = useAnswer(["deliveries", endpoint, id], () => client.deliveries.get(endpoint, id), {
    refetchInterval: liveMillis
  })
  return (
    <Page
      title={query.data?.event_type ?? "Delivery"}
      from={[`/webhooks/${endpoint}`, "Endpoint"]}
      {...(query.data?.status === "dead_lettered" ? { actions: <Redeliver delivery={id} endpoint={endpoint} /> } : {})}
    >
      <QueryContent query={query}>
        {(delivery) => (
          <>
            <Shown delivery={delivery} />
            <SentRequest delivery={delivery} />
          </>
        )}
      </QueryContent>
    </Page>
  )
}
