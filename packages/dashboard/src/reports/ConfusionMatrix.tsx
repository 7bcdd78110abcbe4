/** Which answers are taken for which others: of the labels that are confused most. */

import type { Report } from "@limbeck/client"
import { Scrolled } from "../parts/Scrolled.tsx"
import { opening } from "../parts/Words.ts"

type Advice = NonNullable<Report["advice"]>

const labelsMax = 12

/** Those with the most rows. */
const shownOf = (labels: Advice["labels"]) =>
  [...labels].sort((left, right) => right.support - left.support).slice(0, labelsMax)

const rightOf = ({ recall, support }: Advice["labels"][number]) => Math.round((recall ?? 0) * support)

export const ConfusionMatrix = ({ confusions, labels }: Pick<Advice, "confusions" | "labels">) => {
  const shown = shownOf(labels)
  const count = (teacher: string, student: string): number => {
    const own = shown.find(({ label }) => label === teacher)
    if (teacher === student) return own === undefined ? 0 : rightOf(own)
    return confusions.find((confusion) => confusion.teacher === teacher && confusion.student === student)?.count ?? 0
  }
  return (
    <Scrolled label="Confusion matrix">
      <table className="matrix">
        <caption>
          Rows: what the teacher says. Columns: what the student says. The most frequent labels, and the most frequent
          confusions.
        </caption>
        <thead>
          <tr>
            <th scope="col">Teacher</th>
            {shown.map(({ label }) => (
              <th scope="col" key={label}>
                {opening(label, 16)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ label, support }) => (
            <tr key={label}>
              <th scope="row">{opening(label, 32)}</th>
              {shown.map((other) => {
                const times = count(label, other.label)
                const tone = label === other.label ? "right" : "wrong"
                return (
                  <td
                    key={other.label}
                    className={times === 0 ? undefined : tone}
                    style={{ "--share": times / Math.max(1, support) } as React.CSSProperties}
                  >
                    {times === 0 ? "" : times}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  )
}
