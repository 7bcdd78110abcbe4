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

export type ChatError = ConversationElsewhere | NoModel | ModelFailed | AnswerTimeout | AnswerInterrupted
