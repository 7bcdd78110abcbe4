/** The tickets of a support desk: people's messages, and their final label. */
import { readFile } from "node:fs/promises"

export interface Message {
  readonly role: "system" | "user"
  readonly content: string
}

export interface Ticket {
  readonly messages: ReadonlyArray<Message>
  /** The desk's label, taken as the truth. */
  readonly label: string
}

export const labels = ["account", "billing", "bug", "feature_request", "shipping"] as const

/** `name`: of a file in data/, without its ending. */
export const read = async (name: "tickets" | "later"): Promise<ReadonlyArray<Ticket>> => {
  const text = await readFile(new URL(`../data/${name}.jsonl`, import.meta.url), "utf8")
  return text
    .trimEnd()
    .split("\n")
    .map((line) => {
      const { completion, messages } = JSON.parse(line)
      return { messages, label: completion }
    })
}
