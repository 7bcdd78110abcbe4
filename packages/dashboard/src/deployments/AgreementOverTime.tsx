/** How often the student agreed with the upstream as time went by, with the interval that held at each moment. */
import { useMemo } from "react"
import { liveMillis, useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Placeholder, Section } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { Plot } from "../parts/Plot.tsx"
import { Time } from "../parts/Time.tsx"
import { count, intervalText, share } from "../parts/Words.ts"

interface Props {
  readonly deployment: string
  /** The required agreement. */
  readonly floor: number | null
}

interface Period {
  readonly until: string
  readonly compared: number
  readonly agreed: number
  readonly agreement: { readonly value: number; readonly low: number; readonly high: number }
}

const Curve = ({ floor, periods }: { readonly floor: number | null; readonly periods: ReadonlyArray<Period> }) => {
  const x = useMemo(() => periods.map(({ until }) => Date.parse(until) / 1_000), [periods])
  const lines = useMemo(
    () => [
      { name: "all until then", values: periods.map(({ agreement }) => agreement.value), color: "--student" as const },
      {
        name: "at least",
        values: periods.map(({ agreement }) => agreement.low),
        color: "--soft" as const,
        dash: [4, 4]
      },
      {
        name: "at most",
        values: periods.map(({ agreement }) => agreement.high),
        color: "--soft" as const,
        dash: [4, 4]
      },
      {
        name: "in the period",
        values: periods.map(({ agreed, compared }) => agreed / compared),
        color: "--teacher" as const
      },
      ...(floor === null
        ? []
        : [{ name: "floor", values: periods.map(() => floor), color: "--bad" as const, dash: [8, 4] }])
    ],
    [floor, periods]
  )
  return (
    <Plot
      label="Agreement with the upstream over time, with its interval; the table below has the figures"
      x={x}
      xName="time"
      isTime
      isShare
      lines={lines}
    />
  )
}

export const AgreementOverTime = ({ deployment, floor }: Props) => {
  const client = useClient()
  const query = useAnswer(["deployments", deployment, "agreement"], () => client.deployments.agreement(deployment), {
    refetchInterval: 10 * liveMillis
  })
  const periods = useMemo(() => query.data?.periods ?? [], [query.data])
  if (query.isPending) return <Placeholder />
  if (periods.length === 0) return null
  return (
    <Section
      title="Agreement over time"
      note="Since the deployment has this student: in shadow, and where its answers were verified. The interval holds at every moment."
    >
      {/* One point is no curve. */}
      {periods.length > 1 && <Curve floor={floor} periods={periods} />}
      <details>
        <summary>The figures</summary>
        <PlainTable
          caption="Agreement by period"
          head={["Until", "Compared", "In the period", "All until then", "Interval"]}
          rows={periods.map(({ agreed, agreement, compared, until }) => [
            <Time key="until" at={until} />,
            count(compared),
            share(agreed / compared),
            share(agreement.value),
            intervalText(agreement, share)
          ])}
        />
      </details>
    </Section>
  )
}
