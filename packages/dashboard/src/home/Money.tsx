/** What calls cost, what students saved, and how fast and how often calls were answered, over a range that one picks. */
import { useMemo, useState } from "react"
import { Link } from "wouter"
import { liveMillis, useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Select } from "../parts/Ask.tsx"
import { Figure } from "../parts/Facts.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { Plot } from "../parts/Plot.tsx"
import { count, intervalText, millis, quantity, share, usd } from "../parts/Words.ts"
import * as CallFigures from "./CallFigures.ts"

type Rows = ReadonlyArray<CallFigures.MetricRow>

interface Metrics {
  readonly starts: ReadonlyArray<number>
  readonly rows: Rows
  readonly byModel: Rows
}

/** Asked again while the page is open: the server counts each call when storage receives it. */
export const useMetrics = (name: CallFigures.RangeName) => {
  const client = useClient()
  const range = CallFigures.ranges[name]
  const read = async (): Promise<Metrics> => {
    const starts = CallFigures.startsOf(range, Date.now())
    const query = CallFigures.queryOf(range, starts)
    const [all, byModel] = await Promise.all([client.metrics(query), client.metrics({ ...query, group_by: "model" })])
    return { starts, rows: all.data, byModel: byModel.data }
  }
  // The figures of the previous range stay until the next figures arrive, so that nothing moves.
  return useAnswer(["metrics", name], read, {
    refetchInterval: 10 * liveMillis,
    placeholderData: (before: Metrics | undefined) => before
  })
}

const colors = ["--teacher", "--student", "--accent", "--good", "--soft"] as const

const Charts = ({ byModel, rows, starts }: Metrics) => {
  const x = useMemo(() => starts.map((start) => start / 1_000), [starts])
  const lines = useMemo(() => {
    const line = (
      name: string,
      color: (typeof colors)[number] | "--bad",
      of: (row: CallFigures.MetricRow) => number | null,
      own = rows,
      without: number | null = 0
    ) => ({ name, color, values: CallFigures.valuesOf(starts, own, of, without) })
    return {
      spent: CallFigures.dearestOf(byModel, colors.length).map(([model, own], index) =>
        line(model, colors[index] ?? "--soft", ({ cost_usd }) => cost_usd, own)
      ),
      saved: [
        line("saved", "--student", ({ saved_usd }) => saved_usd?.value ?? null),
        line("at least", "--soft", ({ saved_usd }) => saved_usd?.low ?? null),
        line("at most", "--soft", ({ saved_usd }) => saved_usd?.high ?? null)
      ],
      calls: [line("calls", "--accent", ({ calls }) => calls), line("failed", "--bad", ({ failed }) => failed)],
      latency: [
        line("p50", "--student", ({ latency_ms }) => latency_ms?.p50 ?? null, rows, null),
        line("p95", "--teacher", ({ latency_ms }) => latency_ms?.p95 ?? null, rows, null)
      ]
    }
  }, [byModel, rows, starts])
  const hasSaved = rows.some(({ saved_usd }) => saved_usd !== null)
  return (
    <div className="curves">
      {lines.spent.length > 0 && <Curve title="Spent by model, in US dollars" x={x} lines={lines.spent} />}
      {hasSaved && <Curve title="Saved by students, in US dollars" x={x} lines={lines.saved} />}
      <Curve title="Calls" x={x} lines={lines.calls} />
      <Curve title="Latency in milliseconds" x={x} lines={lines.latency} />
    </div>
  )
}

interface CurveProps {
  readonly title: string
  readonly x: ReadonlyArray<number>
  readonly lines: React.ComponentProps<typeof Plot>["lines"]
}

const Curve = ({ lines, title, x }: CurveProps) => (
  <figure>
    <figcaption>{title}</figcaption>
    <Plot label={`${title}; the table below has the figures`} x={x} xName="time" isTime lines={lines} height={180} />
  </figure>
)

const Unpriced = ({ byModel }: Pick<Metrics, "byModel">) => {
  const models = CallFigures.unpricedModels(byModel)
  if (models === 0) return null
  return (
    <p className="notice">
      No price is known for {quantity(models, "model")}: their calls are not in these sums.{" "}
      <Link href="/sources">State prices at the source.</Link>
    </p>
  )
}

const Tiles = ({ rows }: Pick<Metrics, "rows">) => {
  const { calls, failed, savedUsd, spentUsd } = CallFigures.totalsOf(rows)
  return (
    <div className="figures">
      <Figure name="Spent" value={usd(spentUsd)} note={spentUsd === null ? "no price is known" : "on captured calls"} />
      <Figure
        name="Saved"
        value={usd(savedUsd?.value)}
        note={savedUsd === null ? "no student has answered" : intervalText(savedUsd, usd)}
      />
      <Figure name="Calls" value={count(calls)} />
      <Figure name="Failed" value={share(failed / calls)} note={quantity(failed, "call")} />
    </div>
  )
}

const Table = ({ rows }: Pick<Metrics, "rows">) => (
  <details>
    <summary>The figures</summary>
    <PlainTable
      caption="Captured calls by time"
      head={["From", "Calls", "Failed", "Spent", "Saved", "p50", "p95"]}
      rows={rows.map(({ calls, cost_usd, failed, latency_ms, saved_usd, start }) => [
        start.slice(0, 16).replace("T", " "),
        count(calls),
        count(failed),
        usd(cost_usd),
        usd(saved_usd?.value),
        millis(latency_ms?.p50),
        millis(latency_ms?.p95)
      ])}
    />
  </details>
)

/** The page has waited for the first range. */
export const Money = () => {
  const [name, setName] = useState<CallFigures.RangeName>("month")
  const { data } = useMetrics(name)
  if (data === undefined || data.rows.length === 0) return null
  return (
    <section className="card" aria-label="Money and time">
      <div className="money-head">
        <h2>Money and time</h2>
        <Select
          label="Range"
          value={name}
          options={Object.entries(CallFigures.ranges).map(([value, range]) => [value, range.name] as const)}
          onChange={({ target: { value } }) => {
            if (CallFigures.isRange(value)) setName(value)
          }}
        />
      </div>
      <Tiles rows={data.rows} />
      <Unpriced byModel={data.byModel} />
      <Charts {...data} />
      <Table rows={data.rows} />
    </section>
  )
}
