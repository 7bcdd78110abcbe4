/** Adds an endpoint, and changes one. */
import type { WebhookEndpoint, WebhookEndpointUpdate } from "@limbeck/client"
import { useClient } from "../app/Session.tsx"
import { Ask, Input } from "../parts/Ask.tsx"
import { textOf } from "../parts/Forms.ts"
import { EventTypePicker } from "./EventTypePicker.tsx"
import { Secret } from "./Secret.tsx"

interface FieldsProps {
  readonly endpoint?: WebhookEndpoint
}

const Fields = ({ endpoint }: FieldsProps) => (
  <>
    <Input
      label="URL"
      name="url"
      type="url"
      required
      placeholder="https://example.com/webhooks"
      defaultValue={endpoint?.url}
    />
    <Input label="Description" name="description" maxLength={1_000} defaultValue={endpoint?.description} />
    <EventTypePicker name="events" initial={endpoint?.enabled_events ?? ["*"]} />
  </>
)

const eventsOf = (form: FormData) => form.getAll("events").map(String)

export const NewEndpoint = () => {
  const client = useClient()
  const create = (form: FormData) =>
    client.webhookEndpoints.create({
      url: textOf(form, "url"),
      description: textOf(form, "description"),
      enabled_events: eventsOf(form)
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
      <Fields />
    </Ask>
  )
}

/** The URL is shown without secrets, so it is sent only if changed. */
const changesOf = ({ url }: WebhookEndpoint, form: FormData): WebhookEndpointUpdate => ({
  ...(textOf(form, "url") === url ? {} : { url: textOf(form, "url") }),
  description: textOf(form, "description"),
  enabled_events: eventsOf(form)
})

export const EditEndpoint = ({ endpoint }: { readonly endpoint: WebhookEndpoint }) => {
  const client = useClient()
  return (
    <Ask
      button="Edit"
      title="Edit this endpoint"
      note="Its secret stays, and so do the deliveries that it was sent."
      does="Save"
      act={(form) => client.webhookEndpoints.update(endpoint.id, changesOf(endpoint, form))}
    >
      <Fields endpoint={endpoint} />
    </Ask>
  )
}
