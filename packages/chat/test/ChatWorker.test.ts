/** The worker of answers and callbacks beside a workspace whose sources and receivers never respond. */
import { assert, describe, it } from "@effect/vitest"
import { Decoder } from "@limbeck/capture/call/Decoder"
import { Sources } from "@limbeck/capture/source/Sources"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Pools } from "@limbeck/core/pools/Pools"
import { sizeAlone } from "@limbeck/core/pools/Shares"
import { Queue } from "@limbeck/core/queue/Queue"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Crypto from "@limbeck/node/Crypto"
import { Proxy } from "@limbeck/serving/proxy/Proxy"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Fixtures from "@limbeck/testing/fixtures/Conversations"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as World from "@limbeck/testing/World"
import * as Delivery from "@limbeck/webhooks/delivery/Delivery"
import { WebhookSender } from "@limbeck/webhooks/delivery/WebhookSender"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Agents } from "../src/agent/Agents.ts"
import * as ChatWorker from "../src/answer/ChatWorker.ts"
import * as CallbackRules from "../src/callback/CallbackRules.ts"
import * as Callbacks from "../src/callback/Callbacks.ts"
import { ConversationStore } from "../src/conversation/ConversationStore.ts"
import { type Message, topic } from "../src/message/Message.ts"
import { agentOf } from "./Messages.ts"

/** Workspaces in the order of calls to their model, and URLs in the order of callbacks. Everything waits for `over`. */
const open = Effect.gen(function* () {
  const over = yield* Deferred.make<void>()
  const asked: Array<string> = []
  const sent: Array<string> = []
  const proxy = Layer.mock(Proxy, {
    send: ({ workspace }) =>
      Effect.andThen(
        Effect.sync(() => asked.push(workspace)),
        Effect.never
      )
  })
  const sender = Layer.succeed(WebhookSender, {
    send: ({ url }) =>
      Effect.sync(() => sent.push(url)).pipe(
        Effect.andThen(Deferred.await(over)),
        Effect.as({ ...Delivery.noResult, statusCode: 204 })
      )
  })
  const world = ChatWorker.layerWith({ statusOf: () => 500, faultOf: () => ({ code: "fault", message: "" }) }).pipe(
    Layer.provide(Callbacks.layerWith({ brand: "Service" })),
    Layer.provide([proxy, sender, Layer.mock(Decoder, {}), Layer.mock(Sources, {}), Layer.mock(Agents, agents)]),
    Layer.provideMerge(World.events),
    Layer.provideMerge(Layer.merge(StorageMemory.layer, World.services)),
    Layer.provideMerge(Crypto.layer)
  )
  return { asked, over, sent, world }
})

const agents: Partial<Agents["Service"]> = { get: (_, id) => Effect.succeed(agentOf(id)) }

/** Messages that wait for the worker, each in a conversation of its own. */
const enqueue = Effect.fnUntraced(function* (partition: Partition, count: number, fields: Partial<Message>) {
  const storage = yield* Storage
  const store = yield* ConversationStore
  const queue = yield* Queue
  const one = Effect.gen(function* () {
    const conversation = yield* store.open(partition, Fixtures.conversation())
    const asked = Fixtures.message(conversation, 1)
    const answer = Fixtures.message(conversation, 2, {
      role: "assistant",
      question: asked.id,
      agent: "support",
      ...fields
    })
    yield* store.append(partition, [asked, answer])
    yield* queue.offer(partition, topic, answer.id, 0)
  })
  yield* Effect.replicateEffect(storage.transaction(one), count, { discard: true })
  yield* queue.nudge(topic)
  yield* Effect.repeat(Effect.yieldNow, { times: 3_000 })
})

const share = sizeAlone(Pools.chatAnswers.size)
const callback = (url: string) => CallbackRules.newCallback(url, Fresh.id("del"))
const [hostileUrl, url] = ["https://hangs.example", "https://responds.example"]

describe("ChatWorker", () => {
  it.effect("asks the model of another workspace at once, however many questions of one have no answer (P820)", () =>
    Effect.gen(function* () {
      const { asked, world } = yield* open
      yield* Effect.gen(function* () {
        const [hostile, victim] = [Fresh.partition(), Fresh.partition()]
        yield* Effect.forkChild((yield* ChatWorker.ChatWorker).forever)
        yield* enqueue(hostile, Pools.chatAnswers.size, { status: "queued", callback: callback(hostileUrl) })
        assert.deepStrictEqual(
          asked,
          Array.from({ length: share }, () => hostile.workspace)
        )
        yield* enqueue(victim, 1, { status: "queued", callback: callback(url) })
        assert.strictEqual(asked.at(-1), victim.workspace)
      }).pipe(Effect.provide(world))
    })
  )

  it.effect("sends the callback of another workspace at once, however many receivers of one hang (P820)", () =>
    Effect.gen(function* () {
      const { over, sent, world } = yield* open
      yield* Effect.gen(function* () {
        yield* Effect.forkChild((yield* ChatWorker.ChatWorker).forever)
        yield* enqueue(Fresh.partition(), Pools.chatAnswers.size, { callback: callback(hostileUrl) })
        assert.deepStrictEqual(
          sent,
          Array.from({ length: share }, () => hostileUrl)
        )
        yield* enqueue(Fresh.partition(), 1, { callback: callback(url) })
        assert.strictEqual(sent.at(-1), url)
      }).pipe(
        // Callbacks are never interrupted.
        Effect.ensuring(Deferred.succeed(over, undefined)),
        Effect.provide(world)
      )
    })
  )
})
