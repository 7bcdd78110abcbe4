/** ConversationStore on Postgres. A conversation is held by the lock on its row. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { Conversation } from "@limbeck/chat/conversation/Conversation"
import { ConversationStore } from "@limbeck/chat/conversation/ConversationStore"
import { Message } from "@limbeck/chat/message/Message"
import * as Page from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import * as PageConditions from "../statements/PageConditions.ts"

const decodeConversations = Schema.decodeUnknownEffect(Schema.Array(Conversation))
const decodeMessages = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ doc: Message })))
const encodeMessage = Schema.encodeEffect(Message)

const docsOf = (rows: unknown) => Effect.map(decodeMessages(rows), (found) => found.map(({ doc }) => doc))

const firstOf = <A>([first]: ReadonlyArray<A>): Option.Option<A> => Option.fromUndefinedOr(first)

export const make = (sql: PgClient.PgClient): ConversationStore["Service"] => {
  const fields = sql.literal(
    `id, session, agent, channel, sandbox, message_count AS "messageCount", created_at AS "createdAt", updated_at AS "updatedAt"`
  )
  const one = (partition: Partition, id: string) => sql`partition = ${partition.key} AND id = ${T.text(id)}`

  const openOnce = Effect.fnUntraced(function* (partition: Partition, conversation: Conversation) {
    const { agent, channel, createdAt, id, messageCount, sandbox, session, updatedAt } = conversation
    yield* sql`
      INSERT INTO conversations (partition, id, sandbox, session, agent, channel, message_count, created_at, updated_at)
      VALUES (${partition.key}, ${T.text(id)}, ${sandbox}, ${T.text(session)}, ${T.textOrNull(agent)},
        ${T.textOrNull(channel)}, ${T.int(messageCount)}, ${T.int(createdAt)}, ${T.int(updatedAt)})
      ON CONFLICT DO NOTHING`
    const rows = yield* sql`
      SELECT ${fields} FROM conversations
      WHERE partition = ${partition.key} AND sandbox = ${sandbox} AND session = ${T.text(session)} FOR UPDATE`
    return firstOf(yield* decodeConversations(rows))
  })

  return ConversationStore.of({
    // Repeats if the conflicting conversation was removed in between.
    open: Effect.fnUntraced(function* (partition, conversation) {
      const found = yield* Effect.repeat(openOnce(partition, conversation), { until: Option.isSome })
      return Option.getOrThrow(found)
    }, failAs("ConversationStore.open")),

    hold: Effect.fnUntraced(function* (partition, id) {
      const rows = yield* sql`SELECT ${fields} FROM conversations WHERE ${one(partition, id)} FOR UPDATE`
      return firstOf(yield* decodeConversations(rows))
    }, failAs("ConversationStore.hold")),

    update: Effect.fnUntraced(function* (partition, { agent, channel, id, messageCount, updatedAt }) {
      yield* sql`
        UPDATE conversations SET agent = ${T.textOrNull(agent)}, channel = ${T.textOrNull(channel)},
          message_count = ${T.int(messageCount)}, updated_at = ${T.int(updatedAt)}
        WHERE ${one(partition, id)}`
    }, failAs("ConversationStore.update")),

    find: Effect.fnUntraced(function* (partition, id) {
      const rows = yield* sql`SELECT ${fields} FROM conversations WHERE ${one(partition, id)}`
      return firstOf(yield* decodeConversations(rows))
    }, failAs("ConversationStore.find")),

    page: Effect.fnUntraced(function* (partition, { agent, sandbox, session }, request) {
      const wanted = [
        sql`partition = ${partition.key}`,
        ...(agent === undefined ? [] : [sql`agent = ${T.text(agent)}`]),
        ...(sandbox === undefined ? [] : [sql`sandbox = ${sandbox}`]),
        ...(session === undefined ? [] : [sql`session = ${T.text(session)}`]),
        ...PageConditions.of(sql, request)
      ]
      const rows = yield* sql`
        SELECT ${fields} FROM conversations WHERE ${sql.and(wanted)}
        ORDER BY id DESC LIMIT ${T.few(sql, request.limit + 1)}`
      return Page.fromRows(yield* decodeConversations(rows), request.limit)
    }, failAs("ConversationStore.page")),

    append: Effect.fnUntraced(function* (partition, messages) {
      if (messages.length === 0) return
      const docs = yield* Effect.forEach(messages, (message) => encodeMessage(message))
      yield* sql`
        INSERT INTO messages (partition, id, conversation, place, queued, created_at, doc)
        SELECT ${partition.key}, id, conversation, place, queued, created_at, doc
        FROM unnest(${T.texts(messages.map(({ id }) => id))}, ${T.texts(messages.map(({ conversation }) => conversation))},
          ${T.ints(messages.map(({ place }) => place))}, ${T.bools(messages.map(({ status }) => status === "queued"))},
          ${T.ints(messages.map(({ createdAt }) => createdAt))}, ${T.jsons(docs)})
          AS added (id, conversation, place, queued, created_at, doc)`
    }, failAs("ConversationStore.append")),

    write: Effect.fnUntraced(function* (partition, message) {
      const doc = yield* encodeMessage(message)
      yield* sql`
        UPDATE messages SET queued = ${message.status === "queued"}, doc = ${T.json(doc)}
        WHERE ${one(partition, message.id)}`
    }, failAs("ConversationStore.write")),

    message: Effect.fnUntraced(function* (partition, id) {
      return firstOf(yield* docsOf(yield* sql`SELECT doc FROM messages WHERE ${one(partition, id)}`))
    }, failAs("ConversationStore.message")),

    messages: Effect.fnUntraced(function* (partition, conversation, request) {
      const ofConversation = sql`partition = ${partition.key} AND conversation = ${T.text(conversation)}`
      const rows = yield* sql`
        SELECT doc FROM messages WHERE ${sql.and([ofConversation, ...PageConditions.of(sql, request)])}
        ORDER BY id DESC LIMIT ${T.few(sql, request.limit + 1)}`
      return Page.fromRows(yield* docsOf(rows), request.limit)
    }, failAs("ConversationStore.messages")),

    before: Effect.fnUntraced(function* (partition, conversation, place, limit) {
      const rows = yield* sql`
        SELECT doc FROM messages
        WHERE partition = ${partition.key} AND conversation = ${T.text(conversation)} AND place < ${T.int(place)}
        ORDER BY place DESC LIMIT ${T.int(limit)}`
      return yield* docsOf(rows)
    }, failAs("ConversationStore.before")),

    firstQueued: Effect.fnUntraced(function* (partition, conversation) {
      const rows = yield* sql`
        SELECT doc FROM messages
        WHERE partition = ${partition.key} AND conversation = ${T.text(conversation)} AND queued
        ORDER BY place LIMIT 1`
      return firstOf(yield* docsOf(rows))
    }, failAs("ConversationStore.firstQueued")),

    prune: Effect.fnUntraced(function* (updatedBefore, limit) {
      const removed = yield* sql`
        WITH old AS (
          SELECT partition, id FROM conversations c
          WHERE updated_at < ${T.int(updatedBefore)}
            AND NOT EXISTS (SELECT FROM messages m WHERE m.partition = c.partition AND m.conversation = c.id AND m.queued)
          ORDER BY updated_at LIMIT ${T.int(limit)} FOR UPDATE SKIP LOCKED
        ), emptied AS (
          DELETE FROM messages m USING old WHERE m.partition = old.partition AND m.conversation = old.id
        )
        DELETE FROM conversations c USING old WHERE c.partition = old.partition AND c.id = old.id RETURNING 1`
      return removed.length
    }, failAs("ConversationStore.prune"))
  })
}
