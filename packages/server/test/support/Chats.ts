/** The setup of conversation tests: a workspace with a scripted model. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Agent } from "@limbeck/api/AgentsApi"
import type { Channel } from "@limbeck/api/ChannelsApi"
import type { MessageQueued } from "@limbeck/api/ChatApi"
import type { Conversation, Message } from "@limbeck/api/ConversationsApi"
import { create } from "@limbeck/testing/http/SourceSteps"
import type { Models } from "@limbeck/testing/upstream/Models"
import { type Client, expectStatus, type ListOf } from "./Client.ts"
import type { House } from "./House.ts"

export type MessageShown = typeof Message.Type
export type QueuedShown = typeof MessageQueued.Type
export type ConversationShown = typeof Conversation.Type
export type AgentShown = typeof Agent.Type
export type ChannelShown = typeof Channel.Type

export const chat = "/v1/chat"
export const sandboxChat = "/v1/sandbox/chat"

export interface PromptShown {
  readonly model: string
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
  readonly stream?: boolean
  readonly tools?: ReadonlyArray<{ readonly function: { readonly name: string } }>
}

export const promptOf = (request: IncomingMessage): PromptShown =>
  JSON.parse((request as IncomingMessage & { readonly sent: string }).sent) // The server of models has read it.

export const lastOf = ({ messages }: PromptShown): string => messages.at(-1)?.content ?? ""

export const answerJson = (response: ServerResponse, status: number, body: unknown) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

export const completionOf = (message: object) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason: "stop" }],
  usage: { prompt_tokens: 11, completion_tokens: 3 }
})

export const say = (response: ServerResponse, content: string) => answerJson(response, 200, completionOf({ content }))

/** Answers every question with the question itself. */
const echo = (request: IncomingMessage, response: ServerResponse) =>
  say(response, `You said: ${lastOf(promptOf(request))}`)

/** A workspace whose default source names one model and answers like this. */
export const withModel = async (
  house: House,
  upstream: Models,
  listener: (request: IncomingMessage, response: ServerResponse) => void = echo,
  fields: Readonly<Record<string, unknown>> = {}
) => {
  const workspace = await house.workspace()
  const base = upstream.base(listener)
  const source = await create(workspace.test, { base_url: base, default: true, models: ["gpt"], ...fields })
  return { workspace, caller: workspace.test, base, source }
}

export const ask = async (caller: Client, fields: Readonly<Record<string, unknown>> = {}) =>
  expectStatus(await caller.post<MessageShown>(chat, { text: "Hello", ...fields }), 200)

export const enqueue = async (caller: Client, fields: Readonly<Record<string, unknown>>) =>
  expectStatus(await caller.post<QueuedShown>(chat, { text: "Hello", ...fields }), 202)

/** Newest first. */
export const messagesOf = async (caller: Client, conversation: string) => {
  const path = `/v1/conversations/${conversation}/messages?limit=100`
  return expectStatus(await caller.get<ListOf<MessageShown>>(path), 200).data
}

export const messageOf = async (caller: Client, { conversation, id }: Pick<QueuedShown, "conversation" | "id">) => {
  const found = (await messagesOf(caller, conversation)).find((message) => message.id === id)
  if (found === undefined) throw new Error(`There is no message ${id} in ${conversation}`)
  return found
}
