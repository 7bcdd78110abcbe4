/** The questions that a student of decisions answers. */
import type { StudentModel } from "@limbeck/client"
import { Section } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { usePortion } from "../parts/Portion.tsx"
import { count, intervalText, opening, score, share } from "../parts/Words.ts"

export const Questions = ({ questions }: Pick<StudentModel, "questions">) => {
  const { more, shown } = usePortion(questions, "questions")
  if (questions.length === 0) return null
  return (
    <Section
      title="Questions"
      note="From its threshold on the student answers alone. Without one the fallback answers: it was not learnt well enough."
    >
      <PlainTable
        caption="What it answers"
        head={["Question", "Kind", "Options", "Threshold", "Agreement", "Interval"]}
        rows={shown.map(({ agreement, kind, name, options, question, threshold }) => [
          <bdi key="name">{opening(name ?? question, 60)}</bdi>,
          kind,
          count(options.length),
          threshold === null ? "none" : score(threshold),
          share(agreement?.value),
          intervalText(agreement, share)
        ])}
      />
      {more}
    </Section>
  )
}
