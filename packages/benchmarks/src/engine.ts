/**
 * The engine on a Postgres, in its own process; publishes, buries and recovers on command. Started by `Child` with the
 * database's URL and its workers.
 */
import * as Events from "@limbeck/core/events/Events"
import * as Partition from "@limbeck/core/partition/Partition"
import * as Assembly from "@limbeck/limbeck/Assembly"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import type { Delivery } from "@limbeck/webhooks/delivery/Delivery"
import { DeliveryStore } from "@limbeck/webhooks/delivery/DeliveryStore"
import { Endpoints } from "@limbeck/webhooks/endpoint/Endpoints"
import { Recoveries } from "@limbeck/webhooks/recovery/Recoveries"
import * as Webhooks from "@limbeck/webhooks-host/Webhooks"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { report } from "./Child.ts"
import * as Publisher from "./Publisher.ts"

/** Every worker of the server, only webhook workers, or none, for publishing alone. */
export type Workers = "all" | "webhooks" | "none"

export type Command =
  /** Makes endpoints; their URLs end in their number. */
  | { readonly kind: "subscribe"; readonly url: string; readonly count: number; readonly types?: ReadonlyArray<string> }
  | ({ readonly kind: "publish" } & Publisher.Load)
  | ({ readonly kind: "fill" } & Publisher.Fill)
  /** Turns every due delivery into a dead letter. */
  | { readonly kind: "bury" }
  | { readonly kind: "recover"; readonly endpoint: string }

const [databaseUrl = "", workers = "all"] = process.argv.slice(2)
const partition = Partition.make("ws_00000000000000000000000001", false)

const types = [
  Publisher.tick,
  "bench.slow",
  "bench.dead",
  ...Array.from({ length: 10 }, (_, index) => `bench.group_${index}`)
]

const options = {
  storage: StoragePostgres.layer({ url: databaseUrl }),
  encryptionKeys: [Redacted.make(new Uint8Array(32))] as const,
  eventTypes: types.map((type) => ({ type, domain: "bench", description: "An event of the benchmark." }))
}

const layer: Layer.Layer<Events.Events | Endpoints | DeliveryStore | Recoveries, unknown> =
  workers === "all" ? Assembly.layer(options) : Webhooks.layer({ ...options, workers: workers === "webhooks" })

const runtime = ManagedRuntime.make(layer)
const events = await runtime.runPromise(Events.Events)
const object = { id: "tick_1", object: "tick", status: "done", note: "x".repeat(300) }

const publish: Publisher.Publish = (type, batch) =>
  runtime.runPromise(
    events.publish(
      partition,
      Array.from({ length: batch }, () => ({ type, object }))
    )
  )

const subscribe = Effect.fnUntraced(function* ({
  count,
  types = [Publisher.tick],
  url
}: Extract<Command, { readonly kind: "subscribe" }>) {
  const endpoints = yield* Endpoints
  const made = yield* Effect.forEach(Array.from({ length: count }), (_, index) =>
    endpoints.create(partition, { url: `${url}/${index}`, enabledEvents: types })
  )
  return made.map(({ view }) => view.endpoint.id)
})

const dead = (delivery: Delivery, now: number): Delivery => ({
  ...delivery,
  status: "dead_lettered",
  attemptCount: 6,
  cycleAttempts: 6,
  traceparent: null,
  dueAt: null,
  updatedAt: now
})

const bury = Effect.gen(function* () {
  const store = yield* DeliveryStore
  let buried = 0
  while (true) {
    const now = yield* Clock.currentTimeMillis
    const claimed = yield* store.claimDue({ lane: "first", now, limit: 1_000, leaseUntil: now + 60_000 })
    if (claimed.length === 0) return buried
    yield* store.settle(
      claimed.map(({ delivery, lease, partition }) => ({
        partition,
        lease,
        delivery: dead(delivery, now),
        attempt: null
      }))
    )
    buried += claimed.length
  }
})

const recover = (endpoint: string) =>
  Effect.flatMap(Recoveries, (recoveries) => recoveries.recover(partition, endpoint, 0))

const perform = (command: Command): Promise<unknown> => {
  switch (command.kind) {
    case "subscribe":
      return runtime.runPromise(subscribe(command))
    case "publish":
      return Publisher.load(publish, command)
    case "fill":
      return Publisher.fill(publish, command)
    case "bury":
      return runtime.runPromise(bury)
    case "recover":
      return runtime.runPromise(recover(command.endpoint))
  }
}

report("engine", (command) =>
  // Only the benchmark sends commands, and it sends these.
  perform(command as Command)
)
