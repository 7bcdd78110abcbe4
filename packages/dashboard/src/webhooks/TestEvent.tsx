/** Sends a signed test event of a type of the catalog, and shows what the receiver answers. */
import type { WebhookPing } from "@limbeck/client"
import { useClient, useSession } from "../app/Session.tsx"
import { Ask, Select } from "../parts/Ask.tsx"
import { textOf } from "../parts/Forms.ts"
import { Text } from "../parts/LongText.tsx"
import { millis } from "../parts/Words.ts"
import { useEventTypes } from "./EventFilter.tsx"

const Result = ({ body_snippet, delivered, duration_ms, error, status_code }: WebhookPing) => (
  <>
    <p className={delivered ? "notice good" : "notice"} role="status">
      {delivered ? "Delivered" : "Not delivered"}: {error ?? status_code} in {millis(duration_ms)}
    </p>
    {body_snippet !== "" && (
      <code className="snippet">
        <Text label="the answer" of={body_snippet} />
      </code>
    )}
  </>
)

/** In test mode alone: in live mode the API sends plain pings. */
export const TestEvent = ({ endpoint }: { readonly endpoint: string }) => {
  const client = useClient()
  const { whoami } = useSession()
  const { data = [] } = useEventTypes()
  if (whoami.livemode) return null
  return (
    <Ask
      button="Send a test event"
      title="Send a test event"
      note="One signed request with an example of the type's object. It is not stored, and not repeated."
      does="Send"
      act={(form) => client.webhookEndpoints.ping(endpoint, { type: textOf(form, "type") })}
      shows={(result) => <Result {...result} />}
    >
      <Select label="Type" name="type" options={data.map(({ type }) => [type, type])} />
    </Ask>
  )
}
