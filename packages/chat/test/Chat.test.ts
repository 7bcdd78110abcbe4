/** Which failures of an answer in place a retry under its key goes on after. */
import { assert, describe, it } from "@effect/vitest"
import { Decoder } from "@limbeck/capture/call/Decoder"
import { UpstreamTimeout } from "@limbeck/capture/Errors"
import { Sources } from "@limbeck/capture/source/Sources"
import { StorageError } from "@limbeck/core/errors/Errors"
import * as Crypto from "@limbeck/node/Crypto"
import { Proxy } from "@limbeck/serving/proxy/Proxy"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import * as World from "@limbeck/testing/World"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Agents } from "../src/agent/Agents.ts"
import * as Chat from "../src/answer/Chat.ts"
import type { Question } from "../src/answer/Question.ts"
import { Channels } from "../src/channel/Channels.ts"
import { ConversationStore } from "../src/conversation/ConversationStore.ts"
import { agentOf } from "./Messages.ts"

const question: Question = {
  text: "Once?",
  agent: Fresh.id("agt"),
  conversation: undefined,
  channel: undefined,
  session: "one",
  author: undefined,
  sandbox: false
}

const unreachable = new UpstreamTimeout({ kind: "source", name: "teacher" })
const refused = new StorageError({ operation: "CallStore.append", cause: new Error("disk full") })

/** A question that fails, and what its key keeps. */
const failing = (error: UpstreamTimeout | StorageError) =>
  Effect.gen(function* () {
    const partition = Fresh.partition()
    const chat = yield* Chat.Chat
    const store = yield* ConversationStore
    let continuation: string | null = null
    const ask = Effect.suspend(() =>
      chat.answer(partition, question, {
        keeper: {
          continuation,
          begin: Effect.tap(({ id }) =>
            Effect.sync(() => {
              continuation = id
            })
          ),
          ready: Effect.void,
          keep: () => Effect.void,
          free: Effect.sync(() => {
            continuation = null
          })
        }
      })
    )
    assert.strictEqual(yield* Effect.flip(ask), error)
    const kept = continuation
    yield* Effect.flip(ask)
    const { items: conversations } = yield* store.page(
      partition,
      {},
      { limit: 10, after: null, createdAfter: null, createdBefore: null }
    )
    assert.lengthOf(conversations, 1)
    return { kept, messages: conversations[0]?.messageCount }
  }).pipe(
    Effect.provide(
      Chat.layerWith({ statusOf: () => 500, faultOf: () => ({ code: "fault", message: "" }) }).pipe(
        Layer.provide([
          Layer.mock(Proxy, { send: () => Effect.fail(error) }),
          Layer.mock(Decoder, {}),
          Layer.mock(Sources, {}),
          Layer.mock(Channels, {}),
          Layer.mock(Agents, { get: (_, id) => Effect.succeed(agentOf(id)) })
        ]),
        Layer.provideMerge(World.events),
        Layer.provideMerge(Layer.merge(StorageMemory.layer, World.services)),
        Layer.provideMerge(Crypto.layer)
      )
    )
  )

describe("an answer in place", () => {
  it.effect(
    "that storage broke off goes on in the same message, when its request is retried under its key (P947)",
    () =>
      Effect.gen(function* () {
        const { kept, messages } = yield* failing(refused)
        assert.isNotNull(kept)
        assert.strictEqual(messages, 2)
      })
  )

  it.effect("that its model broke off frees the key: the retry asks another question", () =>
    Effect.gen(function* () {
      const { kept, messages } = yield* failing(unreachable)
      assert.isNull(kept)
      assert.strictEqual(messages, 4)
    })
  )
})
