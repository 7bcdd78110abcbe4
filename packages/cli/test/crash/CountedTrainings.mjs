/**
 * Loaded into a server by `--import`: its trainings are metered by their steps and not by processor time, so that a training has
 * the same checkpoints on every machine.
 */
import { createRequire, syncBuiltinESMExports } from "node:module"

const threads = createRequire(import.meta.url)("node:worker_threads")
const stopwatch = { type: "counting", secondsPerReading: 0.04 }

threads.Worker = class extends threads.Worker {
  constructor(file, options) {
    const isTraining = options?.workerData?.stopwatch !== undefined
    super(file, isTraining ? { ...options, workerData: { ...options.workerData, stopwatch } } : options)
  }
}
syncBuiltinESMExports()

// The evaluation is metered in the server's own thread.
let readings = 0
process.threadCpuUsage = () => ({ user: ++readings * stopwatch.secondsPerReading * 1e6, system: 0 })
