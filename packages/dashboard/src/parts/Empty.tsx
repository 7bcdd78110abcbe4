/** What a page says when there is nothing to show, and what can be done. */
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
