/** A text that may be long: its first part, and a button for each next one. */
import { type ReactNode, useState } from "react"
import { wordsOf } from "../app/Queries.ts"
import { DrawingLimits } from "../large/Limits.ts"
import { partOf, type TextPart } from "../large/TextPart.ts"

interface Props {
  /** What it is, for the button. */
  readonly label: string
  readonly first: TextPart
  /** The part that begins at a place. */
  readonly more: (from: number) => TextPart | Promise<TextPart>
  readonly children: (text: string, at: number) => ReactNode
}

/** Each part is an element of its own: layout time may grow with the square of a paragraph's length. */
export const LongText = ({ children, first, label, more }: Props) => {
  const [followers, setFollowers] = useState<ReadonlyArray<TextPart>>([])
  const [problem, setProblem] = useState<string | null>(null)
  const [isAsked, setAsked] = useState(false)
  const parts = [first, ...followers]
  const next = parts.at(-1)?.next ?? null
  const show = async (from: number) => {
    setAsked(true)
    try {
      const part = await more(from)
      setFollowers((before) => [...before, part])
      setProblem(null)
    } catch (error) {
      setProblem(wordsOf(error))
    }
    setAsked(false)
  }
  return (
    <>
      {parts.map(({ text }, at) => children(text, at))}
      {problem !== null && <p role="alert">{problem}</p>}
      {next !== null && (
        <button
          type="button"
          className="more"
          disabled={isAsked}
          aria-label={`More of ${label}`}
          onClick={() => show(next)}
        >
          Show more
        </button>
      )}
    </>
  )
}

interface TextProps {
  readonly label: string
  readonly of: string
  readonly max?: number
}

/** A text in a cell or a sentence, cut after some hundred characters until somebody wants the rest. */
export const Text = ({ label, max = DrawingLimits.cellMax, of }: TextProps) => (
  <LongText label={label} first={partOf(of, 0, max)} more={(from) => partOf(of, from, DrawingLimits.textMax)}>
    {(text, at) => (
      <bdi key={at} className="long">
        {text}
      </bdi>
    )}
  </LongText>
)

/** A message from a server, a trainer or an upstream. */
export const Notice = ({ of }: { readonly of: string }) => (
  <p className="notice">
    <Text label="the notice" of={of} />
  </p>
)
