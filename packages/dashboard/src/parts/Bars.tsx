/** Shares beside their names. */
import type { ReactNode } from "react"

interface Props {
  readonly label: string
  /** `of` is between 0 and 1. */
  readonly bars: ReadonlyArray<{ readonly name: string; readonly of: number; readonly what: ReactNode }>
}

export const Bars = ({ bars, label }: Props) => (
  <ul className="bars" aria-label={label}>
    {bars.map(({ name, of, what }, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: two names may be the same text
      <li key={at}>
        <bdi className="bar-name">{name}</bdi>
        <span className="bar-track">
          <span className="bar" style={{ width: `${Math.max(0, Math.min(1, of)) * 100}%` }} />
        </span>
        <span className="bar-what">{what}</span>
      </li>
    ))}
  </ul>
)
