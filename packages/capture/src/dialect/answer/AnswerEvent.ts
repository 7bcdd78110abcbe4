/** What an answer says, piece by piece, whatever dialect it is read from or written in. */

/** As the upstream counted. */
export interface AnswerUsage {
  /** All input: cached and written tokens too. */
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number
}

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter"

export type AnswerEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "refusal"; readonly text: string }
  /** A call begins; `index` tells calls of one answer apart. */
  | {
      readonly type: "call"
      readonly index: number
      readonly id: string
      readonly name: string
      readonly kind: "function" | "custom"
    }
  /** A piece of the call's arguments. */
  | { readonly type: "arguments"; readonly index: number; readonly text: string }
  | { readonly type: "finish"; readonly reason: FinishReason }
  | { readonly type: "usage"; readonly usage: AnswerUsage }
  /** The provider gave up. */
  | { readonly type: "error"; readonly message: string }
