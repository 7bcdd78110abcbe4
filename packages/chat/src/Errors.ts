/** Refusals of this package, one class per fact. The table of `api` gives each its status, message and `param`. */
import { Fact } from "@limbeck/core/errors/Fact"
import * as Schema from "effect/Schema"

/** A conversation of the sandbox goes on in the sandbox alone, and another never there. */
export class ConversationElsewhere extends Fact<ConversationElsewhere>()("ConversationElsewhere", {
  id: Schema.String,
  sandbox: Schema.Boolean
}) {}

/** Neither the agent nor the source names a model. */
export class NoModel extends Fact<NoModel>()("NoModel", { source: Schema.String }) {}

/**
 * A model was asked and gave no answer that a person could read. `detail`: its status, or why its answer broke off; null where the
 * fault says all.
 */
export class ModelFailed extends Fact<ModelFailed>()("ModelFailed", {
  model: Schema.String,
  fault: Schema.Literals(["status", "broke_off", "too_long", "no_completion", "no_text"]),
  detail: Schema.NullOr(Schema.String)
}) {}

/** An answer was not whole within the limit of all answers. */
export class AnswerTimeout extends Fact<AnswerTimeout>()("AnswerTimeout", { secondsMax: Schema.Int }) {}

/** The message was ended by somebody else while its answer was waited for: this process had stood still. */
export class AnswerInterrupted extends Fact<AnswerInterrupted>()("AnswerInterrupted", {
  id: Schema.String
}) {}

/** The conversation with the assistant is in another state than the request asks for. */
export class AssistantStateConflict extends Fact<AssistantStateConflict>()("AssistantStateConflict", {
  id: Schema.String,
  status: Schema.Literals(["idle", "working", "waiting"])
}) {}

/** The conversation with the assistant has no room for another message. */
export class AssistantConversationFull extends Fact<AssistantConversationFull>()("AssistantConversationFull", {
  id: Schema.String
}) {}

/** The server did not answer an operation of the assistant: it may have run. A repeated step asks again under the same key. */
export class OperationUnknown extends Fact<OperationUnknown>()("OperationUnknown", { operation: Schema.String }) {}

export type ChatError =
  | ConversationElsewhere
  | NoModel
  | ModelFailed
  | AnswerTimeout
  | AnswerInterrupted
  | AssistantStateConflict
  | AssistantConversationFull
  | OperationUnknown
