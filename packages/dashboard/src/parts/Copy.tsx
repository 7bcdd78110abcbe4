/** Text to be copied, with a button that does it. */
import { useState } from "react"
import { ScrollArea } from "./ScrollArea.tsx"

interface Props {
  readonly text: string
  readonly label: string
}

export const Copy = ({ label, text }: Props) => {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 2_000)
  }
  return (
    <div className="copy">
      <ScrollArea label={label} className="text">
        <pre>{text}</pre>
      </ScrollArea>
      <button type="button" onClick={copy} aria-label={`Copy ${label}`}>
        {copied ? "Copied" : "Copy"}
      </button>
    </div>
  )
}
