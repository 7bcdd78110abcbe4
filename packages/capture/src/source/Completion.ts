/** The parts of a chat completion that this server reads: its first choice and its usage. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

export interface Completion {
  /** Parts are joined; null where the message has no content. */
  readonly text: string | null
  /** The model's refusal, in place of an answer. */
  readonly refusal: string | null
  readonly toolCalls: ReadonlyArray<{ readonly name: string; readonly arguments: string }>
  readonly usage: { readonly promptTokens?: number; readonly completionTokens?: number }
}

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Part = Schema.Struct({ text: Schema.optionalKey(Schema.String) })
const Content = Schema.Union([Schema.String, Schema.Array(Part)])
const ToolCall = Schema.Struct({
  function: Schema.Struct({ name: Schema.String, arguments: Schema.optionalKey(Schema.String) })
})
const Message = Schema.Struct({
  content: Schema.optionalKey(Schema.NullOr(Content)),
  refusal: Schema.optionalKey(Schema.NullOr(Schema.String)),
  tool_calls: Schema.optionalKey(Schema.NullOr(Schema.Array(ToolCall)))
})
const Usage = Schema.Struct({
  prompt_tokens: Schema.optionalKey(Count),
  completion_tokens: Schema.optionalKey(Count)
})
const Answer = Schema.Struct({
  choices: Schema.NonEmptyArray(Schema.Struct({ message: Message })),
  usage: Schema.optionalKey(Schema.NullOr(Usage))
})
const decode = Schema.decodeUnknownOption(Answer)

const textOf = (content: typeof Content.Type): string =>
  typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("")

const completionOf = ({ choices: [{ message }], usage }: typeof Answer.Type): Completion => ({
  text: message.content === undefined || message.content === null ? null : textOf(message.content),
  refusal: message.refusal ?? null,
  toolCalls: (message.tool_calls ?? []).map(({ function: called }) => ({
    name: called.name,
    arguments: called.arguments ?? ""
  })),
  usage: {
    ...(usage?.prompt_tokens === undefined ? {} : { promptTokens: usage.prompt_tokens }),
    ...(usage?.completion_tokens === undefined ? {} : { completionTokens: usage.completion_tokens })
  }
})

/** Undefined where it is no chat completion. */
export const read = (answer: unknown): Completion | undefined =>
  Option.getOrUndefined(Option.map(decode(answer), completionOf))
