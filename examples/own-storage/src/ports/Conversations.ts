/** ConversationStore. A transaction locks every conversation. */
import { Conversation } from "@limbeck/chat/conversation/Conversation"
import { ConversationStore } from "@limbeck/chat/conversation/ConversationStore"
import { Message } from "@limbeck/chat/message/Message"
import * as Page from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Body } from "../sqlite/Body.ts"
import type { Connection } from "../sqlite/Connection.ts"
import type { Database } from "../sqlite/Database.ts"
import { newest } from "../sqlite/Pages.ts"
import { and, ifPresent, type Sql, sql } from "../sqlite/Sql.ts"
import { encodeText as text } from "../sqlite/Texts.ts"

const conversations = new Body(Conversation)
const messages = new Body(Message)
const Old = Schema.Struct({ partition: Schema.String, id: Schema.String })

const of = (partition: Partition): Sql => sql`partition = ${partition.key}`

const read = (connection: Connection, condition: Sql) =>
  conversations.first(connection, sql`SELECT body FROM conversations WHERE ${condition}`)

const insert = (connection: Connection, partition: Partition, conversation: Conversation) => {
  const { agent, createdAt, id, sandbox, session, updatedAt } = conversation
  connection.run(sql`
    INSERT INTO conversations VALUES (
      ${partition.key}, ${id}, ${createdAt}, ${updatedAt}, ${text(session)}, ${sandbox}, ${agent},
      ${conversations.encode(conversation)}
    )`)
}

const insertMessage = (connection: Connection, partition: Partition, message: Message) => {
  const { conversation, createdAt, id, place, status } = message
  connection.run(sql`
    INSERT INTO messages
    VALUES (${partition.key}, ${id}, ${conversation}, ${place}, ${status}, ${createdAt}, ${messages.encode(message)})`)
}

/** Removes up to `limit` old conversations without a pending answer. */
const remove = (connection: Connection, updatedBefore: number, limit: number): number => {
  const old = connection.all(
    Old,
    sql`
    SELECT partition, id FROM conversations WHERE updated_at < ${updatedBefore} AND NOT EXISTS (
      SELECT 1 FROM messages WHERE messages.partition = conversations.partition
        AND messages.conversation = conversations.id AND messages.status = 'queued'
    ) ORDER BY updated_at LIMIT ${limit}`
  )
  for (const { id, partition } of old) {
    connection.run(sql`DELETE FROM messages WHERE partition = ${partition} AND conversation = ${id}`)
    connection.run(sql`DELETE FROM conversations WHERE partition = ${partition} AND id = ${id}`)
  }
  return old.length
}

const makeConversations = (db: Database) => {
  const find = (operation: string) => (partition: Partition, id: string) =>
    db.read(operation, (connection) => read(connection, sql`${of(partition)} AND id = ${id}`))

  return {
    open: (partition: Partition, conversation: Conversation) =>
      db.write("ConversationStore.open", (connection) => {
        const { sandbox, session } = conversation
        const same = sql`${of(partition)} AND session = ${text(session)} AND sandbox = ${sandbox}`
        return Option.getOrElse(read(connection, same), () => {
          insert(connection, partition, conversation)
          return conversation
        })
      }),
    hold: find("ConversationStore.hold"),
    find: find("ConversationStore.find"),
    update: (partition: Partition, conversation: Conversation) =>
      db.write("ConversationStore.update", (connection) => {
        const { agent, id, updatedAt } = conversation
        connection.run(sql`
          UPDATE conversations
          SET agent = ${agent}, updated_at = ${updatedAt}, body = ${conversations.encode(conversation)}
          WHERE ${of(partition)} AND id = ${id}`)
      }),
    prune: (updatedBefore: number, limit: number) =>
      db.write("ConversationStore.prune", (connection) => remove(connection, updatedBefore, limit))
  }
}

export const make = (db: Database): ConversationStore["Service"] =>
  ConversationStore.of({
    ...makeConversations(db),
    page: (partition, filter, request) =>
      db.read("ConversationStore.page", (connection) => {
        const wanted = and([
          of(partition),
          ifPresent(filter.agent, (agent) => sql`agent = ${agent}`),
          ifPresent(filter.session, (session) => sql`session = ${text(session)}`),
          ifPresent(filter.sandbox, (sandbox) => sql`sandbox = ${sandbox}`)
        ])
        const rows = conversations.all(connection, sql`SELECT body FROM conversations WHERE ${newest(wanted, request)}`)
        return Page.fromRows(rows, request.limit)
      }),
    append: (partition, many) =>
      db.write("ConversationStore.append", (connection) => {
        for (const message of many) insertMessage(connection, partition, message)
      }),
    write: (partition, message) =>
      db.write("ConversationStore.write", (connection) => {
        connection.run(sql`
          UPDATE messages SET status = ${message.status}, body = ${messages.encode(message)}
          WHERE ${of(partition)} AND id = ${message.id}`)
      }),
    message: (partition, id) =>
      db.read("ConversationStore.message", (connection) =>
        messages.first(connection, sql`SELECT body FROM messages WHERE ${of(partition)} AND id = ${id}`)
      ),
    messages: (partition, conversation, request) =>
      db.read("ConversationStore.messages", (connection) => {
        const wanted = newest(sql`${of(partition)} AND conversation = ${conversation}`, request)
        return Page.fromRows(messages.all(connection, sql`SELECT body FROM messages WHERE ${wanted}`), request.limit)
      }),
    before: (partition, conversation, place, limit) =>
      db.read("ConversationStore.before", (connection) =>
        messages.all(
          connection,
          sql`
          SELECT body FROM messages WHERE ${of(partition)} AND conversation = ${conversation} AND place < ${place}
          ORDER BY place DESC LIMIT ${limit}`
        )
      ),
    firstQueued: (partition, conversation) =>
      db.read("ConversationStore.firstQueued", (connection) =>
        messages.first(
          connection,
          sql`
          SELECT body FROM messages WHERE ${of(partition)} AND conversation = ${conversation} AND status = 'queued'
          ORDER BY place LIMIT 1`
        )
      )
  })
