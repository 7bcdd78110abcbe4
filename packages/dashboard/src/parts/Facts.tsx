/** Names and what they are. */
import type { ReactNode } from "react"

interface Props {
  readonly of: ReadonlyArray<readonly [name: string, what: ReactNode] | null>
}

export const Facts = ({ of }: Props) => (
  <dl className="facts">
    {of.flatMap((fact) =>
      fact === null
        ? []
        : [
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ]
    )}
  </dl>
)

interface FigureProps {
  readonly name: string
  readonly value: ReactNode
  readonly note?: ReactNode
}

/** One number that matters, large. */
export const Figure = ({ name, note, value }: FigureProps) => (
  <div className="figure">
    <span className="figure-name">{name}</span>
    <span className="figure-value">{value}</span>
    {note !== undefined && <span className="soft">{note}</span>}
  </div>
)
