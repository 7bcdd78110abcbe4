/** The request of a delivery as its endpoint gets it, to be read and copied. */
import type { Event, WebhookDelivery } from "@limbeck/client"
import { apiBase } from "../app/Credentials.ts"
import { useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Copy, CopyButton } from "../parts/Copy.tsx"
import { Json } from "../parts/Json.tsx"
import { QueryContent, Section } from "../parts/Page.tsx"
import { headersOf, prefixIn } from "./RequestHeaders.ts"

/** The prefix of header names: the host of the server may have chosen one, and every response shows it. */
const readPrefix = async () => {
  const response = await fetch(`${apiBase()}/v1/event_types`)
  return prefixIn([...response.headers.keys()])
}

interface RequestProps {
  readonly delivery: WebhookDelivery
  readonly event: Event
  readonly url: string
  readonly prefix: string
}

const Request = ({ delivery, event, prefix, url }: RequestProps) => (
  <>
    <h3>Headers</h3>
    <Copy label="the headers" text={[`POST ${url}`, ...headersOf(prefix, delivery)].join("\n")} />
    <h3>Body</h3>
    <div className="copy">
      <Json label="Event" of={event} />
      <CopyButton label="the body" text={JSON.stringify(event)} />
    </div>
  </>
)

export const SentRequest = ({ delivery }: { readonly delivery: WebhookDelivery }) => {
  const client = useClient()
  const { event_id, webhook_endpoint_id } = delivery
  const query = useAnswer(["requests", webhook_endpoint_id, event_id], async () => {
    const [event, { url }, prefix] = await Promise.all([
      client.events.get(event_id),
      client.webhookEndpoints.get(webhook_endpoint_id),
      readPrefix()
    ])
    return { event, url, prefix }
  })
  return (
    <Section
      title="The request as it is sent"
      note="Each attempt has a signature of its own, with its time: the header is not stored."
    >
      <QueryContent query={query}>{(answer) => <Request delivery={delivery} {...answer} />}</QueryContent>
    </Section>
  )
}
