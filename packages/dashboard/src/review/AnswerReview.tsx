/** The entry of a review queue that a person judges: prompt, answer, evidence, and the other answers to choose among. */
import type { ReviewTurn } from "@limbeck/client"
import type { FormEvent } from "react"
import { useMayWrite } from "../app/Session.tsx"
import { DrawingLimits } from "../large/Limits.ts"
import { Input } from "../parts/Ask.tsx"
import { Facts } from "../parts/Facts.tsx"
import { textOf } from "../parts/Forms.ts"
import { Text } from "../parts/LongText.tsx"
import { Neighbours } from "../parts/Neighbours.tsx"
import { Section } from "../parts/Page.tsx"
import { classOfRole } from "../parts/Tones.ts"
import { opening, share } from "../parts/Words.ts"

export type Entry = NonNullable<ReviewTurn["entry"]>

/** Messages of any form; content other than text appears as JSON. */
const contentOf = ({ content }: Entry["messages"][number]): string =>
  typeof content === "string" ? content : JSON.stringify(content ?? null)

const Prompt = ({ messages }: Pick<Entry, "messages">) => (
  <ol className="messages" aria-label="Prompt">
    {messages.map((message, index) => {
      const role = String(message["role"])
      return (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no other name, and never move
        <li key={index} className={classOfRole(role)}>
          <bdi className="message-role">{role}</bdi>
          <p className="message-text">
            <Text label={`message ${index + 1}`} of={contentOf(message)} max={DrawingLimits.textMax} />
          </p>
        </li>
      )
    })}
  </ol>
)

interface Props {
  readonly entry: Entry
  /** The answers with a digit each. */
  readonly others: ReadonlyArray<string>
  readonly choose: (answer: string) => void
}

const Others = ({ choose, others }: Omit<Props, "entry">) => {
  const mayWrite = useMayWrite()
  return (
    <p className="actions">
      {others.map((label, index) => (
        <button
          key={label}
          type="button"
          aria-keyshortcuts={String(index + 1)}
          disabled={!mayWrite}
          onClick={() => choose(label)}
        >
          <bdi>{opening(label, 60)}</bdi> <kbd>{index + 1}</kbd>
        </button>
      ))}
    </p>
  )
}

/** Any answer: one label from a long list, or free text for open answer sets. */
const AnotherAnswer = ({ choose, entry: { labels } }: Omit<Props, "others">) => {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    choose(textOf(new FormData(event.currentTarget), "answer"))
  }
  return (
    <form className="actions" onSubmit={submit}>
      <Input label="Another answer" name="answer" list="labels" required autoComplete="off" />
      <datalist id="labels">
        {labels.map((label) => (
          <option key={label} value={label} />
        ))}
      </datalist>
      <button type="submit">Correct</button>
    </form>
  )
}

export const AnswerReview = ({ choose, entry, others }: Props) => (
  <Section title="Is the answer right?" key={entry.entry}>
    <Prompt messages={entry.messages} />
    <Facts
      of={[
        [
          entry.by_student ? "Answer of the student" : "Answer",
          <strong key="answer">
            <Text label="the answer" of={entry.answer} />
          </strong>
        ],
        entry.suggested === null
          ? null
          : ["Suggested instead", <Text key="suggested" label="the suggestion" of={entry.suggested} />],
        entry.confidence === null ? null : ["Confidence", share(entry.confidence)]
      ]}
    />
    <Neighbours of={entry.neighbours} />
    {others.length > 0 && <Others others={others} choose={choose} />}
    {(entry.labels.length === 0 || entry.labels.length > others.length + 1) && (
      <AnotherAnswer entry={entry} choose={choose} />
    )}
  </Section>
)
