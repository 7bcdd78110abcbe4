/** Whether the student is right as often as it says. */
import type { Report } from "@limbeck/client"
import { useMemo } from "react"
import { Section } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { Plot } from "../parts/Plot.tsx"
import { count, score, share } from "../parts/Words.ts"

type Answer = NonNullable<Report["calibration"]>

const Curve = ({ bins }: Pick<Answer, "bins">) => {
  const told = useMemo(() => bins.filter(({ count: answers }) => answers > 0), [bins])
  const x = useMemo(() => told.map(({ confidence, from }) => confidence ?? from), [told])
  const lines = useMemo(
    () => [
      { name: "right", values: told.map(({ accuracy }) => accuracy), color: "--student" as const },
      { name: "as it says", values: x, color: "--even" as const }
    ],
    [told, x]
  )
  // One point is no curve.
  return told.length < 2 ? null : (
    <Plot
      label="How often answers are right, by the confidence they are given with; the table below has the figures"
      x={x}
      xName="confidence"
      lines={lines}
    />
  )
}

export const Calibration = ({ calibration }: Pick<Report, "calibration">) =>
  calibration === null ? null : (
    <Section title="Calibration" note={`On the average its confidence is off by ${share(calibration.expected_error)}.`}>
      <Curve bins={calibration.bins} />
      <PlainTable
        caption="Confidence and how often it is right"
        head={["Confidence", "Answers", "Mean confidence", "Right"]}
        rows={calibration.bins
          .filter(({ count: answers }) => answers > 0)
          .map(({ accuracy, confidence, count: answers, from, to }) => [
            `${score(from)} to ${score(to)}`,
            count(answers),
            score(confidence),
            share(accuracy)
          ])}
      />
    </Section>
  )
