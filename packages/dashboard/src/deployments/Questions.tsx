/** A deployment of decisions, question by question: who answers, and how the guard sees it. */
import type { DeploymentWithFigures } from "@limbeck/client"
import { Section } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { usePortion } from "../parts/Portion.tsx"
import { Time } from "../parts/Time.tsx"
import { count, intervalText, opening, share } from "../parts/Words.ts"

export const Questions = ({ agreement, figures }: Pick<DeploymentWithFigures, "agreement" | "figures">) => {
  const { more, shown } = usePortion(figures.questions, "questions")
  const watched = new Map((agreement?.questions ?? []).map((question) => [question.question, question]))
  if (figures.questions.length === 0) return null
  return (
    <Section
      title="Questions"
      note="Each question has a floor of its own. One below it goes to the fallback, and the others stay."
    >
      <PlainTable
        caption="Who answers each question, and how often the student agrees"
        head={["Question", "Asked", "Answered here", "Compared", "Agreement", "Interval", "Floor", "Guard"]}
        rows={shown.map(({ answered_here: here, asked, compared, name, question }) => {
          const found = watched.get(question)
          return [
            <bdi key="name">{opening(name ?? question, 60)}</bdi>,
            count(asked),
            `${count(here)} (${share(here / Math.max(1, asked))})`,
            count(compared),
            share(found?.value),
            intervalText(found, share),
            share(found?.min_agreement),
            found === undefined ? (
              "–"
            ) : found.guarded_at === null ? (
              "holds"
            ) : (
              <Time key="guarded" at={found.guarded_at} />
            )
          ]
        })}
      />
      {more}
    </Section>
  )
}
