/** What every ConversationStore must do. */
import { assert } from "@effect/vitest"
import type { Conversation } from "@limbeck/chat/conversation/Conversation"
import { ConversationStore } from "@limbeck/chat/conversation/ConversationStore"
import type { Message } from "@limbeck/chat/message/Message"
import { firstPage, type PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { conversation, message } from "../fixtures/Conversations.ts"
import * as Fresh from "../fixtures/Fresh.ts"
import { describePort } from "./AllPorts.ts"
import { pageCases } from "./pages.ts"

const everything = {}

const start = Effect.gen(function* () {
  const store = yield* ConversationStore
  const storage = yield* Storage
  const { mine, others } = Fresh.neighbours()
  const open = (value: Conversation, partition: Partition = mine) => storage.transaction(store.open(partition, value))
  const append = (messages: ReadonlyArray<Message>, partition: Partition = mine) =>
    storage.transaction(store.append(partition, messages))
  return { store, storage, partition: mine, others, open, append }
})

/** An empty list of an agent's conversations, among others. */
const openConversations = Effect.map(start, ({ open, partition, store }) => ({
  insert: (createdAt: number) => {
    const wanted = conversation({ createdAt, id: Fresh.id("conv", createdAt), agent: "agt_1" })
    const unwanted = conversation({ createdAt, id: Fresh.id("conv", createdAt), agent: "agt_2" })
    return Effect.as(Effect.andThen(open(wanted), open(unwanted)), wanted.id)
  },
  page: (request: PageRequest) => store.page(partition, { agent: "agt_1" }, request)
}))

/** An empty list of a conversation's messages, beside another one. */
const openMessages = Effect.map(start, ({ append, partition, store }) => {
  const [mine, other] = [conversation(), conversation()]
  let place = 0
  return {
    insert: (createdAt: number) => {
      const made = [message(mine, ++place, { createdAt }), message(other, place, { createdAt })]
      return Effect.as(append(made), made[0]?.id ?? "")
    },
    page: (request: PageRequest) => store.messages(partition, mine.id, request)
  }
})

/** Texts that storage might mangle. */
const odd = "NUL \u0000 quotes \"'\\ half \ud800 ü 漢 🌧️\n\t"

const answer: Partial<Message> = {
  role: "assistant",
  status: "completed",
  text: odd,
  author: "ü 漢",
  agent: "agt_1",
  channel: "chn_1",
  attempts: 3,
  handoffUrl: "https://desk.example/?a=1",
  latencyMillis: 1_234,
  call: "call_1",
  error: { code: "api_error", message: odd },
  callback: {
    url: "https://receiver.example/?a=1",
    deliveryId: "del_1",
    status: "failed",
    statusCode: 503,
    error: "timeout",
    attemptedAt: Fresh.start + 5
  }
}

export const suite = describePort("ConversationStore", (it) => {
  it.describe("conversations of an agent", () => pageCases(it, openConversations))

  it.describe("messages of a conversation", () => pageCases(it, openMessages))

  it.effect("a conversation and its messages come back as they were, in their partition alone", () =>
    Effect.gen(function* () {
      const { append, open, others, partition, store } = yield* start
      const value = conversation({
        session: odd.replace("\u0000", ""),
        agent: "agt_1",
        channel: "chn_1",
        messageCount: 2
      })
      const question = message(value, 1)
      const reply = message(value, 2, { ...answer, question: question.id })
      assert.deepStrictEqual((yield* open(value)).id, value.id)
      yield* append([question, reply])
      yield* append([])
      const found = yield* store.find(partition, value.id)
      assert.deepStrictEqual({ ...Option.getOrThrow(found), session: "" }, { ...value, session: "" })
      assert.deepStrictEqual(yield* store.message(partition, question.id), Option.some(question))
      assert.deepStrictEqual(yield* store.message(partition, reply.id), Option.some(reply))
      assert.deepStrictEqual((yield* store.messages(partition, value.id, firstPage(10))).items, [reply, question])
      for (const other of others) {
        assert.deepStrictEqual(yield* store.find(other, value.id), Option.none())
        assert.deepStrictEqual(yield* store.hold(other, value.id), Option.none())
        assert.deepStrictEqual(yield* store.message(other, reply.id), Option.none())
        assert.deepStrictEqual((yield* store.page(other, everything, firstPage(10))).items, [])
        assert.deepStrictEqual((yield* store.messages(other, value.id, firstPage(10))).items, [])
        assert.deepStrictEqual(yield* store.before(other, value.id, 9, 10), [])
        assert.deepStrictEqual(yield* store.firstQueued(other, value.id), Option.none())
      }
    })
  )

  it.effect("a session has one conversation, in the sandbox another, and in each partition its own", () =>
    Effect.gen(function* () {
      const { open, others } = yield* start
      const session = Fresh.name("session")
      const first = conversation({ session, agent: "agt_1" })
      assert.deepStrictEqual(yield* open(first), first)
      assert.deepStrictEqual(yield* open(conversation({ session })), first)
      const tried = conversation({ session, sandbox: true })
      assert.deepStrictEqual(yield* open(tried), tried)
      for (const other of others) {
        const theirs = conversation({ session })
        assert.deepStrictEqual(yield* open(theirs, other), theirs)
      }
    })
  )

  it.effect("of many that open a session at once, one stores its conversation", () =>
    Effect.gen(function* () {
      const { open, partition, store } = yield* start
      const session = Fresh.name("session")
      const opened = yield* Effect.all(
        Array.from({ length: 20 }, () => open(conversation({ session }))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(opened.map(({ id }) => id)).size, 1)
      assert.strictEqual((yield* store.page(partition, { session }, firstPage(10))).items.length, 1)
    })
  )

  it.effect("whoever holds a conversation sees what the holder before has written (P144)", () =>
    Effect.gen(function* () {
      const { open, partition, storage, store } = yield* start
      const value = yield* open(conversation())
      const add = storage.transaction(
        Effect.gen(function* () {
          const held = Option.getOrThrow(yield* store.hold(partition, value.id))
          yield* Effect.yieldNow
          yield* store.update(partition, { ...held, messageCount: held.messageCount + 1 })
        })
      )
      yield* Effect.all(Array.from({ length: 20 }).fill(add) as Array<typeof add>, { concurrency: "unbounded" })
      assert.strictEqual(Option.getOrThrow(yield* store.find(partition, value.id)).messageCount, 20)
    })
  )

  it.effect(
    "an update changes the agent, the channel, the count and the time; an unknown conversation stays away",
    () =>
      Effect.gen(function* () {
        const { open, partition, storage, store } = yield* start
        const value = yield* open(conversation())
        const changed = { ...value, agent: "agt_1", channel: "chn_1", messageCount: 7, updatedAt: Fresh.start + 9 }
        yield* storage.transaction(store.update(partition, changed))
        assert.deepStrictEqual(yield* store.find(partition, value.id), Option.some(changed))
        const back = { ...changed, agent: null, channel: null }
        yield* storage.transaction(store.update(partition, back))
        assert.deepStrictEqual(yield* store.hold(partition, value.id), Option.some(back))
        assert.deepStrictEqual(yield* store.hold(partition, Fresh.id("conv")), Option.none())
      })
  )

  it.effect("what a failed transaction wrote is not there", () =>
    Effect.gen(function* () {
      const { partition, storage, store } = yield* start
      const value = conversation()
      const reply = message(value, 1, { status: "queued" })
      const writing = Effect.andThen(store.open(partition, value), store.append(partition, [reply]))
      yield* Effect.exit(storage.transaction(Effect.andThen(writing, Effect.fail("no"))))
      assert.deepStrictEqual(yield* store.find(partition, value.id), Option.none())
      assert.deepStrictEqual(yield* store.message(partition, reply.id), Option.none())
      assert.deepStrictEqual(yield* store.firstQueued(partition, value.id), Option.none())
    })
  )

  it.effect("pages are filtered by agent, session and sandbox together", () =>
    Effect.gen(function* () {
      const { open, partition, store } = yield* start
      const session = Fresh.name("session")
      const [a, b, c] = [
        yield* open(conversation({ session, agent: "agt_1" })),
        yield* open(conversation({ session, sandbox: true, agent: "agt_1" })),
        yield* open(conversation({ agent: "agt_1", sandbox: true }))
      ]
      const idsOf = (filter: Parameters<typeof store.page>[1]) =>
        Effect.map(store.page(partition, filter, firstPage(10)), ({ items }) => items.map(({ id }) => id))
      assert.deepStrictEqual(yield* idsOf(everything), [c.id, b.id, a.id])
      assert.deepStrictEqual(yield* idsOf({ session }), [b.id, a.id])
      assert.deepStrictEqual(yield* idsOf({ sandbox: true }), [c.id, b.id])
      assert.deepStrictEqual(yield* idsOf({ sandbox: false }), [a.id])
      assert.deepStrictEqual(yield* idsOf({ session, sandbox: true, agent: "agt_1" }), [b.id])
      assert.deepStrictEqual(yield* idsOf({ agent: "agt_2" }), [])
    })
  )

  it.effect("the last messages before a place come by falling place, as many as are asked for", () =>
    Effect.gen(function* () {
      const { append, partition, store } = yield* start
      const [mine, other] = [conversation(), conversation()]
      const made = Array.from({ length: 12 }, (_, index) => message(mine, index + 1))
      yield* append([...made, message(other, 1)])
      const places = (place: number, limit: number) =>
        Effect.map(store.before(partition, mine.id, place, limit), (found) => found.map((one) => one.place))
      assert.deepStrictEqual(yield* places(12, 3), [11, 10, 9])
      assert.deepStrictEqual(yield* places(4, 10), [3, 2, 1])
      assert.deepStrictEqual(yield* places(1, 10), [])
      assert.deepStrictEqual(yield* store.before(partition, mine.id, 2, 1), [made[0]!])
    })
  )

  it.effect("the first queued message is that of the least place, until it is written as ended (P144)", () =>
    Effect.gen(function* () {
      const { append, partition, store } = yield* start
      const [mine, other] = [conversation(), conversation()]
      const queued = [4, 2, 10].map((place) => message(mine, place, { role: "assistant", status: "queued" }))
      yield* append([message(mine, 1), ...queued, message(other, 1, { status: "queued" })])
      const first = () => Effect.map(store.firstQueued(partition, mine.id), Option.getOrUndefined)
      for (const status of ["completed", "failed", "handed_off"] as const) {
        const found = yield* first()
        assert.deepInclude(queued, found)
        yield* store.write(partition, { ...found!, status, text: status })
        assert.deepStrictEqual(Option.getOrThrow(yield* store.message(partition, found!.id)).text, status)
      }
      assert.isUndefined(yield* first())
      const places = (yield* store.before(partition, mine.id, 99, 10)).map(({ place, status }) => [place, status])
      assert.deepStrictEqual(places, [
        [10, "handed_off"],
        [4, "failed"],
        [2, "completed"],
        [1, "completed"]
      ])
    })
  )

  it.effect("a message that is not there is not written", () =>
    Effect.gen(function* () {
      const { partition, store } = yield* start
      const absent = message(conversation(), 1)
      yield* store.write(partition, absent)
      assert.deepStrictEqual(yield* store.message(partition, absent.id), Option.none())
    })
  )

  it.effect("old conversations go with all their messages, of any partition; those that wait for an answer stay", () =>
    Effect.gen(function* () {
      const { append, open, others, partition, store } = yield* start
      const [other] = others
      const aged = (fields: Partial<Conversation> = {}) => conversation({ updatedAt: 10, ...fields })
      const [old, waiting] = [yield* open(aged()), yield* open(aged())]
      const theirs = yield* open(aged(), other)
      const young = yield* open(aged({ updatedAt: 100 }))
      const said = [old, waiting, young].map((of) => message(of, 1))
      yield* append([...said, message(waiting, 2, { status: "queued" })])
      yield* append([message(theirs, 1)], other)
      assert.strictEqual(yield* store.prune(10, 100), 0)
      assert.strictEqual(yield* store.prune(100, 1), 1)
      assert.strictEqual(yield* store.prune(100, 100), 1)
      assert.strictEqual(yield* store.prune(100, 100), 0)
      assert.deepStrictEqual(yield* store.find(partition, old.id), Option.none())
      assert.deepStrictEqual(yield* store.find(other, theirs.id), Option.none())
      assert.deepStrictEqual((yield* store.messages(partition, old.id, firstPage(10))).items, [])
      assert.deepStrictEqual(yield* store.message(partition, said[0]!.id), Option.none())
      for (const left of [waiting, young]) assert.isTrue(Option.isSome(yield* store.find(partition, left.id)))
      const again = yield* open(aged({ session: old.session, updatedAt: Fresh.start }))
      assert.notStrictEqual(again.id, old.id)
    })
  )
})
