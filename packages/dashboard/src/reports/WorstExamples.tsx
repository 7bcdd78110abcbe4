/** What the student gets most wrong, beside the teacher. */
import type { Report } from "@limbeck/client"
import { Section } from "../parts/Page.tsx"
import { score } from "../parts/Words.ts"

interface Props {
  readonly examples: Report["worst_examples"]
}

export const WorstExamples = ({ examples }: Props) =>
  examples.length === 0 ? null : (
    <Section title="Where it is most wrong">
      {examples.map(({ confidence, prompt, row, student, teacher }) => (
        <article key={row} className="example">
          <p className="message-text">{prompt}</p>
          <dl className="side-by-side">
            <div>
              <dt>Student{confidence === null ? "" : ` (confidence ${score(confidence)})`}</dt>
              <dd className="message-text">{student}</dd>
            </div>
            <div>
              <dt>Teacher</dt>
              <dd className="message-text">{teacher}</dd>
            </div>
          </dl>
        </article>
      ))}
    </Section>
  )
