/** A page: its title, its place, its actions, and its pending data. */
import type { UseQueryResult } from "@tanstack/react-query"
import { type ReactNode, useEffect } from "react"
import { Link } from "wouter"
import { Failure } from "./Failure.tsx"
import { Waiting } from "./Waiting.tsx"

interface Props {
  readonly title: string
  /** The list that it came from. */
  readonly from?: readonly [place: string, name: string]
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** Characters that would turn the words beside a name around; a title has no elements to contain them. */
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

export const Page = ({ actions, children, from, title }: Props) => {
  useEffect(() => {
    document.title = `${title.replaceAll(directions, "")} · Limbeck`
  }, [title])
  return (
    <>
      <div className="page-head">
        <div>
          {from !== undefined && (
            <Link href={from[0]} className="from">
              {from[1]}
            </Link>
          )}
          <h1>{title}</h1>
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </div>
      {children}
    </>
  )
}

/** A placeholder for a pending response. Later sections wait too, which keeps the layout still. */
export const Placeholder = () => (
  <div className="awaited" aria-busy="true">
    <Waiting />
  </div>
)

interface QueryContentProps<A> {
  readonly query: UseQueryResult<A>
  readonly children: (answer: A) => ReactNode
}

/** Renders a response once available. */
export const QueryContent = <A,>({ children, query }: QueryContentProps<A>) => {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <Failure error={query.error} again={() => query.refetch()} />
  return <Placeholder />
}

interface SectionProps {
  readonly title: string
  readonly note?: ReactNode
  readonly children: ReactNode
}

export const Section = ({ children, note, title }: SectionProps) => (
  <section className="card">
    <h2>{title}</h2>
    {note !== undefined && <p className="soft">{note}</p>}
    {children}
  </section>
)
