/** A model that follows a script: it says texts and calls tools, as chat completions. */
import type { IncomingMessage } from "node:http"
import type { Models } from "./Models.ts"

interface ModelMessage {
  readonly role: string
  readonly content: string | null
}

/** A text, or the tools that the model calls. */
export type ScriptedReply = string | ReadonlyArray<{ readonly tool: string; readonly input?: object }>

export type Script = (messages: ReadonlyArray<ModelMessage>) => ScriptedReply

const messageOf = (reply: ScriptedReply) =>
  typeof reply === "string"
    ? { role: "assistant", content: reply }
    : {
        role: "assistant",
        content: null,
        // Some providers repeat their ids from one answer to the next.
        tool_calls: reply.map(({ input = {}, tool }, index) => ({
          id: `call_${index}`,
          type: "function",
          function: { name: tool, arguments: JSON.stringify(input) }
        }))
      }

/** The base URL of a model that answers each request by the script. */
export const scriptModel = (upstream: Models, script: Script): string =>
  upstream.base((request, response) => {
    // The upstream has read the body.
    const { messages, model } = JSON.parse((request as IncomingMessage & { readonly sent: string }).sent)
    const choices = [{ index: 0, message: messageOf(script(messages)), finish_reason: "stop" }]
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ id: "chatcmpl-1", object: "chat.completion", created: 1, model, choices }))
  })

/** Replies in order, whatever is said; then `done`. A repeated request gets the same reply: the place follows from the messages. */
export const inOrder =
  (...replies: ReadonlyArray<ScriptedReply>): Script =>
  (messages) =>
    replies[messages.filter(({ role }) => role === "assistant").length] ?? "done"
