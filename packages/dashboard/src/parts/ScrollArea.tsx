/** What may be wider or higher than its place: it scrolls, by the keyboard too. */
import type { ReactNode } from "react"

interface Props {
  readonly label: string
  readonly className?: string
  readonly children: ReactNode
}

export const ScrollArea = ({ children, className = "scroll", label }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
  <section className={className} tabIndex={0} aria-label={label}>
    {children}
  </section>
)
