/** The thread of one count: reads a tokenizer, counts the rows, says the sums and ends. */
import { type MessagePort, parentPort, workerData } from "node:worker_threads"
import { Row } from "@limbeck/distill/dataset/Row"
import * as Schema from "effect/Schema"
import type { WorkerData } from "./CountingThread.ts"
import * as ChatTokens from "./internal/ChatTokens.ts"

// Only `CountingThread` starts this file, as a worker: the port exists, and the data has its type.
const port = parentPort as MessagePort
const { bodies, folder } = workerData as WorkerData

const decodeRow = Schema.decodeUnknownSync(Schema.fromJsonString(Row))

port.postMessage(
  ChatTokens.sum(
    bodies.map((body) => decodeRow(body)),
    await ChatTokens.open(folder)
  )
)
