/**
 * The canonical conversation: what a request in any dialect asks, in the form of a chat completion (contract 16.6).
 */
import type * as Schema from "effect/Schema"

type Members = Schema.JsonObject

export interface Conversation {
  readonly messages: ReadonlyArray<Schema.Json>
  /** The members of a chat completion's request that describe the answer's form, such as `tools` and `response_format`. */
  readonly form: Members
  /** Members that a chat completion lacks and that leave the conversation unchanged unless the provider acts on them. */
  readonly inexpressible: ReadonlyArray<Inexpressible>
}

/** Why a captured call is no row. */
export type UnsupportedReason =
  | "continues_stored_conversation"
  | "stored_prompt"
  | "provider_tool"
  | "embedding"
  | "images"
  | "legacy_completion"
  | "unreadable"
  | "not_finished"
  | "cut_off"
  | "no_answer"
  | "by_student"

/** A member of a request that a chat completion cannot express. */
export interface Inexpressible {
  /** The path of the member. */
  readonly param: string
  readonly message: string
  readonly reason: UnsupportedReason
}

export const inexpressible = (
  param: string,
  message: string,
  reason: UnsupportedReason = "unreadable"
): Inexpressible => ({ param, message, reason })
