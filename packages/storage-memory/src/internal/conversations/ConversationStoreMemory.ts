/** ConversationStore in memory. Transactions run one at a time, so each holds every conversation. */
import type { Conversation } from "@limbeck/chat/conversation/Conversation"
import { type ConversationFilter, ConversationStore } from "@limbeck/chat/conversation/ConversationStore"
import type { Message } from "@limbeck/chat/message/Message"
import * as Page from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Option from "effect/Option"
import type { MemoryDatabase, UndoLog } from "../database/MemoryDatabase.ts"
import { Family, isWithin, keyOf, Table, takeWhere } from "../database/Table.ts"

/** Of one partition. */
class Shelf {
  readonly conversations = new Table<Conversation>()
  /** Ids by sandbox and session. */
  readonly sessions = new Table<string>()
  readonly messages = new Table<Message>()
  /** Messages of each conversation by id, and ids by place. */
  readonly byId = new Family(() => new Table<Message>())
  readonly places = new Family(() => new Table<string>())
}

const sessionOf = ({ sandbox, session }: Pick<Conversation, "sandbox" | "session">): string =>
  keyOf(String(sandbox), session)

/** Sorts as the number does. */
const placeKey = (place: number): string => String(place).padStart(16, "0")

const isWanted =
  ({ agent, sandbox, session }: ConversationFilter, bounds: Page.PageRequest) =>
  (conversation: Conversation): boolean =>
    (agent === undefined || conversation.agent === agent) &&
    (session === undefined || conversation.session === session) &&
    (sandbox === undefined || conversation.sandbox === sandbox) &&
    isWithin(conversation.createdAt, bounds)

const put = (undoLog: UndoLog, shelf: Shelf, message: Message): void => {
  shelf.messages.set(undoLog, message.id, message)
  shelf.byId.of(message.conversation).set(undoLog, message.id, message)
}

const removeWhole = (undoLog: UndoLog, shelf: Shelf, conversation: Conversation): void => {
  const [messages, places] = [shelf.byId.of(conversation.id), shelf.places.of(conversation.id)]
  for (const { id, place } of [...messages.ascending(null)]) {
    messages.delete(undoLog, id)
    shelf.messages.delete(undoLog, id)
    places.delete(undoLog, placeKey(place))
  }
  shelf.sessions.delete(undoLog, sessionOf(conversation))
  shelf.conversations.delete(undoLog, conversation.id)
}

const firstQueued = (shelf: Shelf, conversation: string): Message | undefined => {
  for (const id of shelf.places.of(conversation).ascending(null)) {
    const message = shelf.messages.get(id)
    if (message?.status === "queued") return message
  }
  return undefined
}

export const make = (db: MemoryDatabase): ConversationStore["Service"] => {
  const shelves = new Family(() => new Shelf())
  const shelfOf = ({ key }: Partition) => shelves.of(key)

  const find = (partition: Partition, id: string) =>
    db.sync(() => Option.fromUndefinedOr(shelfOf(partition).conversations.get(id)))

  return ConversationStore.of({
    open: (partition, conversation) =>
      db.sync((undoLog) => {
        const { conversations, sessions } = shelfOf(partition)
        const session = sessionOf(conversation)
        const known = conversations.get(sessions.get(session) ?? "")
        if (known !== undefined) return known
        sessions.set(undoLog, session, conversation.id)
        conversations.set(undoLog, conversation.id, conversation)
        return conversation
      }),
    hold: find,
    find,
    update: (partition, conversation) =>
      db.sync((undoLog) => shelfOf(partition).conversations.set(undoLog, conversation.id, conversation)),
    page: (partition, filter, request) =>
      db.sync(() => {
        const newest = shelfOf(partition).conversations.descending(request.after)
        return Page.fromRows(takeWhere(newest, request.limit + 1, isWanted(filter, request)), request.limit)
      }),
    append: (partition, messages) =>
      db.sync((undoLog) => {
        const shelf = shelfOf(partition)
        for (const message of messages) {
          put(undoLog, shelf, message)
          shelf.places.of(message.conversation).set(undoLog, placeKey(message.place), message.id)
        }
      }),
    write: (partition, message) =>
      db.sync((undoLog) => {
        const shelf = shelfOf(partition)
        if (shelf.messages.get(message.id) !== undefined) put(undoLog, shelf, message)
      }),
    message: (partition, id) => db.sync(() => Option.fromUndefinedOr(shelfOf(partition).messages.get(id))),
    messages: (partition, conversation, request) =>
      db.sync(() => {
        const newest = shelfOf(partition).byId.of(conversation).descending(request.after)
        const found = takeWhere(newest, request.limit + 1, ({ createdAt }) => isWithin(createdAt, request))
        return Page.fromRows(found, request.limit)
      }),
    before: (partition, conversation, place, limit) =>
      db.sync(() => {
        const shelf = shelfOf(partition)
        const ids = takeWhere(shelf.places.of(conversation).descending(placeKey(place)), limit, () => true)
        return ids.map((id) => shelf.messages.get(id)!)
      }),
    firstQueued: (partition, conversation) =>
      db.sync(() => Option.fromUndefinedOr(firstQueued(shelfOf(partition), conversation))),
    prune: (updatedBefore, limit) =>
      db.sync((undoLog) => {
        let left = limit
        for (const shelf of shelves.all) {
          const isOld = ({ id, updatedAt }: Conversation) =>
            updatedAt < updatedBefore && firstQueued(shelf, id) === undefined
          const old = takeWhere(shelf.conversations.ascending(null), left, isOld)
          for (const conversation of old) removeWhole(undoLog, shelf, conversation)
          left -= old.length
        }
        return limit - left
      })
  })
}
