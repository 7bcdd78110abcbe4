/**
 * The webhook engine on memory storage with the real sender, in its own process, which reports every attempt, its memory
 * and its processor time. With `turns` as its third argument, its time is turns of its event loop. Started by `Child`.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Events from "@limbeck/core/events/Events"
import * as Ids from "@limbeck/core/ids/Ids"
import * as Partition from "@limbeck/core/partition/Partition"
import * as Secrets from "@limbeck/core/secrets/Secrets"
import * as Crypto from "@limbeck/node/Crypto"
import * as UndiciSender from "@limbeck/node/webhooks/UndiciSender"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import { HandClock } from "@limbeck/testing/fixtures/HandClock"
import * as DeliveryDispatcher from "@limbeck/webhooks/delivery/DeliveryDispatcher"
import * as WebhookFanout from "@limbeck/webhooks/delivery/WebhookFanout"
import { WebhookSender } from "@limbeck/webhooks/delivery/WebhookSender"
import * as Endpoints from "@limbeck/webhooks/endpoint/Endpoints"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { report } from "./Child.ts"
import * as Publisher from "./Publisher.ts"

export type Command =
  | { readonly kind: "subscribe"; readonly type: string; readonly urls: ReadonlyArray<string> }
  | ({ readonly kind: "publish" } & Publisher.Load)
  /** Publishes one event. */
  | { readonly kind: "once"; readonly type: string }
  | { readonly kind: "unsubscribe"; readonly type: string }
  | { readonly kind: "memory" }
  | { readonly kind: "attempts" }

/** Since this was asked the last time. */
export interface Attempts {
  readonly underWay: number
  readonly underWayMax: number
  /** By the engine's clock. */
  readonly longestMillis: number
  /** From the last event to the end of the last attempt at a healthy receiver, by the engine's clock. */
  readonly healthyMillis: number
  /** Attempts at hostile receivers that began after the last event and before the last attempt at a healthy one. */
  readonly hostileBefore: number
  /** How attempts ended, and how many did. */
  readonly endings: Readonly<Record<string, number>>
}

/** Grown since the first time this was asked. */
export interface Memory {
  readonly heapBytes: number
  readonly rssBytes: number
  readonly peakRssBytes: number
}

const [attemptMillis = "5000", ca = "", time = ""] = process.argv.slice(2)
/** A collection that frees less has found nothing more to free, in bytes. */
const freedMin = 100_000
const types = ["bench.healthy", "bench.hostile"]
const partition = Partition.make("ws_00000000000000000000000001", false)

const turns = new HandClock()
if (time === "turns") turns.tick()
const clock = time === "turns" ? turns : Effect.runSync(Clock.Clock)
const nowMillis = () => clock.currentTimeMillisUnsafe()

let underWay = 0
let underWayMax = 0
let longestMillis = 0
let healthyMillis = 0
let hostileBefore = 0
let hostileBegun = 0
let publishedAt = nowMillis()
let endings: Record<string, number> = {}

const watchedSender = Layer.effect(
  WebhookSender,
  Effect.gen(function* () {
    const sender = yield* WebhookSender
    const send: typeof sender.send = (request) =>
      Effect.gen(function* () {
        underWayMax = Math.max(underWayMax, ++underWay)
        const isHealthy = request.url.includes("/healthy/")
        if (isHealthy) hostileBefore = Math.max(hostileBefore, hostileBegun)
        else hostileBegun += 1
        const startedAt = nowMillis()
        const result = yield* sender.send(request)
        longestMillis = Math.max(longestMillis, nowMillis() - startedAt)
        if (isHealthy) healthyMillis = Math.max(healthyMillis, nowMillis() - publishedAt)
        const ending = result.error ?? String(result.statusCode)
        endings[ending] = (endings[ending] ?? 0) + 1
        underWay -= 1
        return result
      })
    return { send }
  })
).pipe(
  Layer.provide(
    UndiciSender.layer({
      policy: { allowed: [] },
      attemptMillis: Number(attemptMillis),
      resolve: () => Promise.resolve(["127.0.0.1"]),
      ca
    })
  )
)

