/** A page's text for an empty list, with the next step. */
import type { ReactNode } from "react"

interface Props {
  readonly title: string
  readonly children?: ReactNode
}

export const Empty = ({ children, title }: Props) => (
  <section className="empty">
    <h2>{title}</h2>
    <div>{children}</div>
  </section>
)
