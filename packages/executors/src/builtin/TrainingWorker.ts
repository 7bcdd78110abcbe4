/** The thread of one training. Exits after the session has ended. */
import { setImmediate } from "node:timers/promises"
import { type MessagePort, parentPort, workerData } from "node:worker_threads"
import { type FromSession, make, type ToSession } from "./internal/Session.ts"
import * as Stopwatch from "./Stopwatch.ts"
import type { WorkerData } from "./TrainingThread.ts"
import { TableUnreadable } from "./tables/Tables.ts"

// Only `TrainingThread` starts this file, as a worker with a port and with its own data.
const port = parentPort as MessagePort
const { plan, stopwatch } = workerData as WorkerData

const transferOf = (message: FromSession): Array<ArrayBuffer> => {
  if (message.type === "checkpoint") return [message.bytes.buffer]
  return message.type === "ended" && message.ending.type === "finished" ? [message.ending.model.buffer] : []
}

const { tableFolder } = plan
const { table: reference } = plan.settings

/** The tokenizer is loaded only where a table is set up. */
const openTable = async () => {
  if (tableFolder === undefined || reference === undefined) return undefined
  const { open } = await import("./tables/EmbeddingTable.ts")
  const table = open(tableFolder, reference.name)
  if (table instanceof TableUnreadable) throw new Error(table.reason)
  if (table.sha256 !== reference.sha256)
    throw new Error(`The files of the static embeddings ${reference.name} have changed`)
  return table
}
const table = await openTable()

const session = make(plan, {
  ...(table === undefined ? {} : { table }),
  say: (message) => {
    port.postMessage(message, transferOf(message))
    if (message.type === "ended") port.close()
  },
  breathe: () => setImmediate(),
  seconds: Stopwatch.start(stopwatch)
})
port.on("message", (message: ToSession) => session.receive(message))
