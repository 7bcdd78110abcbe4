/** What a threshold does: the surer the student must be, the fewer calls it answers, and the better. */
import type { Report } from "@limbeck/client"
import { useMemo } from "react"
import { Section } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { Plot } from "../parts/Plot.tsx"
import { between, score, share, usd } from "../parts/Words.ts"

type CascadeAnswer = NonNullable<NonNullable<Report["advice"]>["cascade"]>

const Curve = ({ cascade: { recommended_threshold, steps } }: { readonly cascade: CascadeAnswer }) => {
  const x = useMemo(() => steps.map(({ threshold }) => threshold), [steps])
  const lines = useMemo(
    () => [
      { name: "share answered by the student", values: steps.map((step) => step.share), color: "--student" as const },
      {
        name: "agreement with the fallback",
        values: steps.map((step) => step.cascade_agreement),
        color: "--teacher" as const
      }
    ],
    [steps]
  )
  return (
    <Plot
      label="Share answered by the student, and agreement of the whole, by threshold; the table below has the figures"
      x={x}
      xName="threshold"
      lines={lines}
      mark={recommended_threshold}
    />
  )
}

export const Cascade = ({ cascade }: { readonly cascade: CascadeAnswer | null }) => {
  if (cascade === null) return null
  const { recommended_threshold: recommended, steps, target_agreement } = cascade
  const note =
    recommended === null
      ? `No threshold reaches ${share(target_agreement)} of the teacher's agreement.`
      : `At ${score(recommended)} the whole agrees in at least ${share(target_agreement)}.`
  return (
    <Section title="With the teacher as fallback" note={note}>
      <Curve cascade={cascade} />
      <PlainTable
        caption="What a threshold does"
        head={["Threshold", "Student answers", "Its agreement", "Interval", "Of the whole", "Per 1,000 calls"]}
        rows={steps.map((step) => [
          step.threshold === recommended ? (
            <strong key="threshold">{score(step.threshold)} (recommended)</strong>
          ) : (
            score(step.threshold)
          ),
          share(step.share),
          share(step.agreement),
          between(step.interval, share),
          share(step.cascade_agreement),
          usd(step.cost_per_1000_calls_usd)
        ])}
      />
    </Section>
  )
}
