/** The whole engine on a Postgres, in a process of its own; it publishes when it is told to. Started by `Child`. */
import { setTimeout as sleep } from "node:timers/promises"
import * as Events from "@limbeck/core/events/Events"
import * as Partition from "@limbeck/core/partition/Partition"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import { Endpoints } from "@limbeck/webhooks/endpoint/Endpoints"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Assembly from "../src/Assembly.ts"
import { report } from "./Child.ts"

export type Command =
  | { readonly kind: "subscribe"; readonly url: string; readonly count: number }
  | {
      readonly kind: "publish"
      readonly batch: number
      readonly publishers: number
      readonly seconds: number
      /** Null: as fast as it goes. */
      readonly perSecond: number | null
    }

const [databaseUrl = ""] = process.argv.slice(2)
const type = "bench.tick"
const partition = Partition.make("ws_00000000000000000000000001", false)

const runtime = ManagedRuntime.make(
  Assembly.layer({
    storage: StoragePostgres.layer({ url: databaseUrl }),
    encryptionKeys: [Redacted.make(new Uint8Array(32))],
    eventTypes: [{ type, domain: "bench", description: "A tick of the benchmark." }]
  })
)
const events = await runtime.runPromise(Events.Events)
const draft = { type, object: { id: "tick_1", object: "tick", status: "done", note: "x".repeat(300) } }

const publish = (batch: number) =>
  events.publish(
    partition,
    Array.from({ length: batch }, () => draft)
  )

/** `publishers` loops until the time is up; each waits so that together they keep to `perSecond`. */
const load = async ({ batch, perSecond, publishers, seconds }: Command & { kind: "publish" }) => {
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  let published = 0
  const loop = async () => {
    while (performance.now() < endsAt) {
      const ahead = perSecond === null ? 0 : published / perSecond - (performance.now() - startedAt) / 1000
      if (ahead > 0) {
        await sleep(Math.max(1, ahead * 1000))
        continue
      }
      published += batch
      await runtime.runPromise(publish(batch))
    }
  }
  await Promise.all(Array.from({ length: publishers }, loop))
  return { published, seconds: (performance.now() - startedAt) / 1000 }
}

const subscribe = ({ count, url }: Command & { kind: "subscribe" }) =>
  runtime.runPromise(
    Effect.gen(function* () {
      const endpoints = yield* Endpoints
      for (let index = 0; index < count; index++) {
        yield* endpoints.create(partition, { url: `${url}/${index}`, enabledEvents: [type] })
      }
      return {}
    })
  )

const perform = (command: Command): Promise<object> => (command.kind === "publish" ? load(command) : subscribe(command))

report("engine", (command) =>
  // Only the benchmark sends commands, and it sends these.
  perform(command as Command)
)
