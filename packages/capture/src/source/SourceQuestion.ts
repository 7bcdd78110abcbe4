/**
 * Words of requests that an evaluation sends to a model of a source: the questions, the replies, and the failure without a reply.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DecisionDialect } from "../dialect/decisions/Question.ts"

interface QuestionLabels {
  /** Of the captured call. */
  readonly tags: ReadonlyArray<string>
  /** Whether the source's settings decide on the capture, the default; else only a charged call is captured. */
  readonly isCaptured?: boolean
  /** Of the whole exchange. */
  readonly timeoutMillis: number
}

export interface ChatQuestion extends QuestionLabels {
  readonly messages: ReadonlyArray<Schema.JsonObject>
  /** As in a row; undefined: none. */
  readonly tools?: Schema.Json | undefined
  readonly maxTokens: number
  /** Absent: the model's own. */
  readonly temperature?: number
}

/** A request for decisions. */
export interface DecisionQuestion extends QuestionLabels {
  readonly dialect: DecisionDialect
  /** Its members without `model`. */
  readonly request: Schema.JsonObject
}

/** A request for the embeddings of texts. */
export interface EmbeddingQuestion extends QuestionLabels {
  /** At least one; none is empty. */
  readonly texts: ReadonlyArray<string>
}

export interface ReplyCost {
  /** Input and output; an estimate of four bytes per token where the source counts none. */
  readonly tokens: number
  /** Null without a price. The maximum possible cost if the source reports no token counts. */
  readonly costMicros: number | null
}

export interface SourceReply extends ReplyCost {
  /** Of the first choice, in the form of chat completions. */
  readonly message: Schema.JsonObject
}

export interface DecisionReply extends ReplyCost {
  /** The body of the answer, parsed. */
  readonly response: Schema.JsonObject
}

export interface EmbeddingReply extends ReplyCost {
  /** By text, all of one length. */
  readonly vectors: ReadonlyArray<Float32Array<ArrayBuffer>>
}

/**
 * No reply came. `isTransient`: it may come later. `mayHaveCost`: the source may charge for the call, because it began to answer or
 * did not answer in time. `message` is for a person.
 */
export class SourceChatFailure extends Schema.TaggedError<SourceChatFailure>()("SourceChatFailure", {
  isTransient: Schema.Boolean,
  mayHaveCost: Schema.Boolean,
  message: Schema.String
}) {}

/** A source model, opened for conversations, decisions or embeddings. */
export interface SourceModel<Question, Reply extends ReplyCost> {
  /** Call cost for the given tokens, in micro-dollars; null without a price. */
  readonly estimate: (tokens: { readonly prompt: number; readonly completion: number }) => number | null
  /** The most that the call can cost, in micro-dollars; null without a price. */
  readonly costMax: (question: Question) => Effect.Effect<number | null, SourceChatFailure>
  readonly ask: (question: Question) => Effect.Effect<Reply, SourceChatFailure>
}

export interface SourceModelEmbeddings extends SourceModel<EmbeddingQuestion, EmbeddingReply> {
  /** The id of the source. */
  readonly source: string
  /** Why the source has no embeddings; null: it has. */
  readonly refusal: string | null
}

export interface SourceModelChat extends SourceModel<ChatQuestion, SourceReply> {
  /** The same model, for embeddings. */
  readonly embeddings: SourceModelEmbeddings
  /** The same model, for decisions. */
  readonly decisions: SourceModel<DecisionQuestion, DecisionReply>
}
