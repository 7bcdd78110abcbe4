/**
 * The server's services on a Postgres, in its own process: stores captured calls, builds a version from them, and reads it.
 * Started by `Child`.
 */

import { CallStore } from "@limbeck/capture/call/CallStore"
import type { CallId, CapturedCall } from "@limbeck/capture/call/CapturedCall"
import { Ids } from "@limbeck/core/ids/Ids"
import * as Partition from "@limbeck/core/partition/Partition"
import { Datasets } from "@limbeck/distill/dataset/Datasets"
import * as VersionBuilder from "@limbeck/distill/dataset/VersionBuilder"
import * as Assembly from "@limbeck/limbeck/Assembly"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { report } from "./Child.ts"

export type Command =
  /** Stores so many captured calls. */
  | { readonly kind: "fill"; readonly calls: number }
  /** Builds a version of all of them. */
  | { readonly kind: "build" }
  /** Reads a version's rows like an export or a training, and returns their number. */
  | { readonly kind: "read"; readonly version: string }

export interface VersionTimes {
  readonly version: string
  readonly status: string
  readonly rows: number
}

const [databaseUrl = ""] = process.argv.slice(2)
const partition = Partition.make("ws_00000000000000000000000001", true)
const perAppend = 500

const services = Assembly.layer({
  storage: StoragePostgres.layer({ url: databaseUrl }),
  encryptionKeys: [Redacted.make(new Uint8Array(32))],
  workers: false
})
const runtime = ManagedRuntime.make(Layer.provideMerge(VersionBuilder.layer, services))

const words =
  "the parcel that was sent last week has not come yet and our customer asks when it will arrive because they need it before the holiday please check with the carrier what status it has".split(
    " "
  )

/** So many words; other ones for another number. */
const prose = (count: number, number: number): string => {
  let luck = Math.imul(number + 1, 0x9e3779b1)
  const chosen: Array<string> = []
  for (let index = 0; index < count; index++) {
    luck = (Math.imul(luck, 1_664_525) + 1_013_904_223) >>> 0
    chosen.push(words[(luck >>> 8) % words.length] ?? "")
  }
  return chosen.join(" ")
}

const system =
  "You sort the tickets of a parcel service. Answer with one label and a short reason, in plain English, and promise nothing."

const callOf = (id: CallId, number: number, createdAt: number): CapturedCall => ({
  id,
  endpoint: "chat.completions",
  source: "src_00000000000000000000000001",
  sourceName: "teacher",
  model: "teacher-large",
  servedBy: "upstream",
  deployment: null,
  fallbackReason: null,
  confidence: null,
  tags: ["tickets"],
  externalId: `ticket-${number}`,
  outcome: "succeeded",
  statusCode: 200,
  streamed: false,
  request: JSON.stringify({
    model: "teacher-large",
    messages: [
      { role: "system", content: system },
      { role: "user", content: `Ticket ${number}: ${prose(50 + (number % 40), number)}` }
    ]
  }),
  requestIsJson: true,
  response: JSON.stringify({
    id: `chatcmpl-${number}`,
    object: "chat.completion",
    created: 1_790_000_000,
    model: "teacher-large",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: `delayed: ${prose(20 + (number % 15), number + 7)}` },
        finish_reason: "stop"
      }
    ],
    usage: { prompt_tokens: 120, completion_tokens: 30, total_tokens: 150 }
  }),
  responseIsJson: true,
  truncated: false,
  assemblerVersion: null,
  usage: { inputTokens: 120, outputTokens: 30 },
  costMicros: null,
  billed: false,
  latencyMillis: 800,
  firstTokenMillis: null,
  createdAt
})

const fill = Effect.fnUntraced(function* (calls: number) {
  const store = yield* CallStore
  const ids = yield* Ids
  for (let from = 0; from < calls; from += perAppend) {
    const createdAt = yield* Clock.currentTimeMillis
    const numbers = Array.from({ length: Math.min(perAppend, calls - from) }, (_, index) => from + index)
    const made = yield* Effect.forEach(numbers, (number) =>
      Effect.map(ids.make("call"), (id) => ({ partition, value: callOf(id, number, createdAt) }))
    )
    yield* store.append(made)
  }
})

const build = Effect.gen(function* () {
  const datasets = yield* Datasets
  const { id } = yield* datasets.create(partition, { name: "tickets" })
  // A version contains calls made before it.
  yield* Effect.sleep("5 millis")
  const version = yield* datasets.createVersion(partition, id, { from: { calls: {} } })
  yield* (yield* VersionBuilder.VersionBuilder).runOnce
  const { rows, status } = yield* datasets.getVersion(partition, version.id)
  const built: VersionTimes = { version: version.id, rows, status }
  return built
})

const read = Effect.fnUntraced(function* (version: string) {
  const rows = (yield* Datasets).exportRows(partition, version, null)
  return yield* Stream.runCount(rows)
})

const perform = (command: Command): Promise<unknown> => {
  switch (command.kind) {
    case "fill":
      return runtime.runPromise(fill(command.calls))
    case "build":
      return runtime.runPromise(build)
    case "read":
      return runtime.runPromise(read(command.version))
  }
}

report("data", (command) =>
  // Only the benchmark sends commands, and it sends these.
  perform(command as Command)
)
