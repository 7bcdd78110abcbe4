/** The stopwatch of a training's meter. It is plain data, because the training thread receives it in a message. */

export type Stopwatch =
  /**
   * Seconds of processor time of the current thread, unaffected by other work on the machine. Before Node 23.9, which
   * cannot measure thread time, seconds of the clock.
   */
  | { readonly type: "processor" }
  /** Each reading is later than the last by this: the same work comes to the same seconds on every machine. */
  | { readonly type: "counting"; readonly secondsPerReading: number }

export const processor: Stopwatch = { type: "processor" }

const hasThreadTime = typeof process.threadCpuUsage === "function"

const processorSeconds = (): number => {
  if (!hasThreadTime) return performance.now() / 1000
  const { system, user } = process.threadCpuUsage()
  return (user + system) / 1e6
}

/** Reads the stopwatch, in seconds. Only differences of readings are meaningful. */
export const start = (stopwatch: Stopwatch): (() => number) => {
  if (stopwatch.type === "processor") return processorSeconds
  let readings = 0
  return () => ++readings * stopwatch.secondsPerReading
}
