/** Redelivers dead-lettered deliveries of an endpoint: all since a time, or the deliveries of a list. */
import { ApiError, type WebhookDelivery } from "@limbeck/client"
import { useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Ask, Input } from "../parts/Ask.tsx"
import { count, quantity } from "../parts/Words.ts"

const dayMillis = 86_400_000

interface RecoveryProps {
  readonly endpoint: string
  readonly queued: number
}

/** New deliveries are sent first, so at most `queued` of the waiting ones belong to the recovery. */
const Recovery = ({ endpoint, queued }: RecoveryProps) => {
  const client = useClient()
  // Not the cached endpoint, which is older than the recovery.
  const { data } = useAnswer(["recoveries", endpoint], () => client.webhookEndpoints.get(endpoint), {
    moves: ({ delivery_stats }) => delivery_stats.pending > 0
  })
  const waiting = Math.min(queued, data?.delivery_stats.pending ?? queued)
  if (queued === 0) return <p>No delivery since then is dead-lettered.</p>
  return (
    <>
      <progress aria-label="Redelivered" value={queued - waiting} max={queued} />
      <output>
        {queued - waiting} of {quantity(queued, "delivery", "deliveries")} redelivered
        {waiting > 0 && ". The recovery continues when this is closed."}
      </output>
    </>
  )
}

export const Recover = ({ id }: { readonly id: string }) => {
  const client = useClient()
  const recover = (form: FormData) =>
    client.webhookEndpoints.recover(id, {
      since: new Date(Date.now() - Number(form.get("days")) * dayMillis).toISOString()
    })
  return (
    <Ask
      button="Recover"
      title="Redeliver what is dead-lettered?"
      note="Each dead-lettered delivery made since then is redelivered: a new cycle of attempts, paced, after new deliveries."
      does="Recover"
      act={recover}
      shows={({ queued }) => <Recovery endpoint={id} queued={queued} />}
    >
      <Input label="Made in the last days" name="days" type="number" min="1" max="30" defaultValue="1" required />
    </Ask>
  )
}

/** Deleted, no longer dead-lettered, or older than 30 days. */
const refusals: ReadonlySet<number> = new Set([404, 409, 410])

/** Sends one request after the other. A refusal does not end the redelivery of the remaining deliveries. */
const redeliverEach = async (redeliver: (id: string) => Promise<unknown>, ids: ReadonlyArray<string>) => {
  let redelivered = 0
  for (const id of ids) {
    const isDone = await redeliver(id).then(
      () => true,
      (error) => {
        if (error instanceof ApiError && refusals.has(error.status)) return false
        throw error
      }
    )
    if (isDone) redelivered++
  }
  return { redelivered, refused: ids.length - redelivered }
}

interface ShownProps {
  readonly endpoint: string
  readonly deliveries: ReadonlyArray<WebhookDelivery>
}

export const RedeliverShown = ({ deliveries, endpoint }: ShownProps) => {
  const client = useClient()
  const ids = deliveries.map(({ id }) => id)
  const all = quantity(ids.length, "delivery", "deliveries")
  return (
    <p className="actions">
      <Ask
        button={`Redeliver ${all}`}
        title={`Redeliver ${all}?`}
        note="These are the deliveries of the list as far as it is loaded. Each begins a new cycle of attempts at once."
        does="Redeliver"
        disabled={ids.length === 0}
        act={() => redeliverEach((id) => client.deliveries.redeliver(endpoint, id), ids)}
        shows={({ redelivered, refused }) => (
          <output>
            {count(redelivered)} redelivered
            {refused > 0 && `, ${count(refused)} refused: no longer dead-lettered, or too old`}
          </output>
        )}
      />
    </p>
  )
}
