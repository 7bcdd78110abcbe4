/** A row: one conversation to learn from, and its completion (contract 6, 14.13). */
import * as Schema from "effect/Schema"

export const Message = Schema.StructWithRest(Schema.Struct({ role: Schema.NonEmptyString }), [
  Schema.Record(Schema.String, Schema.Json)
])

export const AssistantMessage = Schema.StructWithRest(Schema.Struct({ role: Schema.Literal("assistant") }), [
  Schema.Record(Schema.String, Schema.Json)
])

export const Row = Schema.Struct({
  messages: Schema.NonEmptyArray(Message),
  completion: Schema.optionalKey(
    Schema.Union([Schema.String, AssistantMessage]).annotate({ message: "Expected a string or an assistant message" })
  ),
  /** The tools offered to the assistant: a student with tools reads them like its teacher did. */
  tools: Schema.optionalKey(Schema.Json),
  tags: Schema.optionalKey(Schema.Array(Schema.String)),
  external_id: Schema.optionalKey(Schema.String),
  metadata: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json))
})
export type Row = typeof Row.Type

export const Split = Schema.Literals(["train", "holdout"])
export type Split = typeof Split.Type
