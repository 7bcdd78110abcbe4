/** The thread of one training. Exits after the session has ended. */
import { setImmediate } from "node:timers/promises"
import { type MessagePort, parentPort, workerData } from "node:worker_threads"
import { type FromSession, make, type ToSession } from "./internal/Session.ts"
import * as Stopwatch from "./Stopwatch.ts"
import type { WorkerData } from "./TrainingThread.ts"

// Only `TrainingThread` starts this file, as a worker with a port and with its own data.
const port = parentPort as MessagePort
const { plan, stopwatch } = workerData as WorkerData

const transferOf = (message: FromSession): Array<ArrayBuffer> => {
  if (message.type === "checkpoint") return [message.bytes.buffer]
  return message.type === "ended" && message.ending.type === "finished" ? [message.ending.model.buffer] : []
}

const session = make(plan, {
  say: (message) => {
    port.postMessage(message, transferOf(message))
    if (message.type === "ended") port.close()
  },
  breathe: () => setImmediate(),
  seconds: Stopwatch.start(stopwatch)
})
port.on("message", (message: ToSession) => session.receive(message))
