/** Text to be copied, with a button that does it. */
import { useState } from "react"
import { ScrollArea } from "./ScrollArea.tsx"

interface ButtonProps {
  readonly text: string
  readonly label: string
}

interface Props extends ButtonProps {
  /** What stands on the page where the text has a secret: everybody near the screen reads it. */
  readonly shown?: string
}

/** Copies a text that stands elsewhere on the page. */
export const CopyButton = ({ label, text }: ButtonProps) => {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 2_000)
  }
  return (
    <button type="button" onClick={copy} aria-label={`Copy ${label}`}>
      {copied ? "Copied" : "Copy"}
    </button>
  )
}

export const Copy = ({ label, shown, text }: Props) => (
  <div className="copy">
    <ScrollArea label={label} className="text">
      <pre>{shown ?? text}</pre>
    </ScrollArea>
    <CopyButton label={label} text={text} />
  </div>
)
