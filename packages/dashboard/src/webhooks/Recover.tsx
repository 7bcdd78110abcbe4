/** Redelivers an endpoint's dead letters, and shows the progress. */
import { useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Ask, Input } from "../parts/Ask.tsx"
import { quantity } from "../parts/Words.ts"

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
  if (queued === 0) return <p>Nothing was given up since then.</p>
  return (
    <>
      <progress aria-label="Sent again" value={queued - waiting} max={queued} />
      <output>
        {queued - waiting} of {quantity(queued, "delivery", "deliveries")} sent again
        {waiting > 0 && ". It goes on when this is closed."}
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
      title="Send again what was given up?"
      note="Every delivery that was given up since then is sent once more, after what is new."
      does="Recover"
      act={recover}
      shows={({ queued }) => <Recovery endpoint={id} queued={queued} />}
    >
      <Input label="Of the last days" name="days" type="number" min="1" max="30" defaultValue="1" required />
    </Ask>
  )
}
