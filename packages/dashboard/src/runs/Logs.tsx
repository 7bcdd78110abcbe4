/** The log of a run, which follows as long as it grows. */
import { liveMillis, useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Scrolled } from "../parts/Scrolled.tsx"

interface Props {
  readonly run: string
  readonly moves: boolean
}

const linesMax = 1_000

export const Logs = ({ moves, run }: Props) => {
  const client = useClient()
  const { data } = useAnswer(["runs", run, "logs"], () => client.runs.logs(run, { limit: linesMax }), {
    refetchInterval: moves ? liveMillis : false
  })
  if (data === undefined || data.data.length === 0) return <p className="soft">Nothing was logged yet.</p>
  return (
    <>
      <Scrolled label="Log of the run" className="logs">
        {data.data.map(({ at, level, message, seq }) => (
          <div key={seq} className={`log ${level}`}>
            <time dateTime={at} title={`${at} (UTC)`}>
              {new Date(at).toLocaleTimeString()}
            </time>{" "}
            <span className="log-level">{level}</span> {message}
          </div>
        ))}
      </Scrolled>
      {data.has_more && <p className="soft">These are the first {linesMax} lines.</p>}
    </>
  )
}
