/** Which share of a deployment's calls went to the fallback and which to the student, hour by hour. */
import { useMemo } from "react"
import { liveMillis, useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import * as CallFigures from "../home/CallFigures.ts"
import { Section } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { Plot } from "../parts/Plot.tsx"
import { Time } from "../parts/Time.tsx"
import { count, share } from "../parts/Words.ts"
import * as HoursOfCalls from "./HoursOfCalls.ts"

const range = { name: "7 days", interval: "hour", intervals: 7 * 24 } as const

const Chart = ({ hours }: { readonly hours: ReadonlyArray<HoursOfCalls.HourOfCalls> }) => {
  const x = useMemo(() => hours.map(({ start }) => start / 1_000), [hours])
  const lines = useMemo(
    () => [
      { name: "the fallback", color: "--teacher" as const, values: hours.map(({ fallback }) => fallback) },
      { name: "the student", color: "--student" as const, values: hours.map(({ student }) => student) }
    ],
    [hours]
  )
  return (
    <Plot
      label="Share of the calls by hour; the table below has the figures"
      x={x}
      xName="time"
      isTime
      isShare
      lines={lines}
    />
  )
}

/** Hidden until two hours have calls: a curve needs two points. The last section, so nothing below can move. */
export const AnswersOverTime = ({ deployment }: { readonly deployment: string }) => {
  const client = useClient()
  const read = async () => {
    const starts = CallFigures.startsOf(range, Date.now())
    const query = { ...CallFigures.queryOf(range, starts), deployment, group_by: "served_by" as const }
    return HoursOfCalls.from((await client.metrics(query)).data)
  }
  const query = useAnswer(["deployments", deployment, "answers"], read, { refetchInterval: 10 * liveMillis })
  const hours = query.data ?? []
  if (hours.length < 2) return null
  return (
    <Section
      title="Who answers, over time"
      note="Of the calls of each hour in the last 7 days. A fallback that answers more and more is a sign of drift."
    >
      <Chart hours={hours} />
      <details>
        <summary>The figures</summary>
        <PlainTable
          caption="Answers by hour"
          head={["Hour from", "Calls", "By the fallback", "By the student"]}
          rows={hours.map(({ calls, fallback, start, student }) => [
            <Time key="start" at={new Date(start).toISOString()} />,
            count(calls),
            share(fallback),
            share(student)
          ])}
        />
      </details>
    </Section>
  )
}
