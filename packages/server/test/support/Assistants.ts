/** What tests of the assistant begin with: the requests of the page. */
import type { AssistantConversation } from "@limbeck/api/AssistantApi"
import { create } from "@limbeck/testing/http/SourceSteps"
import { type Client, expectStatus } from "./Client.ts"

export type ConversationView = typeof AssistantConversation.Type
export type OperationView = Extract<ConversationView["entries"][number], { readonly type: "operation" }>

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
