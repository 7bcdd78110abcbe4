/** The questions of a version's decisions, those with the most rows first. */
import type { DatasetVersion } from "@limbeck/client"
import { Section } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { usePortion } from "../parts/Portion.tsx"
import { count, opening } from "../parts/Words.ts"

export const Questions = ({ questions }: Pick<DatasetVersion, "questions">) => {
  const { more, shown } = usePortion(questions, "questions")
  if (questions.length === 0) return null
  return (
    <Section title="Questions" note="A question with other words or other options is another question.">
      <PlainTable
        caption="What its rows are asked"
        head={["Question", "Kind", "Instructions", "Options", "Rows"]}
        rows={shown.map(({ instructions, kind, name, options, question, rows }) => [
          <bdi key="name">{opening(name ?? question, 60)}</bdi>,
          kind,
          <bdi key="instructions">{opening(instructions, 140)}</bdi>,
          <bdi key="options">
            {opening(
              options
                .slice(0, 12)
                .map(({ value }) => String(value))
                .join(", "),
              140
            )}
            {options.length > 12 && `, ${count(options.length - 12)} more`}
          </bdi>,
          count(rows)
        ])}
      />
      {more}
    </Section>
  )
}
