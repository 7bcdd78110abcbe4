/** What any threshold would do, by the holdout: a slider over the curve of the student's confidence. */
import { savingPer1000 } from "@limbeck/api/report/ThresholdSaving"
import type { Report } from "@limbeck/client"
import { type ReactNode, useId, useMemo, useState } from "react"
import { Figure } from "../parts/Facts.tsx"
import { Section } from "../parts/Page.tsx"
import { Plot } from "../parts/Plot.tsx"
import { intervalText, share, usd } from "../parts/Words.ts"

type Point = Report["agreement_at"][number]

/** Calls that the student leaves to the teacher count as agreed. */
const agreementOfBoth = ({ agreement, share: answered }: Point): number => 1 - answered * (1 - (agreement?.value ?? 1))

const Curve = ({ point, points }: { readonly point: Point; readonly points: ReadonlyArray<Point> }) => {
  const x = useMemo(() => points.map(({ threshold }) => threshold), [points])
  const lines = useMemo(
    () => [
      { name: "student answers", color: "--student" as const, values: points.map((one) => one.share) },
      { name: "both agree", color: "--teacher" as const, values: points.map(agreementOfBoth) }
    ],
    [points]
  )
  return (
    <Plot
      label="Share of the calls that the student answers, and agreement of both, by threshold; the slider reads any point"
      x={x}
      xName="threshold"
      isShare
      lines={lines}
      mark={point.threshold}
    />
  )
}

const PointFigures = ({ cost, point }: { readonly cost: Report["cost_per_1000_calls_usd"]; readonly point: Point }) => {
  const saving = savingPer1000(point.share, cost)
  const teacher = cost?.teacher ?? null
  return (
    <div className="figures">
      <Figure
        name="Student answers"
        value={share(point.share)}
        note={`${share(point.agreement?.value)} of these agree, ${intervalText(point.agreement, share)}`}
      />
      <Figure
        name="Both together agree"
        value={share(agreementOfBoth(point))}
        note="the teacher's calls count as agreed"
      />
      <Figure
        name="Saved per 1,000 calls"
        value={usd(saving)}
        note={teacher === null ? "no price is known" : `the teacher alone costs ${usd(teacher)}`}
      />
    </div>
  )
}

interface Props {
  readonly report: Pick<Report, "agreement_at" | "cost_per_1000_calls_usd" | "recommendation">
  /** A button that deploys at the threshold. */
  readonly deploy: (threshold: number, isRecommended: boolean) => ReactNode
}

/** Where the slider begins: at the recommended threshold, else at the strictest. */
const firstOf = ({ agreement_at: points, recommendation }: Props["report"]): number => {
  const recommended = points.findIndex(({ threshold }) => threshold === recommendation?.threshold)
  return recommended === -1 ? points.length - 1 : recommended
}

/** Paper has the plot of the report in its place. Hidden where the student tells no confidence: there is one point alone. */
export const OperatingPoint = ({ deploy, report }: Props) => {
  const { agreement_at: points, recommendation } = report
  const recommended = recommendation?.threshold
  const [at, setAt] = useState(() => firstOf(report))
  const id = useId()
  const point = points[at]
  if (point === undefined || points.length < 2) return null
  const isRecommended = point.threshold === recommended
  return (
    <div className="on-screen">
      <Section
        title="Choose a threshold"
        note="By the rows that training never saw. Below this confidence the teacher answers."
      >
        <div className="slider">
          <label htmlFor={id}>Threshold</label>
          <input
            id={id}
            type="range"
            min={0}
            max={points.length - 1}
            step={1}
            value={at}
            aria-valuetext={`${point.threshold}: the student answers ${share(point.share)}, both agree in ${share(agreementOfBoth(point))}`}
            onChange={({ currentTarget }) => setAt(Number(currentTarget.value))}
          />
          <output htmlFor={id}>
            {point.threshold}
            {isRecommended && " (recommended)"}
          </output>
        </div>
        <PointFigures cost={report.cost_per_1000_calls_usd} point={point} />
        <Curve point={point} points={points} />
        <div className="actions">{deploy(point.threshold, isRecommended)}</div>
      </Section>
    </div>
  )
}
