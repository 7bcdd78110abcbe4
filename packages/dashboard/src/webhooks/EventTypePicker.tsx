/** Chooses event types from the catalog of the server, which has the host's own types too. */
import { useId, useState } from "react"
import { Failure } from "../parts/Failure.tsx"
import { Waiting } from "../parts/Waiting.tsx"
import { useEventTypes } from "./EventFilter.tsx"
import { includes, patternsOf, toggled } from "./EventPatterns.ts"

interface Props {
  /** Of the hidden fields of the form, one for each chosen pattern. */
  readonly name: string
  readonly initial: ReadonlyArray<string>
}

interface ChoiceProps {
  readonly pattern: string
  readonly description: string
  readonly chosen: ReadonlyArray<string>
  readonly choose: (pattern: string) => void
}

/** A chosen pattern also checks the patterns that it includes. */
const Choice = ({ choose, chosen, description, pattern }: ChoiceProps) => {
  const isIncluded = chosen.some((other) => other !== pattern && includes(other, pattern))
  return (
    <label className="choice">
      <input
        type="checkbox"
        checked={isIncluded || chosen.includes(pattern)}
        disabled={isIncluded}
        onChange={() => choose(pattern)}
      />
      <span>
        <code>{pattern}</code> <span className="soft">{description}</span>
      </span>
    </label>
  )
}

const familyWords = (pattern: string) =>
  pattern === "*" ? "All events, of new types too" : "All events of this family"

const Choices = ({ choose, chosen }: Pick<ChoiceProps, "choose" | "chosen">) => {
  const [wanted, setWanted] = useState("")
  const { data, error, refetch } = useEventTypes()
  if (error !== null) return <Failure error={error} again={() => refetch()} />
  if (data === undefined) return <Waiting />
  const descriptions = new Map(data.map(({ description, type }) => [type, description]))
  // A subscription stays on offer after its type has left the catalog.
  const offered = [...new Set([...patternsOf([...descriptions.keys()]), ...chosen])]
  const words = (pattern: string) =>
    descriptions.get(pattern) ?? (pattern.endsWith("*") ? familyWords(pattern) : "Not in the catalog of this server")
  const shown = offered.filter((pattern) =>
    `${pattern} ${words(pattern)}`.toLowerCase().includes(wanted.trim().toLowerCase())
  )
  return (
    <>
      <input
        type="search"
        aria-label="Find event types"
        placeholder="Find event types"
        value={wanted}
        onChange={({ target }) => setWanted(target.value)}
      />
      <div className="choices">
        {shown.map((pattern) => (
          <Choice key={pattern} pattern={pattern} description={words(pattern)} chosen={chosen} choose={choose} />
        ))}
        {shown.length === 0 && <p className="soft">No event type has these letters.</p>}
      </div>
    </>
  )
}

export const EventTypePicker = ({ initial, name }: Props) => {
  const [chosen, setChosen] = useState(initial)
  const legend = useId()
  return (
    <fieldset className="picker" aria-labelledby={legend}>
      <legend id={legend}>Event types</legend>
      {chosen.map((pattern) => (
        <input key={pattern} type="hidden" name={name} value={pattern} />
      ))}
      <Choices chosen={chosen} choose={(pattern) => setChosen(toggled(chosen, pattern))} />
      <span className="soft" aria-live="polite">
        {chosen.length === 0 ? "Choose at least one." : `Chosen: ${chosen.join(", ")}`}
      </span>
    </fieldset>
  )
}
