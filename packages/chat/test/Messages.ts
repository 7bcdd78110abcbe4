/** Messages for tests of laws. */
import type { Agent } from "../src/agent/Agent.ts"
import type { Message } from "../src/message/Message.ts"

/** One whose model needs no source. */
export const agentOf = (id: string): Agent => ({
  id: id as Agent["id"],
  name: id,
  instructions: "",
  source: null,
  model: "svc:desk",
  handoffUrl: null,
  createdAt: 0,
  updatedAt: 0
})

const letters = (place: number) => String(place).padStart(26, "0")

/** A question at a place of one conversation. */
export const message = (place: number): Message => ({
  id: `msg_${letters(place)}`,
  conversation: `conv_${letters(1)}`,
  place,
  role: "user",
  status: "completed",
  text: `said ${place}`,
  session: "s",
  author: "user",
  agent: null,
  channel: null,
  question: null,
  attempts: 0,
  handoffUrl: null,
  latencyMillis: null,
  call: null,
  error: null,
  callback: null,
  createdAt: 0,
  updatedAt: 0
})

/** The answer to what stands before it. */
export const answer = (place: number, fields: Partial<Message> = {}): Message => ({
  ...message(place),
  role: "assistant",
  question: message(place - 1).id,
  ...fields
})
