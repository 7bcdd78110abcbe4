/** The thread of one training. Ends by itself once the session has ended. */
import { setImmediate } from "node:timers/promises"
import { type MessagePort, parentPort, workerData } from "node:worker_threads"
import { type FromSession, make, type Plan, type ToSession } from "./Session.ts"
import { seconds } from "./Stopwatch.ts"

// `TrainingThread` starts this file as a worker and nothing else does: there is a port, and the data is a plan.
const port = parentPort as MessagePort
const plan = workerData as Plan

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
  seconds
})
port.on("message", (message: ToSession) => session.hear(message))
