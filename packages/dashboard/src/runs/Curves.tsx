/** The metrics of a run, drawn live. */
import { useMemo } from "react"
import { useFollowed } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Placeholder } from "../parts/Page.tsx"
import { Plot } from "../parts/Plot.tsx"
import { usePortion } from "../parts/Portion.tsx"
import { opening } from "../parts/Words.ts"

interface Props {
  readonly run: string
  readonly moves: boolean
}

interface Point {
  readonly step: number
  readonly value: number
}

interface Series {
  readonly stage: number
  readonly name: string
  readonly unit: string
  readonly points: ReadonlyArray<Point>
}

const Curve = ({ series: { name, points, stage, unit } }: { readonly series: Series }) => {
  const x = useMemo(() => points.map(({ step }) => step), [points])
  const lines = useMemo(
    () => [{ name, values: points.map(({ value }) => value), color: "--student" as const }],
    [name, points]
  )
  const last = points.at(-1)
  const told = last === undefined ? "no value yet" : `${Number(last.value.toPrecision(4))} ${unit} at step ${last.step}`
  return (
    <figure>
      <figcaption>
        <bdi>{opening(name)}</bdi> of stage {stage}: <bdi>{told}</bdi>
      </figcaption>
      <Plot label={`${opening(name)} by step; last ${told}`} x={x} xName="step" lines={lines} height={200} />
    </figure>
  )
}

export const Curves = ({ moves, run }: Props) => {
  const client = useClient()
  const { data, isPending } = useFollowed(["runs", run, "metrics"], () => client.runs.metrics(run), moves)
  // One point is no curve.
  const drawn = data?.series.filter(({ points }) => points.length > 1) ?? []
  const { more, shown } = usePortion(drawn, "curves")
  if (isPending) return <Placeholder />
  return (
    <>
      <div className="curves">
        {shown.map((series) => (
          <Curve key={`${series.stage} ${series.name}`} series={series} />
        ))}
      </div>
      {more}
    </>
  )
}
