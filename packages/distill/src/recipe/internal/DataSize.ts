import type { Census } from "../../dataset/Census.ts"

/** What of the data matters, per row on average. */
export interface DataSize {
  readonly trainRows: number
  readonly holdoutRows: number
  readonly promptTokens: number
  /** Of the prompt, what asks; all of it where nobody has counted. */
  readonly requestTokens?: number | undefined
  readonly completionTokens: number
  /** The student whose tokenizer has counted the tokens, and in how many rows; absent: they are estimated from bytes. */
  readonly tokens?: { readonly tokenizer: string; readonly rows: number } | undefined
  /** Different completions, where they are a closed set; of fields, those of all together. */
  readonly labels: number | null
  /** What rows are to the builtin student, where it was counted. */
  readonly census?: Census | undefined
}
