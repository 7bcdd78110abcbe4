import type { Census } from "../../dataset/Census.ts"

/** Averages of the data per row. */
export interface DataSize {
  readonly trainRows: number
  readonly holdoutRows: number
  readonly promptTokens: number
  /** Tokens of the request within the prompt; the whole prompt without a count. */
  readonly requestTokens?: number | undefined
  readonly completionTokens: number
  /**
   * The student whose tokenizer counted the tokens, and the number of counted rows; absent if tokens are estimated from
   * bytes.
   */
  readonly tokens?: { readonly tokenizer: string; readonly rows: number } | undefined
  /** Distinct completions of a closed set; with fields, the labels of all fields. */
  readonly labels: number | null
  /** The builtin student's census, if taken. */
  readonly census?: Census | undefined
}
