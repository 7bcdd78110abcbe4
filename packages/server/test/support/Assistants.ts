/** What tests of the assistant begin with: a model that follows a script, and the requests of the page. */
import type { IncomingMessage } from "node:http"
import type { AssistantConversation } from "@limbeck/api/AssistantApi"
import { create } from "@limbeck/testing/http/SourceSteps"
import type { Models } from "@limbeck/testing/upstream/Models"
import { type Client, expectStatus } from "./Client.ts"

export type ConversationView = typeof AssistantConversation.Type
export type OperationView = Extract<ConversationView["entries"][number], { readonly type: "operation" }>

interface ModelMessage {
  readonly role: string
  readonly content: string | null
  readonly tool_call_id?: string
}

/** A text, or the operations that the model requests. */
type Reply = string | ReadonlyArray<{ readonly operation: string; readonly input?: object }>

export type Script = (messages: ReadonlyArray<ModelMessage>) => Reply

const messageOf = (reply: Reply) =>
  typeof reply === "string"
    ? { role: "assistant", content: reply }
    : {
        role: "assistant",
        content: null,
        // Some providers repeat their ids from one answer to the next.
        tool_calls: reply.map(({ input = {}, operation }, index) => ({
          id: `call_${index}`,
          type: "function",
          function: { name: operation, arguments: JSON.stringify(input) }
        }))
      }

/** The base URL of a model that answers each request by the script. */
export const scripted = (upstream: Models, script: Script): string =>
  upstream.base((request, response) => {
    // The upstream has read the body.
    const { messages, model } = JSON.parse((request as IncomingMessage & { readonly sent: string }).sent)
    const choices = [{ index: 0, message: messageOf(script(messages)), finish_reason: "stop" }]
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ id: "chatcmpl-1", object: "chat.completion", created: 1, model, choices }))
  })

export const path = "/v1/assistant/conversations"

/** A new conversation of the person with the model at this base URL. `maker` makes the source. */
export const begin = async (person: Client, maker: Client, baseUrl: string) => {
  const source = await create(maker, { base_url: baseUrl })
  return expectStatus(await person.post<ConversationView>(path, { source: source.name, model: "gpt" }), 201)
}

export const say = async (person: Client, { id }: { readonly id: string }, text: string) =>
  expectStatus(await person.post<ConversationView>(`${path}/${id}/messages`, { text }), 200)

export const step = (person: Client, { id }: { readonly id: string }) =>
  person.post<ConversationView>(`${path}/${id}/steps`)

/** Steps as the page does, until the conversation waits for the person or is idle. */
export const settle = async (person: Client, conversation: { readonly id: string }): Promise<ConversationView> => {
  const next = expectStatus(await step(person, conversation), 200)
  return next.status === "working" ? settle(person, next) : next
}

export const ask = async (person: Client, conversation: { readonly id: string }, text: string) => {
  await say(person, conversation, text)
  return settle(person, conversation)
}

export const operationsOf = ({ entries }: ConversationView): ReadonlyArray<OperationView> =>
  entries.flatMap((entry) => (entry.type === "operation" ? [entry] : []))

export const waitingOf = (conversation: ConversationView): OperationView => {
  const waiting = operationsOf(conversation).find(({ status }) => status === "waiting")
  if (waiting === undefined) throw new Error(`Nothing waits: ${JSON.stringify(conversation)}`)
  return waiting
}

export const decide = (person: Client, conversation: ConversationView, approve: boolean) =>
  person.post<ConversationView>(`${path}/${conversation.id}/decisions`, {
    call: waitingOf(conversation).call,
    approve
  })
