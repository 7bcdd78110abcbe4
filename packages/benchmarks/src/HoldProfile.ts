/** Where a thread spends its time, printed to the standard error. */
import { type Profiler, Session } from "node:inspector"

const shownMax = 8

/** Monotonic microseconds, as V8 stamps its samples. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** The functions in which most samples of the span lie, with their share. */
const summaryOf = ({ nodes, samples: all = [], startTime, timeDeltas = [] }: Profiler.Profile, span: Span): string => {
  let at = startTime
  const samples = all.filter((_, index) => {
    at += timeDeltas[index] ?? 0
    return at >= span.from && at <= span.to
  })
  const counts = new Map<number, number>()
  for (const sample of samples) counts.set(sample, (counts.get(sample) ?? 0) + 1)
  const names = new Map<string, number>()
  for (const { callFrame, id } of nodes) {
    const place = callFrame.url.split("/").slice(-2).join("/")
    const name = `${callFrame.functionName || "(anonymous)"} ${place}:${callFrame.lineNumber + 1}`
    names.set(name, (names.get(name) ?? 0) + (counts.get(id) ?? 0))
  }
  return [...names]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, shownMax)
    .map(([name, count]) => `    ${Math.round((100 * count) / Math.max(1, samples.length))} % ${name}`)
    .join("\n")
}

/** Prints, at each call, where the thread spent the time of a hold since the call before. */
export const start = (): ((hold: Span) => void) => {
  const session = new Session()
  session.connect()
  session.post("Profiler.enable")
  session.post("Profiler.setSamplingInterval", { interval: 1_000 })
  session.post("Profiler.start")
  return (hold) => {
    session.post("Profiler.stop", (_, result) =>
      process.stderr.write(`${result ? summaryOf(result.profile, hold) : ""}\n`)
    )
    session.post("Profiler.start")
  }
}
