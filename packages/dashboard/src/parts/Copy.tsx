/** Text to be copied, with a button that does it. */
import { useState } from "react"
import { ScrollArea } from "./ScrollArea.tsx"

interface Props {
  readonly text: string
  readonly label: string
}

/** Copies a text that stands elsewhere on the page. */
export const CopyButton = ({ label, text }: Props) => {
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

export const Copy = ({ label, text }: Props) => (
  <div className="copy">
    <ScrollArea label={label} className="text">
      <pre>{text}</pre>
    </ScrollArea>
    <CopyButton label={label} text={text} />
  </div>
)