const worker = Layer.effectDiscard(
  Effect.flatMap(DeliveryDispatcher.DeliveryDispatcher, ({ forever }) => Effect.forkScoped(forever))
)
const runtime = ManagedRuntime.make(
  worker.pipe(
    Layer.provideMerge(DeliveryDispatcher.layer),
    Layer.provideMerge(Layer.merge(Endpoints.layer, Layer.provideMerge(Events.layer, WebhookFanout.layer))),
    Layer.provideMerge(
      Layer.mergeAll(
        StorageMemory.layer,
        Events.EventCatalog.layer(types.map((type) => ({ type, domain: "bench", description: type }))),
        Ids.layer,
        Secrets.layer([Redacted.make(new Uint8Array(32))]),
        watchedSender
      )
    ),
    Layer.provideMerge(Crypto.layer),
    Layer.provideMerge(Layer.succeed(Clock.Clock, clock))
  )
)
const events = await runtime.runPromise(Events.Events)
const endpoints = await runtime.runPromise(Endpoints.Endpoints)
const endpointIds = new Map<string, ReadonlyArray<string>>()

const subscribe = async ({ type, urls }: Command & { kind: "subscribe" }) => {
  const make = Effect.forEach(urls, (url) => endpoints.create(partition, { url, enabledEvents: [type] }))
  const made = await runtime.runPromise(make)
  endpointIds.set(
    type,
    made.map(({ view }) => view.endpoint.id)
  )
  return {}
}

const unsubscribe = async ({ type }: Command & { kind: "unsubscribe" }) => {
  const ids = endpointIds.get(type) ?? []
  await runtime.runPromise(Effect.forEach(ids, (id) => endpoints.remove(partition, id)))
  return {}
}

const object = { id: "tick_1", object: "tick", note: "x".repeat(300) }

const publish: Publisher.Publish = (type, batch) =>
  runtime.runPromise(
    events.publish(
      partition,
      Array.from({ length: batch }, () => ({ type, object }))
    )
  )

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as (options: object) => void

let atFirst: { readonly heap: number; readonly rss: number } | undefined
let peakRss = 0
const watchMemory = async () => {
  for (;;) {
    peakRss = Math.max(peakRss, process.memoryUsage.rss())
    await sleep(50)
  }
}

/** The heap after repeated collections: sockets of ended attempts release memory a little later. */
const settledMemory = async () => {
  let last = Number.POSITIVE_INFINITY
  for (let same = 0; same < 4; ) {
    // Returns V8's reserves, so that resident memory shows actual use.
    collect({ type: "major", execution: "sync", flavor: "last-resort" })
    await sleep(20)
    const { heapUsed } = process.memoryUsage()
    same = last - heapUsed > freedMin ? 0 : same + 1
    last = heapUsed
  }
  return process.memoryUsage()
}

const memory = async (): Promise<Memory> => {
  const { heapUsed: heap, rss } = await settledMemory()
  if (atFirst === undefined) {
    atFirst = { heap, rss }
    peakRss = rss
    void watchMemory()
  }
  return { heapBytes: heap - atFirst.heap, rssBytes: rss - atFirst.rss, peakRssBytes: peakRss - atFirst.rss }
}

const once = (type: string) => {
  publishedAt = nowMillis()
  hostileBegun = 0
  hostileBefore = 0
  return publish(type, 1)
}

const attempts = (): Attempts => {
  const told = { underWay, underWayMax, longestMillis, healthyMillis, hostileBefore, endings }
  underWayMax = underWay
  longestMillis = 0
  healthyMillis = 0
  endings = {}
  return told
}

const perform = (command: Command): unknown => {
  switch (command.kind) {
    case "subscribe":
      return subscribe(command)
    case "unsubscribe":
      return unsubscribe(command)
    case "publish":
      return Publisher.load(publish, command)
    case "once":
      return once(command.type)
    case "memory":
      return memory()
    case "attempts":
      return attempts()
  }
}

report("engine", (command) =>
  // Only the benchmark and its test send commands, and they send these.
  perform(command as Command)
)
