/** Writes an answer in a dialect, whole or as a stream of events. */
import type * as Schema from "effect/Schema"
import type { AnswerEvent } from "./AnswerEvent.ts"

/** What an answer says of itself. */
export interface AnswerHead {
  /** Tells the answer apart; without the prefix that a dialect has. */
  readonly id: string
  /** As the client named it. */
  readonly model: string
  /** Milliseconds. */
  readonly createdAt: number
  /** The client's request. */
  readonly request: Schema.JsonObject
  /** An extension of ours: which deployment answered, and how sure its student is. Absent where an upstream answered. */
  readonly service?: Schema.JsonObject | undefined
}

export interface StreamWriter {
  /** The text of the events that the piece makes. */
  readonly write: (event: AnswerEvent) => string
  /** The text of the last events. An answer that never finished ends with an error. */
  readonly end: () => string
}

export interface AnswerWriter {
  readonly whole: (head: AnswerHead, events: ReadonlyArray<AnswerEvent>) => Schema.JsonObject
  /** A writer for one answer; its first text includes the events that open the stream. */
  readonly stream: (head: AnswerHead) => StreamWriter
}

/** Tells the client that the stream broke off. */
export const unfinishedMessage = "The answer ended before it was whole"

export const json = (value: unknown): string => JSON.stringify(value)
