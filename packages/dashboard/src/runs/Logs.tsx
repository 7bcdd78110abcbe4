/** The log of a run, followed live. */
import type { Client } from "@limbeck/client"
import { useQueryClient } from "@tanstack/react-query"
import { type RefObject, useLayoutEffect, useRef, useState } from "react"
import { useFollowed } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { DrawingLimits } from "../large/Limits.ts"
import { Text } from "../parts/LongText.tsx"
import { Placeholder } from "../parts/Page.tsx"
import { ScrollArea } from "../parts/ScrollArea.tsx"
import { classOfLevel } from "../parts/Tones.ts"

interface Props {
  readonly run: string
  readonly moves: boolean
}

type Line = Awaited<ReturnType<Client["runs"]["logs"]>>["data"][number]

interface Log {
  readonly lines: ReadonlyArray<Line>
  /** The cursor behind its last line. */
  readonly after: string | null
}

/** Longer logs show their last lines. */
const linesMax = 2_000
/** Lines drawn together; each line takes one element or more. */
const drawnMax = 200
/** Within this distance of the end, the reader follows new lines. */
const endPixels = 40

/** Loads new lines only. */
const grown = async (client: Client, run: string, known: Log): Promise<Log> => {
  let { after, lines } = known
  for (;;) {
    const answer = await client.runs.logs(run, { limit: 1_000, ...(after === null ? {} : { after }) })
    lines = [...lines, ...answer.data].slice(-linesMax)
    after = answer.next_after ?? after
    if (!answer.has_more) return { lines, after }
  }
}

/** The last lines within the character limit for drawing. */
const lastLines = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> => {
  let [from, left]: [number, number] = [lines.length, DrawingLimits.textsMax]
  while (from > 0 && lines.length - from < drawnMax && left > 0) {
    from--
    left -= Math.min(DrawingLimits.cellMax, lines[from]?.message.length ?? 0)
  }
  return lines.slice(from)
}

interface Follow {
  readonly place: RefObject<HTMLDivElement | null>
  readonly isAtEnd: RefObject<boolean>
}

/** Keeps a reader at the end. */
const useFollowing = (last: number | undefined): Follow => {
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
  return { place, isAtEnd }
}

/**
 * The lines to draw: the last lines for a reader at the end, or the same first line as before for other readers.
 * `earlier` draws a portion of earlier lines, if any.
 */
const useDrawn = (lines: ReadonlyArray<Line>, { isAtEnd }: Follow) => {
  const first = useRef<number>(undefined)
  const [, redraw] = useState(0)
  const from = () => lines.findIndex(({ seq }) => seq >= (first.current ?? 0))
  if (isAtEnd.current || first.current === undefined) first.current = lastLines(lines)[0]?.seq
  const before = lines.slice(0, Math.max(0, from()))
  const earlier = () => {
    first.current = lastLines(before)[0]?.seq
    isAtEnd.current = false
    redraw((times) => times + 1)
  }
  return { drawn: lines.slice(Math.max(0, from())), earlier: before.length === 0 ? null : earlier }
}

export const Logs = ({ moves, run }: Props) => {
  const client = useClient()
  const queries = useQueryClient()
  const key = ["runs", run, "logs"]
  const ask = () => grown(client, run, queries.getQueryData<Log>(key) ?? { lines: [], after: null })
  const { data, isPending } = useFollowed(key, ask, moves)
  const lines = data?.lines ?? []
  const follow = useFollowing(lines.at(-1)?.seq)
  const { drawn, earlier } = useDrawn(lines, follow)
  if (isPending) return <Placeholder />
  if (lines.length === 0) return <p className="soft">Nothing was logged yet.</p>
  return (
    <>
      {lines.length === linesMax && <p className="soft">These are the last {linesMax} lines.</p>}
      {earlier !== null && (
        <button type="button" className="more" onClick={earlier}>
          Show earlier lines
        </button>
      )}
      <ScrollArea label="Log of the run" className="logs">
        <div ref={follow.place}>
          {drawn.map(({ at, level, message, seq }) => (
            <div key={seq} className={classOfLevel(level)}>
              <time dateTime={at} title={`${at} (UTC)`}>
                {new Date(at).toLocaleTimeString()}
              </time>{" "}
              <span className="log-level">{level}</span> <Text label="the line" of={message} />
            </div>
          ))}
        </div>
      </ScrollArea>
    </>
  )
}
