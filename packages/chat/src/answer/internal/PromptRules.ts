/** Builds the prompt: the agent's instructions, the history, and the question. Pure. */
import type { Agent } from "../../agent/Agent.ts"
import { ChatLimits } from "../../Limits.ts"
import type { Message } from "../../message/Message.ts"

interface PromptMessage {
  readonly role: "system" | "user" | "assistant"
  readonly content: string
}

/** The name of the tool by which a model hands a conversation over. */
export const handOffTool = "hand_off"

const handOff = {
  type: "function",
  function: {
    name: handOffTool,
    description: "Hands the conversation over to a person. Call it when a person is asked for, or is needed.",
    parameters: {
      type: "object",
      properties: { reason: { type: "string", description: "What the person has to know" } }
    }
  }
}

const isSaid = ({ status }: Message): boolean => status === "completed" || status === "handed_off"

/** The messages of answered exchanges, oldest first, limited to the most recent within the bounds. */
export const history = (newestFirst: ReadonlyArray<Message>): ReadonlyArray<PromptMessage> => {
  const answered = new Set(newestFirst.filter(isSaid).map(({ question }) => question))
  const said = newestFirst.filter((message) => (message.role === "user" ? answered.has(message.id) : isSaid(message)))
  const fitting: Array<PromptMessage> = []
  let characters = 0
  for (const { role, text } of said) {
    characters += text.length
    if (characters > ChatLimits.historyCharactersMax) break
    fitting.unshift({ role, content: text })
  }
  return fitting
}

export interface Prompt {
  readonly model: string
  readonly agent: Agent | null
  /** Newest first. */
  readonly before: ReadonlyArray<Message>
  readonly question: string
  readonly stream: boolean
}

/** The body of a chat completions request. */
export const bodyOf = ({ agent, before, model, question, stream }: Prompt): Uint8Array => {
  const instructions = agent?.instructions ?? ""
  const messages: ReadonlyArray<PromptMessage> = [
    ...(instructions === "" ? [] : [{ role: "system", content: instructions } as const]),
    ...history(before),
    { role: "user", content: question }
  ]
  const body = {
    model,
    messages,
    ...(agent === null || agent.handoffUrl === null ? {} : { tools: [handOff] }),
    ...(stream ? { stream, stream_options: { include_usage: true } } : {})
  }
  return new TextEncoder().encode(JSON.stringify(body))
}
