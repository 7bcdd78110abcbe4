/**
 * A row: one conversation to learn from, and its completion (contract 6, 14.13); or the evidence of decisions and their
 * answers, with `completion` null (contract 16.20).
 */
import { RowDecision } from "@limbeck/capture/dialect/decisions/Question"
import * as Schema from "effect/Schema"

export const Message = Schema.StructWithRest(Schema.Struct({ role: Schema.NonEmptyString }), [
  Schema.Record(Schema.String, Schema.Json)
])

export const AssistantMessage = Schema.StructWithRest(Schema.Struct({ role: Schema.Literal("assistant") }), [
  Schema.Record(Schema.String, Schema.Json)
])

/** A row of a conversation, as uploads and scoring take it. */
export const ConversationRow = Schema.Struct({
  messages: Schema.NonEmptyArray(Message),
  completion: Schema.optionalKey(
    Schema.Union([Schema.String, AssistantMessage]).annotate({ message: "Expected a string or an assistant message" })
  ),
  /** The tools offered to the assistant: a student with tools reads them like its teacher did. */
  tools: Schema.optionalKey(Schema.Json),
  tags: Schema.optionalKey(Schema.Array(Schema.String)),
  external_id: Schema.optionalKey(Schema.String),
  metadata: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  /** How many calls of the traffic the row stands for. Absent: 1. */
  weight: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThan(0)))
})
export type ConversationRow = typeof ConversationRow.Type

export const Row = Schema.Struct({
  ...ConversationRow.fields,
  completion: Schema.optionalKey(Schema.Union([Schema.String, AssistantMessage, Schema.Null])),
  /** One answer for each question of a row of decisions. */
  decisions: Schema.optionalKey(Schema.Array(RowDecision))
})
export type Row = typeof Row.Type

/** A row of decisions: only these have `completion` null. */
export interface DecisionRow extends Row {
  readonly completion: null
  readonly decisions: ReadonlyArray<RowDecision>
}

export const isDecisionRow = (row: Row): row is DecisionRow => row.completion === null && row.decisions !== undefined

export const Split = Schema.Literals(["train", "holdout"])
export type Split = typeof Split.Type
