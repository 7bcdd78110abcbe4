/** Charts of an endpoint's latest deliveries: how many succeeded, and how long the receiver took. */
import { useMemo } from "react"
import { liveMillis, useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Section } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { Plot } from "../parts/Plot.tsx"
import { Time } from "../parts/Time.tsx"
import { count, millis } from "../parts/Words.ts"
import { type AttemptedDelivery, attemptedOf, successOf } from "./DeliveryFigures.ts"

/** One page of the API. */
const latestMax = 100

const none: ReadonlyArray<AttemptedDelivery> = []

const Charts = ({ attempted }: { readonly attempted: ReadonlyArray<AttemptedDelivery> }) => {
  const x = useMemo(() => attempted.map(({ at }) => at / 1_000), [attempted])
  const [success, duration] = useMemo(() => {
    const millisOf = (isWanted: boolean) =>
      attempted.map(({ isSuccess, millis: taken }) => (isSuccess === isWanted ? taken : null))
    return [
      [{ name: "succeeded", color: "--good" as const, values: successOf(attempted).map((share) => 100 * share) }],
      [
        { name: "succeeded", color: "--good" as const, values: millisOf(true) },
        { name: "failed", color: "--bad" as const, values: millisOf(false) }
      ]
    ]
  }, [attempted])
  return (
    <div className="curves">
      <figure>
        <figcaption>Success in percent, of ten deliveries each</figcaption>
        <Plot label="Success; the table below has the figures" x={x} xName="time" isTime lines={success} height={180} />
      </figure>
      <figure>
        <figcaption>Duration of the last attempt in milliseconds</figcaption>
        <Plot
          label="Duration; the table below has the figures"
          x={x}
          xName="time"
          isTime
          lines={duration}
          height={180}
        />
      </figure>
    </div>
  )
}

/** Hidden until two deliveries were attempted: a curve needs two points. */
export const LatestDeliveries = ({ endpoint }: { readonly endpoint: string }) => {
  const client = useClient()
  const read = async () => attemptedOf((await client.deliveries.list(endpoint, { limit: latestMax }).page()).data)
  const { data: attempted = none } = useAnswer(["deliveries", endpoint, "latest"], read, {
    refetchInterval: 10 * liveMillis
  })
  if (attempted.length < 2) return null
  return (
    <Section title={`The latest ${count(attempted.length)} deliveries`}>
      <Charts attempted={attempted} />
      <details>
        <summary>The figures</summary>
        <PlainTable
          caption="Deliveries by the time of their last change"
          head={["When", "Outcome", "Duration"]}
          rows={attempted.map(({ at, isSuccess, millis: taken }) => [
            <Time key="at" at={new Date(at).toISOString()} />,
            isSuccess ? "succeeded" : "failed",
            millis(taken)
          ])}
        />
      </details>
    </Section>
  )
}
