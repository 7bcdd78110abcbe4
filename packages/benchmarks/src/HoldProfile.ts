/** Where a thread spends its time, printed to the standard error. */
import { type Profiler, Session } from "node:inspector"

const shownMax = 8

/** The functions in which most samples lie, with their share. */
const summaryOf = ({ nodes, samples = [] }: Profiler.Profile): string => {
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

/** Prints, at each call, where the thread spent its time since the call before. */
export const start = (): (() => void) => {
  const session = new Session()
  session.connect()
  session.post("Profiler.enable")
  session.post("Profiler.setSamplingInterval", { interval: 1_000 })
  session.post("Profiler.start")
  return () => {
    session.post("Profiler.stop", (_, result) => process.stderr.write(`${result ? summaryOf(result.profile) : ""}\n`))
    session.post("Profiler.start")
  }
}
