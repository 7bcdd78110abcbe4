/** The answers of a call for decisions: each question with the bars of its distribution. */
import type { CapturedCallDetail } from "@limbeck/client"
import { Bars } from "../parts/Bars.tsx"
import { Section } from "../parts/Page.tsx"
import { usePortion } from "../parts/Portion.tsx"
import { opening, quantity, share } from "../parts/Words.ts"

/** As the reader leaves it. */
type Decision = CapturedCallDetail["decisions"][number] & { readonly options?: ReadonlyArray<string> | null }

/** Options that are drawn; a choice has up to 255. */
const barsMax = 8

/** Levels in their order, options of a choice the most probable first. */
const barsOf = ({ kind, options, probabilities }: Decision) => {
  const all = (probabilities ?? []).map((of, at) => ({ name: opening(options?.[at] ?? `option ${at + 1}`, 60), of }))
  const ordered = kind === "choice" ? all.toSorted((a, b) => b.of - a.of) : all
  const rest = ordered.slice(barsMax)
  const drawn = ordered.slice(0, barsMax).map(({ name, of }) => ({ name, of, what: share(of) }))
  if (rest.length === 0) return drawn
  const of = rest.reduce((sum, one) => sum + one.of, 0)
  return [...drawn, { name: `${quantity(rest.length, "other option")}`, of, what: share(of) }]
}

const Answer = ({ decision }: { readonly decision: Decision }) => {
  const { kind, name, probabilities, question, refusal, served_by: servedBy } = decision
  const label = name ?? "Unnamed question"
  return (
    <article>
      <h3>
        <bdi>{opening(label, 120)}</bdi>
      </h3>
      <p className="soft">
        {kind}, answered by the {servedBy}, <code>{question}</code>
      </p>
      {probabilities === null ? (
        <p>{refusal ? "The model refused to answer." : "The answer cannot be read."}</p>
      ) : (
        <Bars label={`Probabilities of ${opening(label, 120)}`} bars={barsOf(decision)} />
      )}
    </article>
  )
}

export const Decisions = ({ decisions }: Pick<CapturedCallDetail, "decisions">) => {
  const { more, shown } = usePortion(decisions, "questions")
  if (decisions.length === 0) return null
  return (
    <Section title="Questions" note="The probability of each option, as the model or the student gave it.">
      {shown.map((decision, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a question may be asked twice
        <Answer key={at} decision={decision} />
      ))}
      {more}
    </Section>
  )
}
