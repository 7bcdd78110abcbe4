/** The log of a run, which follows as long as it grows. */
import type { Client } from "@limbeck/client"
import { useQueryClient } from "@tanstack/react-query"
import { useLayoutEffect, useRef } from "react"
import { useFollowed } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Awaited } from "../parts/Page.tsx"
import { Scrolled } from "../parts/Scrolled.tsx"

interface Props {
  readonly run: string
  readonly moves: boolean
}

type Line = Awaited<ReturnType<Client["runs"]["logs"]>>["data"][number]

interface Log {
  readonly lines: ReadonlyArray<Line>
  /** The last line of it, for the API. */
  readonly after: string | null
}

/** Of a longer log the last lines are shown. */
const linesMax = 2_000
/** So near its end somebody reads what comes. */
const endPixels = 40

/** What has come since; nothing that is known is asked again. */
const grown = async (client: Client, run: string, known: Log): Promise<Log> => {
  let { after, lines } = known
  for (;;) {
    const answer = await client.runs.logs(run, { limit: 1_000, ...(after === null ? {} : { after }) })
    lines = [...lines, ...answer.data].slice(-linesMax)
    after = answer.next_after ?? after
    if (!answer.has_more) return { lines, after }
  }
}

/** Stays at the end for whoever is there. */
const useFollowing = (last: number | undefined) => {
  const place = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  useLayoutEffect(() => {
    const box = place.current?.parentElement
    if (box === null || box === undefined || last === undefined) return
    if (isAtEnd.current) box.scrollTop = box.scrollHeight
    const scrolled = () => {
      isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < endPixels
    }
    box.addEventListener("scroll", scrolled, { passive: true })
    return () => box.removeEventListener("scroll", scrolled)
  }, [last])
  return place
}

export const Logs = ({ moves, run }: Props) => {
  const client = useClient()
  const queries = useQueryClient()
  const key = ["runs", run, "logs"]
  const ask = () => grown(client, run, queries.getQueryData<Log>(key) ?? { lines: [], after: null })
  const { data, isPending } = useFollowed(key, ask, moves)
  const lines = data?.lines ?? []
  const place = useFollowing(lines.at(-1)?.seq)
  if (isPending) return <Awaited />
  if (lines.length === 0) return <p className="soft">Nothing was logged yet.</p>
  return (
    <>
      {lines.length === linesMax && <p className="soft">These are the last {linesMax} lines.</p>}
      <Scrolled label="Log of the run" className="logs">
        <div ref={place}>
          {lines.map(({ at, level, message, seq }) => (
            <div key={seq} className={`log ${level}`}>
              <time dateTime={at} title={`${at} (UTC)`}>
                {new Date(at).toLocaleTimeString()}
              </time>{" "}
              <span className="log-level">{level}</span> {message}
            </div>
          ))}
        </div>
      </Scrolled>
    </>
  )
}
