/** JSON to read, a part at a time. */
import { DrawingLimits } from "../large/Limits.ts"
import { partOf, type TextPart } from "../large/TextPart.ts"
import { LongText } from "./LongText.tsx"
import { ScrollArea } from "./ScrollArea.tsx"

interface PartsProps {
  readonly label: string
  readonly first: TextPart
  readonly more: (from: number) => TextPart | Promise<TextPart>
}

export const JsonParts = ({ first, label, more }: PartsProps) => (
  <ScrollArea label={label} className="text">
    <LongText label={label} first={first} more={more}>
      {(text, at) => <pre key={at}>{text}</pre>}
    </LongText>
  </ScrollArea>
)

interface Props {
  readonly label: string
  readonly of: unknown
}

export const Json = ({ label, of }: Props) => (
  <JsonParts
    label={label}
    first={partOf(of, 0, DrawingLimits.textMax)}
    more={(from) => partOf(of, from, DrawingLimits.textMax)}
  />
)
