/** The metrics of a run, drawn live. */
import type { Run } from "@limbeck/client"
import { useMemo } from "react"
import { useFollowed } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Placeholder } from "../parts/Page.tsx"
import { Plot } from "../parts/Plot.tsx"
import { usePortion } from "../parts/Portion.tsx"
import { opening } from "../parts/Words.ts"
import { nameOfStage } from "./StageWords.ts"
import { linesOf, trialsOf } from "./Trials.ts"

interface Props {
  readonly run: Run
  readonly moves: boolean
}

interface Series {
  readonly stage: number
  readonly name: string
  readonly unit: string
  readonly points: ReadonlyArray<{ readonly step: number; readonly value: number }>
}

interface CurveProps {
  readonly series: Series
  readonly kind: string | undefined
  /** The series that counts the trials of its stage. */
  readonly counts: Series["points"] | undefined
}

/** The last trial in the colour of the student, the others behind it. */
const lineOf = (values: ReadonlyArray<number | null>, trial: number, trials: number) => ({
  name: trials === 1 ? "value" : `trial ${trial + 1}`,
  values,
  color: trial === trials - 1 ? ("--student" as const) : ("--line-strong" as const)
})

const Curve = ({ counts, kind, series: { name, points, unit } }: CurveProps) => {
  const { lines, steps } = useMemo(() => {
    const { steps, values } = linesOf(trialsOf(points, counts))
    return { steps, lines: values.map((line, trial) => lineOf(line, trial, values.length)) }
  }, [counts, points])
  const last = points.at(-1)
  const told = last === undefined ? "no value yet" : `${Number(last.value.toPrecision(4))} ${unit} at step ${last.step}`
  return (
    <figure>
      <figcaption>
        <bdi>{opening(name.replaceAll("_", " "))}</bdi>
        {kind !== undefined && `, ${nameOfStage(kind)}`}: <bdi>{told}</bdi>
        {lines.length > 1 && ` (${lines.length} trials, the last in colour)`}
      </figcaption>
      <Plot
        label={`${opening(name)} by step; last ${told}`}
        x={steps}
        xName={lines.length > 1 ? "step of the trial" : "step"}
        lines={lines}
        height={200}
        hasLegend={false}
      />
    </figure>
  )
}

/** Of a stage, the series that counts its trials; a figure, and no curve. */
const trialName = "trial"

export const Curves = ({ moves, run }: Props) => {
  const client = useClient()
  const { data, isPending } = useFollowed(["runs", run.id, "metrics"], () => client.runs.metrics(run.id), moves)
  // One point is no curve.
  const drawn = data?.series.filter(({ name, points }) => points.length > 1 && name !== trialName) ?? []
  const { more, shown } = usePortion(drawn, "curves")
  if (isPending) return <Placeholder />
  return (
    <>
      <div className="curves">
        {shown.map((series) => (
          <Curve
            key={`${series.stage} ${series.name}`}
            series={series}
            counts={data?.series.find(({ name, stage }) => name === trialName && stage === series.stage)?.points}
            kind={run.stages.find(({ seq }) => seq === series.stage)?.kind}
          />
        ))}
      </div>
      {more}
    </>
  )
}
